"""Names of keys and channels. All keys of a match share one hash tag, the match's bucket."""

import zlib
from dataclasses import dataclass
from functools import lru_cache

BUCKETS = 512
_KEPT = 4_096


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of one match.

    Attributes:
        match: hash, the record.
        log: stream, one entry per version with id `0-<version>`.
        requests: hash, what each request did.
        live: sorted set of the bucket's unfinished matches by deadline, ms since 1970.
        bell: sharded channel of the bucket.
    """

    match: str
    log: str
    requests: str
    live: str
    bell: str


def bucket_of(match_id: str) -> str:
    """Return the hash tag of a match."""
    return _tag(zlib.crc32(match_id.encode()) % BUCKETS)


def _tag(bucket: int) -> str:
    return f"{{b{bucket}}}"


def _live(tag: str) -> str:
    return f"dh:{tag}:live"


LIVE_KEYS = tuple(_live(_tag(bucket)) for bucket in range(BUCKETS))
"""The sets of unfinished matches of all buckets."""


def prefix_of(bucket: int) -> str:
    """Return what the keys of a bucket's matches begin with, before their ids."""
    return _prefix(_tag(bucket))


def _prefix(tag: str) -> str:
    return f"dh:{tag}:m:"


@lru_cache(_KEPT)
def keys_of(match_id: str) -> Keys:
    """Return the keys of a match."""
    tag = bucket_of(match_id)
    match = f"{_prefix(tag)}{match_id}"
    return Keys(match, f"{match}:log", f"{match}:req", _live(tag), bell_of(match_id))


def bell_of(topic: str) -> str:
    """Return the channel on which a topic, a match id or a bot's, is rung."""
    return f"dh:{bucket_of(topic)}:bell"


BOT_NAMES = "dh:{bots}:names"
"""Sorted set of all bots, by name alone."""
BOT_TOKENS = "dh:{bots}:tokens"
"""Hash of token hashes to names."""


@dataclass(frozen=True, slots=True)
class BotKeys:
    """The keys of one bot; all bots share one slot.

    Attributes:
        bot: hash, the record.
        matches: set of the matches that it may have a seat in.
        presence: hash, its stream; gone a little after the stream.
        calls: stream of what it was asked and answered.
    """

    bot: str
    matches: str
    presence: str
    calls: str


def bot_keys(name: str) -> BotKeys:
    """Return the keys of a bot."""
    parts = ("b", "matches", "presence", "calls")
    return BotKeys(*(f"dh:{{bots}}:{part}:{name}" for part in parts))


def index_key(phase: str) -> str:
    """Return the sorted set of public matches of a phase by creation time."""
    return f"dh:public:{phase}"

"""Names of keys and channels. All keys of a match share one hash tag, the match's bucket."""

import zlib
from dataclasses import dataclass

BUCKETS = 512


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


def keys_of(match_id: str) -> Keys:
    """Return the keys of a match."""
    tag = bucket_of(match_id)
    match = f"dh:{tag}:m:{match_id}"
    return Keys(match, f"{match}:log", f"{match}:req", _live(tag), bell_of(match_id))


def bell_of(match_id: str) -> str:
    """Return the channel on which versions of a match are rung."""
    return f"dh:{bucket_of(match_id)}:bell"


def index_key(phase: str) -> str:
    """Return the sorted set of public matches of a phase by creation time."""
    return f"dh:public:{phase}"

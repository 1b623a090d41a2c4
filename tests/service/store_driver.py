"""Makes stores and commits for tests of the store itself."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from dragonhall_engine.core.game import Setup
from dragonhall_service.ids import OsIds
from dragonhall_service.match import (
    Ending,
    Entry,
    EntryKind,
    MatchRecord,
    MoveReason,
    Options,
    Phase,
)
from dragonhall_service.ports import Applied, Commit, Countdown, RequestKey
from dragonhall_service.store.access import plain
from dragonhall_service.store.connection import connect
from dragonhall_service.store.keys import keys_of
from dragonhall_service.store.matches import RedisMatches
from dragonhall_service.usecases.opening import MATCH_ID_LENGTH

IDS = OsIds()
LOBBY_MS = 3_600_000


@dataclass
class Bench:
    """A store with a client of the test's own beside it."""

    store: RedisMatches
    raw: Any


@asynccontextmanager
async def bench(url: str, finished_ttl_s: int = 600) -> AsyncIterator[Bench]:
    reads, writes = (connect(url, retries=n, connections=8) for n in (1, 0))
    access = plain(reads, writes)
    try:
        yield Bench(RedisMatches(access, IDS, finished_ttl_s), reads)
    finally:
        await access.aclose()
        await reads.aclose()
        await writes.aclose()


def fresh(*, public: bool = False) -> MatchRecord:
    """A match in its lobby, not stored yet."""
    match_id = (IDS.tag() + IDS.tag()).translate(str.maketrans("0189", "abcd"))[:MATCH_ID_LENGTH]
    return MatchRecord(
        match_id=match_id,
        version=0,
        tag="",
        phase=Phase.LOBBY,
        options=Options("dragonheart", Setup("standard", 2, 0), public),
        host_hash=b"h" * 32,
        seed=IDS.seed(),
        deal_id=match_id,
        seed_chosen=False,
        seats=(None, None),
        state=None,
        seat_to_move=None,
        ending=None,
    )


def creation(record: MatchRecord, request: str = "create") -> Commit:
    key = RequestKey("actor", request)
    opened = Countdown(LOBBY_MS)
    return Commit(record, (Entry(EntryKind.CREATED),), key, "print", countdown=opened)


def move(record: MatchRecord, request: str, *, last: bool = False, **changes: Any) -> Commit:
    """A commit of one move after `record`."""
    ending = Ending(None, None) if last else None
    after = replace(record, phase=Phase.OVER if last else Phase.RUNNING, ending=ending, **changes)
    entry = Entry(
        EntryKind.MOVED,
        seat=0,
        move=f"move {request}",
        reason=MoveReason.PLAYER,
        facts=b"facts",
        seat_to_move=1,
        ending=ending,
    )
    return Commit(after, (entry,), RequestKey("actor", request), "print")


async def created(store: RedisMatches, *, public: bool = False) -> MatchRecord:
    result = await store.commit(creation(fresh(public=public)))
    assert isinstance(result, Applied)
    return result.record


async def moved(store: RedisMatches, record: MatchRecord, count: int) -> MatchRecord:
    """Commit `count` moves and return the record after them."""
    for _ in range(count):
        result = await store.commit(move(record, f"r{record.version}"))
        assert isinstance(result, Applied)
        record = result.record
    return record


async def rewind(raw: Any, record: MatchRecord, version: int, tag: str) -> None:
    """Take a stored match back to an earlier version, as a failover that lost writes does."""
    keys = keys_of(record.match_id)
    kept = await raw.xrange(keys.log, "-", f"0-{version}")
    await raw.delete(keys.log)
    for stream_id, fields in kept:
        await raw.xadd(keys.log, fields, id=stream_id)
    await raw.hset(keys.match, mapping={"version": version, "tag": tag})
    await raw.delete(keys.requests)

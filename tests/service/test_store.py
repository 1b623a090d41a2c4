"""The store contract, on every real store of this machine."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from dragonhall_service.match import MatchRecord, Phase, SeatRecord, Timing
from dragonhall_service.ports import (
    Applied,
    Conflict,
    RecordCorrupt,
    RecordTooNew,
    Repeated,
    RequestKey,
    StorageUnavailable,
)
from dragonhall_service.store.connection import connect
from dragonhall_service.store.doorbell import OneExchange, RedisDoorbell
from dragonhall_service.store.keys import index_key, keys_of
from dragonhall_service.store.matches import LISTED_EVERY, RedisMatches
from tests.service.store_driver import (
    LOBBY_MS,
    Bench,
    bench,
    created,
    creation,
    fresh,
    move,
    moved,
)


@pytest.fixture
async def at(store_url: str) -> AsyncIterator[Bench]:
    async with bench(store_url) as opened:
        yield opened


async def test_what_is_committed_is_read_back(at: Bench) -> None:
    seat = SeatRecord(b"t" * 32, "Ада", b"luck")
    record = replace(fresh(), seats=(seat, None), state=b"\x00state", seat_to_move=1)
    applied = await at.store.commit(creation(record))
    assert isinstance(applied, Applied)
    loaded = await at.store.load(record.match_id)
    assert loaded is not None
    assert loaded.record == applied.record
    tag, created = loaded.record.tag, loaded.record.created_ms
    timing = Timing(created, created + LOBBY_MS)
    assert loaded.record == replace(record, version=1, tag=tag, created_ms=created, timing=timing)
    assert await at.store.entries(record.match_id, 1, 10) == list(applied.entries)


async def test_absent_is_none(at: Bench) -> None:
    assert await at.store.load("a" * 26) is None
    assert await at.store.entries("a" * 26, 1, 10) == []


async def test_the_same_version_twice_is_a_conflict_and_writes_nothing(at: Bench) -> None:
    record = await created(at.store)
    after = await moved(at.store, record, 1)
    assert await at.store.commit(move(record, "late")) == Conflict(2)
    loaded = await at.store.load(record.match_id, RequestKey("actor", "late"))
    assert loaded is not None
    assert (loaded.record, loaded.earlier) == (after, None)
    assert len(await at.store.entries(record.match_id, 1, 10)) == 2


async def test_a_repeat_is_told_what_it_did_then(at: Bench) -> None:
    record = await created(at.store)
    commit = move(record, "again")
    assert isinstance(await at.store.commit(commit), Applied)
    repeated = await at.store.commit(commit)
    assert isinstance(repeated, Repeated)
    assert (repeated.earlier.first, repeated.earlier.last) == (2, 2)
    assert repeated.earlier.fingerprint == "print"


async def test_the_same_name_of_another_actor_is_another_request(at: Bench) -> None:
    record = await created(at.store)
    commit = move(record, "create")
    other = replace(commit, request=RequestKey("somebody", "create"))
    assert isinstance(await at.store.commit(other), Applied)


async def test_of_many_commits_at_once_one_is_applied(at: Bench) -> None:
    record = await created(at.store)
    commits = [at.store.commit(move(record, f"r{n}")) for n in range(20)]
    results = await asyncio.gather(*commits)
    assert sum(isinstance(result, Applied) for result in results) == 1
    assert sum(result == Conflict(2) for result in results) == 19


async def test_the_embedded_store_syncs_before_it_answers(one_store_url: str) -> None:
    async with bench(one_store_url) as own:
        told = await own.raw.config_get("appendonly", "appendfsync", "maxmemory-policy")
    values = {_text(name): _text(value) for name, value in told.items()}
    assert values == {
        "appendonly": "yes",
        "appendfsync": "always",
        "maxmemory-policy": "noeviction",
    }


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value


async def test_scripts_survive_a_flush(at: Bench) -> None:
    record = await created(at.store)
    await at.raw.script_flush()
    assert isinstance(await at.store.commit(move(record, "after")), Applied)


async def test_a_finished_match_expires_as_a_whole_and_leaves_the_live_set(at: Bench) -> None:
    record = await moved(at.store, await created(at.store), 2)
    keys = keys_of(record.match_id)
    assert await at.raw.zscore(keys.live, record.match_id) is not None
    assert await at.raw.ttl(keys.match) == -1
    await at.store.commit(move(record, "last", last=True))
    for key in (keys.match, keys.log, keys.requests):
        assert 0 < await at.raw.ttl(key) <= 600
    assert await at.raw.zscore(keys.live, record.match_id) is None


async def test_a_newer_format_is_left_alone(at: Bench) -> None:
    record = await created(at.store)
    await at.raw.hset(keys_of(record.match_id).match, "format", 99)
    with pytest.raises(RecordTooNew):
        await at.store.load(record.match_id)


@pytest.mark.parametrize("name", ["fixed", "phase", "version", "next", "ending"])
async def test_damage_is_found(at: Bench, name: str) -> None:
    record = await created(at.store)
    await at.raw.hset(keys_of(record.match_id).match, name, "?")
    with pytest.raises(RecordCorrupt):
        await at.store.load(record.match_id)


async def test_a_match_that_cannot_be_read_does_not_hide_the_others(at: Bench) -> None:
    older, corrupt, newer, last = [await created(at.store, public=True) for _ in range(4)]
    await at.raw.hdel(keys_of(corrupt.match_id).match, "fixed")
    await at.raw.hset(keys_of(newer.match_id).match, "format", 99)
    listed, _ = await at.store.public_matches(None, "", 2)
    assert {match.match_id for match in listed} == {older.match_id, last.match_id}


async def test_public_matches_are_listed_newest_first_in_pages(at: Bench) -> None:
    await at.raw.delete(index_key("all"), index_key("lobby"))
    ids = [(await created(at.store, public=True)).match_id for _ in range(5)]
    await created(at.store, public=False)
    seen: list[str] = []
    after = ""
    while True:
        page, after = await at.store.public_matches(Phase.LOBBY, after, 2)
        seen += [record.match_id for record in page]
        if not after:
            break
    assert sorted(seen) == sorted(ids)
    assert len(seen) == 5


async def test_the_list_follows_the_phase_and_forgets_what_is_gone(at: Bench) -> None:
    record = await created(at.store, public=True)
    await moved(at.store, record, 1)
    running, _ = await at.store.public_matches(Phase.RUNNING, "", 100)
    assert record.match_id in [row.match_id for row in running]
    await at.raw.delete(keys_of(record.match_id).match)
    gone, _ = await at.store.public_matches(Phase.RUNNING, "", 100)
    assert record.match_id not in [row.match_id for row in gone]
    assert await at.raw.zscore(index_key("running"), record.match_id) is None


async def ended(store: RedisMatches, record: MatchRecord) -> MatchRecord:
    result = await store.commit(move(record, "last", last=True))
    assert isinstance(result, Applied)
    return result.record


async def test_rows_of_matches_that_have_expired_are_dropped_as_others_end(store_url: str) -> None:
    async with bench(store_url, finished_ttl_s=0) as at:
        await at.raw.delete(index_key("all"), index_key("over"))
        gone = [await ended(at.store, await created(at.store, public=True)) for _ in range(9)]
        for record in gone:
            await at.raw.delete(keys_of(record.match_id).match)
        for _ in range(6):
            await ended(at.store, await created(at.store, public=True))
        left = {row.decode() for row in await at.raw.zrange(index_key("over"), 0, -1)}
        assert not left & {record.match_id for record in gone}
        assert await at.raw.zcard(index_key("all")) == len(left) == 6


async def test_a_row_under_another_phase_is_mended_by_reading(at: Bench) -> None:
    record = await created(at.store, public=True)
    await at.raw.zadd(index_key("running"), {record.match_id: record.created_ms})
    running, _ = await at.store.public_matches(Phase.RUNNING, "", 100)
    assert record.match_id not in [row.match_id for row in running]
    assert await at.raw.zscore(index_key("running"), record.match_id) is None


async def test_what_a_dying_server_left_unlisted_is_listed_later(at: Bench) -> None:
    record = await moved(at.store, await created(at.store, public=True), 1)
    await at.raw.zrem(index_key("running"), record.match_id)
    record = await moved(at.store, record, 1)
    assert await at.raw.zscore(index_key("running"), record.match_id) is None, "not by every move"
    await moved(at.store, record, LISTED_EVERY)
    assert await at.raw.zscore(index_key("running"), record.match_id) == record.created_ms


async def test_the_doorbell_rings_for_its_match_alone(at: Bench, store_url: str) -> None:
    listener = connect(store_url, retries=0, connections=1)
    doorbell = RedisDoorbell(OneExchange(listener))
    running = asyncio.create_task(doorbell.run())
    record = await created(at.store)
    told: asyncio.Queue[int] = asyncio.Queue()
    with doorbell.listen(record.match_id, told.put_nowait):
        assert await asyncio.wait_for(told.get(), 10) == 0, "the subscription itself rings"
        await moved(at.store, record, 1)
        assert await asyncio.wait_for(told.get(), 10) == record.version + 1
    while not running.done():
        running.cancel()
        await asyncio.sleep(0.01)
    await listener.aclose()


async def test_an_unreachable_store_is_surely_not_applied() -> None:
    async with bench("unix:///nowhere/store.sock") as away:
        with pytest.raises(StorageUnavailable) as failure:
            await away.store.commit(creation(fresh()))
        assert failure.value.applied is False

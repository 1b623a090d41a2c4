"""A server plays on upon what it committed last; the store alone says whether that still holds."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from redis.asyncio import Redis

from dragonhall.cli.replaying import Finished, check_finished
from dragonhall.v1.match_service_pb2 import GetReplayRequest
from dragonhall_service.ports import Conflict
from dragonhall_service.store.keys import keys_of
from tests.service.driver import Table, dealt, get, legal, play_on, served, submission, submit
from tests.service.scraping import scraped
from tests.service.store_driver import bench, created, move, rewind

LOADS = {"name": "dragonhall_store_seconds_count", "operation": "load"}


@pytest.fixture
async def raw(one_store_url: str) -> AsyncIterator[Any]:
    client = Redis.from_url(one_store_url)
    yield client
    await client.aclose()


async def test_a_move_upon_the_last_one_loads_nothing(one_store_url: str) -> None:
    async with scraped(one_store_url) as (stub, scrape):
        table = await dealt(stub)
        version = await play_on(stub, table, moves=1)
        seat = (await get(stub, table)).match.seat_to_move
        listed = await legal(stub, table, seat)
        before = scrape.value(**LOADS)
        await submit(stub, table, seat, submission(table, version, listed.moves[0]))
        assert scrape.value(**LOADS) == before


async def test_servers_that_take_turns_play_one_match(one_store_url: str) -> None:
    async with served(one_store_url) as one, served(one_store_url) as other:
        table = await dealt(one)
        for stub in (one, one, other, other, one, other) * 3:
            await play_on(stub, table, moves=1)
        await _verify(one, table, await play_on(one, table))


async def test_a_history_that_was_taken_back_is_not_played_upon(
    one_store_url: str, raw: Any
) -> None:
    async with served(one_store_url) as one, served(one_store_url) as other:
        table = await dealt(one)
        await play_on(one, table, moves=4)
        keys = keys_of(table.match_id)
        kept = {key: await raw.dump(key) for key in (keys.match, keys.log, keys.requests)}
        lost = await play_on(one, table, moves=1)
        for key, value in kept.items():
            await raw.restore(key, 0, value, replace=True)
        seat = (await get(other, table)).match.seat_to_move
        listed = await legal(other, table, seat)
        await submit(other, table, seat, submission(table, lost - 1, listed.moves[-1]))
        await _verify(one, table, await play_on(one, table))


async def test_a_commit_upon_another_history_is_a_conflict(one_store_url: str) -> None:
    async with bench(one_store_url) as at:
        record = await created(at.store)
        await rewind(at.raw, record, 1, "another")
        assert await at.store.commit(move(record, "upon the lost one")) == Conflict(1)


async def _verify(stub: Any, table: Table, version: int) -> None:
    """Check that a finished match is what its seed and its moves make of it."""
    asked = GetReplayRequest(match_id=table.match_id)
    replay = await stub.GetReplay(asked, metadata=table.seated(0))
    assert replay.match.version == version
    check_finished(Finished(replay))

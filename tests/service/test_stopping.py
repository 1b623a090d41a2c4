"""A server that has stopped leaves nothing behind that still runs."""

import asyncio

from dragonhall.v1 import match_service_pb2
from tests.service.driver import dealt, play_on, served


async def test_nothing_of_a_server_outlives_it(one_store_url: str) -> None:
    before = asyncio.all_tasks()
    for _ in range(20):
        async with served(one_store_url) as stub:
            table = await dealt(stub)
            asked = match_service_pb2.WatchMatchRequest(match_id=table.match_id)
            watches = [stub.WatchMatch(asked) for _ in range(3)]
            for watch in watches:
                await watch.read()
            await play_on(stub, table, moves=1)
            for watch in watches:
                watch.cancel()
        assert asyncio.all_tasks() == before

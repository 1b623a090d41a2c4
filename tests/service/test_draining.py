"""A server that stops answers whoever still comes, because a balancer is slow to notice."""

import asyncio

import grpc

from dragonhall_service.app import running_server
from dragonhall_service.config import Settings
from tests.service.driver import dealt, get, stub_of

SHORT_S = 0.01
LATE_CALLS = 5
"""More than are made, one in so long, in the wait that was set."""


async def test_a_stopping_server_answers_while_calls_still_come(one_store_url: str) -> None:
    settings = Settings(redis_url=one_store_url, listen="127.0.0.1:0", drain_s=SHORT_S, grace_s=1)
    async with (
        running_server(settings) as server,
        grpc.aio.insecure_channel(server.target) as channel,
    ):
        stub, answered = stub_of(channel), 0
        table = await dealt(stub)
        draining = asyncio.create_task(server.drain())
        while answered < LATE_CALLS and not server.feeds.draining:
            assert (await get(stub, table)).match.version == 4
            answered += 1
            await asyncio.sleep(SHORT_S)
        await draining
    assert answered == LATE_CALLS

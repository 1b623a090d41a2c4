"""A server that stops answers whoever still comes, because a balancer is slow to notice."""

import asyncio

import grpc

from dragonhall_service.app import running_server
from dragonhall_service.config import Settings
from tests.service.driver import dealt, get, stub_of

SHORT_S = 0.01
LATE_CALLS = 20


async def test_a_stopping_server_answers_while_calls_still_come(one_store_url: str) -> None:
    settings = Settings(
        redis_url=one_store_url, listen="127.0.0.1:0", drain_s=SHORT_S, grace_s=SHORT_S
    )
    async with (
        running_server(settings) as server,
        grpc.aio.insecure_channel(server.target) as channel,
    ):
        table = await dealt(stub_of(channel))
        draining = asyncio.create_task(server.drain())
        for _ in range(LATE_CALLS):  # later than the wait that was set
            await asyncio.sleep(5 * SHORT_S)
            assert (await get(stub_of(channel), table)).match.version == 4
        await draining

"""A bot that is killed again and again goes on with its matches, and makes no move twice."""

import asyncio
import os
import random
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from dragonhall.bots.hosting import host_bot
from dragonhall.bots.random_bot import RandomBot
from dragonhall.sdk import Client, new_token
from tests.budget import cases
from tests.service.driver import options, server_process
from tests.service.histories import causes, check_history
from tests.service.test_bots import GAMES, registered

KILLS = cases(ci=10, sweep=100)
MOST_LIFE_S = 0.4
MATCHES = 3
Start = Callable[[str, int], Awaitable[int]]
"""Takes a server and a seed, and returns the pid of a bot that plays there."""


@asynccontextmanager
async def nursery(token: str) -> AsyncIterator[Start]:
    process: Process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.service.bot_nursery", token, stdin=PIPE, stdout=PIPE
    )
    assert process.stdin and process.stdout
    lines_in, lines_out = process.stdin, process.stdout

    async def start(server: str, seed: int) -> int:
        lines_in.write(f"{server} {seed}\n".encode())
        return int(await lines_out.readline())

    try:
        yield start
    finally:
        lines_in.close()
        await process.wait()


async def test_a_bot_killed_at_random_moments_makes_no_move_twice(one_store_url: str) -> None:
    luck = random.Random(6)
    async with (
        server_process(one_store_url) as first,
        server_process(one_store_url) as second,
        Client(first) as client,
    ):
        name, token = await registered(client)
        steady = f"steady-{name}"
        playing = asyncio.create_task(
            host_bot(client, steady, new_token(), GAMES, lambda game, seed: RandomBot(seed))
        )
        while not [bot async for bot in client.list_bots() if bot.name == steady]:
            await asyncio.sleep(0.05)
        killing = True

        async def matches() -> list[str]:
            """Play one match after the other as long as there is killing."""
            played: list[str] = []
            while killing or not played:
                bots = {0: name, 1: steady}
                match = await client.create_match(new_token(), options(), bots=bots)
                async for _ in client.watch(match.match_id):
                    pass
                played.append(match.match_id)
            return played

        async with nursery(token) as start:
            tables = [asyncio.create_task(matches()) for _ in range(MATCHES)]
            pid = await start(first, 0)
            for kill in range(KILLS):
                await asyncio.sleep(luck.uniform(0, MOST_LIFE_S))
                os.kill(pid, signal.SIGKILL)
                pid = await start((second, first)[kill % 2], kill + 1)
            killing = False
            played = [match_id for table in tables for match_id in await table]
            os.kill(pid, signal.SIGKILL)
        playing.cancel()
        assert len(played) >= MATCHES
        for match_id in played:
            await check_history(client, match_id)
            ended = (await client.get_match(match_id)).match
            assert set(causes(ended)) == {"COMPLETED"}
        calls = (await client.list_bot_calls(token, 500)).calls
        assert [call for call in calls if call.text.startswith("INTERNAL")] == []

"""P16: the store hangs, is full, or has too few connections: every answer says what to do."""

import asyncio
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from dragonhall.v1 import match_service_pb2 as pb
from tests.budget import cases
from tests.deploy.stack import SERVERS
from tests.faults.advice import advised, repeated
from tests.faults.players import Players
from tests.faults.stored import broken
from tests.faults.verdicts import Figure, Finding, Work
from tests.faults.world import World, world

PLAYERS = 8
TIMES = cases(ci=1, sweep=6)
MOVES_BETWEEN = 100
AWAY_S = 3.0
ANSWER_S = 5.0
"""A unary call is answered within this, whatever the store does."""
LONG_S = ANSWER_S + 2.0
"""The first time it is away for so long that nobody can have waited for it."""
FEW_CONNECTIONS, AT_ONCE, ROUNDS = 2, 300, cases(ci=3, sweep=20)
EXHAUSTED_S = 1.0
MOST_CONNECTIONS = 2 * SERVERS * (2 * FEW_CONNECTIONS + 4)
"""Two clients of so many, two lines, what a failure leaves behind for a moment, and as much again:
without the setting there would be hundreds."""


@asynccontextmanager
async def _hung(running: World) -> AsyncIterator[None]:
    running.store.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        running.store.process.send_signal(signal.SIGCONT)


@asynccontextmanager
async def _full(running: World) -> AsyncIterator[None]:
    await running.raw.config_set("maxmemory", 1)
    try:
        yield
    finally:
        await running.raw.config_set("maxmemory", 0)


HURTS: Mapping[str, Any] = {"hung": _hung, "full": _full}


async def scenario() -> list[Finding]:
    """Play through each kind of trouble, again and again."""
    findings: list[Finding] = []
    for what, hurt in HURTS.items():
        async with world() as running, running.clients(PLAYERS) as stubs:
            players = Players(stubs)
            async with players.playing():
                for number in range(TIMES):
                    await players.until(MOVES_BETWEEN)
                    async with hurt(running):
                        await asyncio.sleep(AWAY_S if number else LONG_S)
                await players.until(MOVES_BETWEEN)
            found = await broken(running.raw, players.ledger)
        for violation in found[:5]:
            print(f"rule {violation.rule}: {violation.text}")
        findings += [
            Figure("P3", f"lost or doubled, store {what}", len(found), most=0),
            Figure("P3", f"calls given up, store {what}", len(players.failed), most=0),
            Figure("P16", "longest answer", max(players.answers), "s", ANSWER_S),
            repeated(players.calls, players.attempts, outage=True),
            *advised(players.ledger.failures, least=TIMES, servers_stay=True),
        ]
    return findings


async def pool() -> list[Finding]:
    """Ask for more at once than a server has connections to its store."""
    async with (
        world(REDIS_CONNECTIONS=str(FEW_CONNECTIONS)) as running,
        running.clients(PLAYERS) as stubs,
    ):
        players = Players(stubs)
        async with players.playing():
            await players.until(MOVES_BETWEEN)
            rounds = [await _crowd(running, players) for _ in range(ROUNDS)]
            await players.until(MOVES_BETWEEN)
        found = await broken(running.raw, players.ledger)
    return [
        Figure("P3", "lost or doubled, few connections", len(found), most=0),
        Figure("P3", "calls given up, few connections", len(players.failed), most=0),
        Figure("P16", "connections of all servers", max(rounds), most=MOST_CONNECTIONS),
        Work("P16", "calls for few connections", len(rounds) * AT_ONCE, ROUNDS * AT_ONCE),
        *advised(players.ledger.failures, least=ROUNDS, servers_stay=True),
    ]


async def _crowd(running: World, players: Players) -> int:
    """Read the logs of many matches at once while the store hangs, until each call is answered.

    Returns:
        How many connections the servers had when it was back.
    """
    reads = [
        players.ask(
            players.stubs[n % PLAYERS].ListEvents,
            pb.ListEventsRequest(match_id=players.tables[n % len(players.tables)].match_id),
        )
        for n in range(AT_ONCE)
    ]
    crowd = asyncio.gather(*reads)
    async with _hung(running):
        await asyncio.sleep(EXHAUSTED_S)
    connections = len(await running.raw.client_list())
    await crowd
    return connections

"""P16: the store hangs, is full, or has too few connections: every answer says what to do."""

import asyncio
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from dragonhall.v1 import match_service_pb2 as pb
from tests.budget import cases
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
FEW_CONNECTIONS, AT_ONCE, ROUNDS = 2, 300, cases(ci=3, sweep=20)


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
                for _ in range(TIMES):
                    await players.until(MOVES_BETWEEN)
                    async with hurt(running):
                        await asyncio.sleep(AWAY_S)
                await players.until(MOVES_BETWEEN)
            found = await broken(running.raw, players.ledger)
        for violation in found[:5]:
            print(f"rule {violation.rule}: {violation.text}")
        findings += [
            Figure("P3", f"lost or doubled, store {what}", len(found), most=0),
            Figure("P3", f"calls given up, store {what}", len(players.failed), most=0),
            Figure("P16", "longest answer", max(_answers(players)), "s", ANSWER_S),
            repeated(players.calls, players.attempts, outage=True),
            *advised(players.ledger.failures, least=TIMES),
        ]
    return findings


def _answers(players: Players) -> list[float]:
    return [
        attempt.answered - attempt.sent
        for attempts in players.ledger.attempts.values()
        for attempt in attempts
        if attempt.answered is not None
    ]


async def pool() -> list[Finding]:
    """Ask for more at once than a server has connections to its store."""
    async with (
        world(REDIS_CONNECTIONS=str(FEW_CONNECTIONS)) as running,
        running.clients(PLAYERS) as stubs,
    ):
        players = Players(stubs)
        async with players.playing():
            await players.until(MOVES_BETWEEN)
            answered = sum([await _crowd(players) for _ in range(ROUNDS)])
            await players.until(MOVES_BETWEEN)
        found = await broken(running.raw, players.ledger)
    return [
        Figure("P3", "lost or doubled, few connections", len(found), most=0),
        Figure("P3", "calls given up, few connections", len(players.failed), most=0),
        Work("P16", "calls for few connections", answered, ROUNDS * AT_ONCE),
        *advised(players.ledger.failures),
    ]


async def _crowd(players: Players) -> int:
    """Read the logs of many matches at once; return how many calls were answered in the end."""
    reads = [
        players.ask(
            players.stubs[n % PLAYERS].ListEvents,
            pb.ListEventsRequest(match_id=players.tables[n % len(players.tables)].match_id),
        )
        for n in range(AT_ONCE)
    ]
    return len(await asyncio.gather(*reads))

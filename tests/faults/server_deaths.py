"""P5, P6: servers killed, stopped and hung behind each balancer while matches are played."""

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable

from tests.budget import cases
from tests.deploy.stack import connected, start_again
from tests.faults.advice import advised, repeated
from tests.faults.hosted import bot_matches
from tests.faults.players import Players
from tests.faults.stored import broken
from tests.faults.verdicts import Figure, Finding, Work, percentile
from tests.faults.world import World, world

BALANCERS = ("envoy", "haproxy")
PLAYERS = 8
KILLS, HANGS, RESTARTS = cases(ci=2, sweep=9), cases(ci=1, sweep=4), cases(ci=2, sweep=9)
"""Behind each balancer."""
HANG_S = 10.0
MOVES_BETWEEN = 200
"""Moves that are made at least between two deaths."""
P99_S, LONGEST_S = 1.0, 5.0
EXIT_S = 15.0


async def _killed(running: World, players: Players, number: int) -> None:
    """Kill a server and start it again; the next dies after two start-ups at the earliest."""
    server = running.servers[number % len(running.servers)]
    await asyncio.to_thread(server.end, signal.SIGKILL)
    begun = time.monotonic()
    await start_again(server)
    await asyncio.sleep(time.monotonic() - begun)
    await players.until(MOVES_BETWEEN)


async def _hung(running: World, players: Players, number: int) -> None:
    """Stop a server's process for a while, connections and all."""
    server = running.servers[number % len(running.servers)]
    server.process.send_signal(signal.SIGSTOP)
    await asyncio.sleep(HANG_S)
    server.process.send_signal(signal.SIGCONT)
    await players.until(MOVES_BETWEEN)


async def _restarted(running: World, players: Players, number: int) -> None:
    """Ask a server to end, as a rolling restart does."""
    server = running.servers[number % len(running.servers)]
    begun = time.monotonic()
    code = await asyncio.to_thread(server.end, signal.SIGTERM)
    assert code == 0, f"a server ended with {code}"
    assert time.monotonic() - begun <= EXIT_S, "a server took too long to end"
    await start_again(server)
    await players.until(MOVES_BETWEEN)


Hurt = Callable[[World, Players, int], Awaitable[None]]


async def _played_through(
    running: World, hurt: Hurt, times: int, players: Players
) -> list[Finding]:
    async with asyncio.TaskGroup() as tasks:
        bots = tasks.create_task(bot_matches(running.balancer.target, players))
        async with players.playing():
            await players.until(MOVES_BETWEEN)
            for number in range(times):
                await hurt(running, players, number)
    spoilt = [text for text in bots.result() if text]
    for text in spoilt[:5]:
        print(f"a match of bots: {text}")
    found = await broken(running.raw, players.ledger)
    for violation in found[:5]:
        print(f"rule {violation.rule}: {violation.text}")
    for error in players.failed[:5]:
        print(f"failed: {error}")
    return [
        Figure("P3", "lost or doubled when servers die", len(found), most=0),
        Figure("P5", "spoilt matches of bots", len(spoilt), most=0),
        Work("P5", "matches of bots", len(bots.result()), 1),
    ]


def _figures(players: Players, what: str, times: int) -> list[Finding]:
    print(
        f"   {what}: p50 {percentile(players.moves, 50) * 1e3:.0f} ms, {len(players.moves)} moves"
    )
    return [
        Figure("P5", f"p99 of a move, {what}", percentile(players.moves, 99), "s", P99_S),
        Figure("P5", f"longest, {what}", max(players.moves), "s", LONGEST_S),
        Figure("P5", f"failed calls, {what}", len(players.failed), most=0),
        Work("P5", what, times, times),
    ]


async def kills() -> list[Finding]:
    """Kill -9 again and again."""
    return await _each(_killed, "killed", KILLS)


async def hangs() -> list[Finding]:
    """SIGSTOP again and again."""
    return await _each(_hung, "hung", HANGS)


async def _each(hurt: Hurt, what: str, times: int) -> list[Finding]:
    findings: list[Finding] = []
    for balancer in BALANCERS:
        async with world(balancer=balancer) as running, running.clients(PLAYERS) as stubs:
            players = Players(stubs)
            findings += await _played_through(running, hurt, times, players)
            findings += _figures(players, what, times)
            findings += advised(players.ledger.failures)
            findings.append(repeated(players.calls, players.attempts, outage=False))
    return findings


async def restarts() -> list[Finding]:
    """SIGTERM one server after the other: no call fails, though none is repeated."""
    findings: list[Finding] = []
    for balancer in BALANCERS:
        async with world(balancer=balancer) as running, running.clients(PLAYERS) as stubs:
            players = Players(stubs, retry=None)
            findings += await _played_through(running, _restarted, RESTARTS, players)
            findings += [
                Figure("P6", "failed calls", len(players.failed), most=0),
                Work("P6", "restarts", RESTARTS, RESTARTS),
                Work("P6", "calls", len(players.calls), RESTARTS * MOVES_BETWEEN),
            ]
    return findings


async def control() -> list[Finding]:
    """Players without balancer and retry: a kill must lose them calls, or none was in flight."""
    async with world() as running, connected(running.servers[0].target) as stub:
        players = Players([stub] * PLAYERS, retry=None)
        async with players.playing():
            await players.until(MOVES_BETWEEN)
            await asyncio.to_thread(running.servers[0].end, signal.SIGKILL)
            await start_again(running.servers[0])
        return [Work("P5", "calls lost by the control", len(players.failed), PLAYERS)]

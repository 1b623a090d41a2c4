"""P3, P7: stores with replicas whose primary dies or is cut off, and slots that move."""

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from redis.crc import key_slot

from dragonhall_service.store.address import Topology, parse_address
from dragonhall_service.store.connection import connect_cluster, connect_primary
from dragonhall_service.store.keys import bucket_of
from tests.budget import SWEEP, cases
from tests.deploy.stack import (
    connected,
    free_port,
    running_balancer,
    running_servers,
    until_all_answer,
    wait_for,
)
from tests.faults.advice import advised
from tests.faults.history import Attempt, Verdict, lost
from tests.faults.passage import passage
from tests.faults.players import Players
from tests.faults.stored import broken, stored
from tests.faults.verdicts import Figure, Finding, Work
from tests.service.replicated import (
    SAFE,
    SLOTS,
    Cluster,
    Member,
    SentinelSet,
    cluster,
    sentinel_set,
)

SERVERS = 2
PLAYERS = 6
DEATHS = cases(ci=1, sweep=5)
MOVES_BETWEEN = 100
MOVED = cases(ci=3, sweep=20)
"""Slots."""
HALF_S = 1.0
"""How long a slot stays in two halves, and then in the hands of both."""
SENTINEL_S, CLUSTER_S = 5.0, 6.0
"""The longest that a call may take when its primary dies."""


@dataclass
class Waiting(Players):
    """Players who note how long they wait for whatever they ask.

    Attributes:
        waits: of each call with all its repeats, in seconds.
    """

    waits: list[float] = field(default_factory=list)

    async def ask(self, method: Any, request: Any, token: str = "") -> Any:
        begun = time.monotonic()
        try:
            return await super().ask(method, request, token)
        finally:
            self.waits.append(time.monotonic() - begun)


@asynccontextmanager
async def _played(url: str, durability: str = "safe") -> AsyncIterator[Waiting]:
    """Let players play through a balancer on servers over a store."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="dragonhall-faults-")))
        opened = running_servers(
            *[url] * SERVERS, folder=folder, DURABILITY=durability, QUOTAS="off"
        )
        servers = await asyncio.to_thread(stack.enter_context, opened)
        ports = [server.port for server in servers]
        balancer = stack.enter_context(running_balancer("envoy", ports, folder))
        await until_all_answer(balancer)
        stubs = [
            await stack.enter_async_context(connected(balancer.target)) for _ in range(PLAYERS)
        ]
        players = Waiting(stubs)
        async with players.playing():
            await players.until(MOVES_BETWEEN)
            yield players


async def sentinel() -> list[Finding]:
    """Kill the primary of a Sentinel set."""
    with sentinel_set(SAFE) as running:
        async with _played(running.url) as players:
            for _ in range(DEATHS):
                await _dies(running, running.primary(), players)
        kept = await _judged(running.url, players, "a primary's death, Sentinel", SENTINEL_S)
    return [*kept, Work("P7", "failovers by Sentinel", DEATHS, DEATHS)]


async def clustered() -> list[Finding]:
    """Kill primaries of a cluster with a replica to spare."""
    with cluster(SAFE, replicas=2) as running:
        async with _played(running.url) as players:
            for number in range(DEATHS):
                primary = running.holder(number * SLOTS // running.primaries % SLOTS)
                await _dies(running, primary, players)
        kept = await _judged(running.url, players, "a primary's death, cluster", CLUSTER_S)
    return [*kept, Work("P7", "failovers in a cluster", DEATHS, DEATHS)]


async def _dies(running: SentinelSet | Cluster, primary: Member, players: Players) -> None:
    """Kill a primary, and start it again once another one has taken its place."""
    await asyncio.to_thread(primary.hurt, signal.SIGKILL)
    await asyncio.to_thread(wait_for, "a failover", lambda: running.replaced(primary))
    await players.until(MOVES_BETWEEN)
    primary.start()
    await asyncio.to_thread(wait_for, "a store that is whole", running.whole)
    await players.until(MOVES_BETWEEN)


async def _judged(url: str, players: Waiting, what: str, most_s: float) -> list[Finding]:
    """Hold what players were told against the store, and say how long they waited."""
    async with _raw(url) as raw:
        found = await broken(raw, players.ledger)
    for violation in found[:5]:
        print(f"rule {violation.rule}: {violation.text}")
    for error in players.failed[:5]:
        print(f"failed: {error}")
    return [
        Figure("P3", f"lost or doubled, {what}", len(found), most=0),
        Figure("P7", f"longest call, {what}", max(players.waits), "s", most_s),
        Figure("P7", f"failed calls, {what}", len(players.failed), most=0),
        *advised(players.ledger.failures),
    ]


@asynccontextmanager
async def _raw(url: str) -> AsyncIterator[Any]:
    address = parse_address(url)
    connect = connect_cluster if address.topology is Topology.CLUSTER else connect_primary
    raw = connect(address, retries=1, connections=4)
    try:
        yield raw
    finally:
        await raw.aclose()


async def fast() -> list[Finding]:
    """Kill primaries in the fast mode, which may lose something: say how much."""
    with sentinel_set({}) as running:
        found = await _fast(running, running.primary(), "Sentinel")
    if SWEEP:
        with cluster({}) as running:
            found += await _fast(running, running.holder(0), "cluster")
    return found


async def _fast(running: SentinelSet | Cluster, primary: Member, what: str) -> list[Finding]:
    async with _played(running.url, "fast") as players:
        died = time.monotonic()
        await _dies(running, primary, players)
    gone = await _lost(running.url, players)
    since = min((attempt.answered or died for attempt in gone), default=died)
    window_ms = 1e3 * (died - since)
    return [
        Figure("P3", f"acknowledged and lost by a death, {what}, fast", len(gone)),
        Figure("P3", f"the oldest of them before it, {what}, fast", window_ms, "ms"),
    ]


async def _lost(url: str, players: Players) -> list[Attempt]:
    """List what was acknowledged and is not in the store."""
    found: list[Attempt] = []
    async with _raw(url) as raw:
        for match_id, attempts in players.ledger.attempts.items():
            found += lost(await stored(raw, match_id), attempts)
    return found


async def split_brain() -> list[Finding]:
    """Cut a primary off from all but its clients: the fast mode must lose what it said since."""
    fast_lost, fast_told = await _cut_off("fast", {})
    safe_lost, safe_told = await _cut_off("safe", SAFE)
    return [
        Work("P3", "acknowledged and lost in a split brain, fast", fast_lost, 1),
        Figure("P3", "of what was acknowledged in it, fast", 100 * fast_lost / fast_told, "%"),
        Figure("P3", "acknowledged and lost in a split brain, safe", safe_lost, most=0),
        Work("P3", "acknowledged around it, safe", safe_told, MOVES_BETWEEN),
    ]


async def _cut_off(durability: str, settings: Mapping[str, str]) -> tuple[int, int]:
    """Return how many acknowledged requests were lost, of how many since the cut."""
    near, behind = free_port(), free_port()
    async with passage(near, behind) as way, AsyncExitStack() as stack:
        opened = sentinel_set(settings, announced=near, port=behind)
        running = await asyncio.to_thread(stack.enter_context, opened)
        cut_off = running.primary()
        async with _played(running.url, durability) as players:
            before = players.ledger.count(Verdict.APPLIED)
            way.cut()
            await asyncio.to_thread(wait_for, "a failover", lambda: running.replaced(cut_off))
            if durability == "fast":
                await players.until(MOVES_BETWEEN)
            told = players.ledger.count(Verdict.APPLIED) - before
            way.heal()
            await asyncio.to_thread(wait_for, "a set that is whole", running.whole)
            await players.until(MOVES_BETWEEN)
        gone = len(await _lost(running.url, players))
    return gone, told if durability == "fast" else players.ledger.count(Verdict.APPLIED) - before


async def half_moved() -> list[Finding]:
    """Move the slots of running matches, and leave each in two halves for a while."""
    with cluster(SAFE) as running:
        async with _played(running.url) as players:
            for _ in range(MOVED):
                played = players.tables[-1].match_id
                await _move(running, key_slot(bucket_of(played)[1:-1].encode()))
                await players.until(MOVES_BETWEEN // 4)
        kept = await _judged(running.url, players, "moving slots", CLUSTER_S)
    return [*kept, Work("P7", "slots moved", MOVED, MOVED)]


async def _move(running: Cluster, slot: int) -> None:
    source = running.holder(slot)
    target = next(node for node in running.nodes if running.leads(node) and node is not source)
    await asyncio.to_thread(running.begin_move, slot, source, target)
    await asyncio.to_thread(running.carry, slot, source, target, 1)
    await asyncio.sleep(HALF_S)
    await asyncio.to_thread(running.carry, slot, source, target, 1_000)
    await asyncio.sleep(HALF_S)
    await asyncio.to_thread(running.end_move, slot, target)

"""P13: a server's memory is bounded, over thousands of matches and of watches that are given up."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from dragonhall.v1 import match_service_pb2 as pb
from tests.budget import cases
from tests.deploy.stack import SERVERS
from tests.faults.verdicts import Figure, Finding, Work
from tests.faults.world import World, world
from tests.service.driver import Table, dealt, metadata, play_on, request_id

AT_ONCE = 8
MOVES = 2
"""Of each match, before its seat 0 resigns."""
MATCHES = cases(ci=300, sweep=5_000)
WATCHES = cases(ci=600, sweep=6_000)
WARM = 0.4
"""The part of the work after which a server is taken to hold what it holds in the long run."""
MATCH_KB, WATCH_KB = 1.0, 0.5


def resident_kb(running: World) -> list[float]:
    """Return the memory of each server that is in use, in KiB."""
    return [_resident_kb(server.process.pid) for server in running.servers]


def most_grown_kb(running: World, before: Sequence[float]) -> float:
    """Return by how much the server that has grown most has, in KiB."""
    return max(now - then for then, now in zip(before, resident_kb(running), strict=True))


def _resident_kb(pid: int) -> float:
    (line,) = (
        line
        for line in Path(f"/proc/{pid}/status").read_text().splitlines()
        if line.startswith("VmRSS:")
    )
    return float(line.split()[1])


async def _match(stub: Any) -> Table:
    table = await dealt(stub)
    await play_on(stub, table, MOVES)
    resign = pb.ResignMatchRequest(match_id=table.match_id, request_id=request_id())
    await stub.ResignMatch(resign, metadata=table.seated(0))
    return table


def _watching(table: Table) -> Callable[[Any], Awaitable[None]]:
    async def watch(stub: Any) -> None:
        asked = pb.WatchMatchRequest(match_id=table.match_id)
        call = stub.WatchMatch(asked, metadata=metadata(""))
        assert (await call.read()).HasField("snapshot")
        call.cancel()

    return watch


async def _grown(
    running: World, stubs: Sequence[Any], work: Callable[[Any], Awaitable[Any]], times: int
) -> float:
    """Do some work many times; return by how many KiB for each the fullest server has grown."""
    warm = int(times * WARM)
    await _often(stubs, work, warm)
    before = resident_kb(running)
    await _often(stubs, work, times - warm)
    grown = most_grown_kb(running, before)
    print(f"   {max(before) / 1024:.1f} MiB, then up to {grown:.0f} KiB more", flush=True)
    return grown / (times - warm)


async def _often(stubs: Sequence[Any], work: Callable[[Any], Awaitable[Any]], times: int) -> None:
    async def slot(stub: Any, share: int) -> None:
        for _ in range(share):
            await work(stub)

    await asyncio.gather(*(slot(stub, times // len(stubs)) for stub in stubs))


async def scenario() -> list[Finding]:
    """Play, then watch."""
    async with world() as running, running.clients(AT_ONCE) as stubs:
        by_match = await _grown(running, stubs, _match, MATCHES)
        by_watch = await _grown(running, stubs, _watching(await dealt(stubs[0])), WATCHES)
    return [
        Figure("P13", "growth a match", by_match, "KiB", MATCH_KB),
        # A match is served by all servers, a watch by one.
        Figure("P13", "growth a cancelled watch", by_watch * SERVERS, "KiB", WATCH_KB),
        Work("P13", "matches", MATCHES, MATCHES),
        Work("P13", "watches given up", WATCHES, WATCHES),
    ]

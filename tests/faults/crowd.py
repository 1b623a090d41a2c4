"""P8 with 3,000 watches at once: everybody is told everything, in order."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

from dragonhall.v1 import match_service_pb2 as pb
from tests.budget import cases
from tests.contract.test_watch_cuts import moves
from tests.deploy.stack import connected
from tests.faults.verdicts import Figure, Finding, Work
from tests.faults.world import world
from tests.service.driver import Table, dealt

WATCHES = 3_000
"""More than gRPC lets wait at once by itself, however few servers are ready."""
MATCHES = 10
CHANNELS = 30
MOVES = cases(ci=5, sweep=20)


@dataclass
class Crowd:
    """Spectators, and what each was told: versions, the snapshot's first."""

    tables: Sequence[Table]
    last: int
    heard: list[list[int]] = field(default_factory=list)
    ready: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))

    async def watch(self, stub: Any, table: Table) -> None:
        """Watch up to the last version."""
        told: list[int] = []
        self.heard.append(told)
        call = stub.WatchMatch(pb.WatchMatchRequest(match_id=table.match_id))
        async for message in call:
            if message.HasField("snapshot"):
                told.append(message.snapshot.match.version)
                self.ready.release()
            elif message.HasField("event"):
                told.append(message.event.version)
            if told[-1] >= self.last:
                break
        call.cancel()

    @property
    def gaps(self) -> int:
        """How many were not told everything once and in order."""
        return sum(told != list(range(told[0], self.last + 1)) for told in self.heard)


async def scenario() -> list[Finding]:
    """Let a crowd watch ten matches."""
    async with world() as running, AsyncExitStack() as stack:
        mover, *stubs = [
            await stack.enter_async_context(connected(running.balancer.target))
            for _ in range(1 + CHANNELS)
        ]
        crowd = Crowd([await dealt(mover) for _ in range(MATCHES)], last=4 + MOVES)
        async with asyncio.TaskGroup() as tasks:  # a watch that fails ends the scenario
            for number in range(WATCHES):
                stub, table = stubs[number % CHANNELS], crowd.tables[number % MATCHES]
                tasks.create_task(crowd.watch(stub, table))
            for _ in range(WATCHES):
                await crowd.ready.acquire()
            for table in crowd.tables:
                tasks.create_task(moves(mover, table, MOVES))
    return [
        Figure("P8", "gaps in a crowd", crowd.gaps, most=0),
        Work("P8", "watches at once", len(crowd.heard), WATCHES),
        Work("P8", "deliveries to the crowd", sum(map(len, crowd.heard)), WATCHES * MOVES),
    ]

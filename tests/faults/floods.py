"""P12: one abuser does not harm the rest: moves at a fixed pace, beside each kind of flood."""

import asyncio
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import grpc

from tests.bench.dealing import SUBMIT, Call, planned
from tests.budget import cases
from tests.faults.flooding import KINDS
from tests.faults.verdicts import Figure, Finding, Work, percentile
from tests.faults.world import World, world

PACE = 60
"""Moves a second, of all matches together; each is due at its time, however late others are."""
MATCHES = 30
SECONDS = cases(ci=5, sweep=30)
"""Of each flood; of quiet in all, as long."""
TWICE = 2.0
LEAST = 100
"""What each abuser must have done."""


@contextmanager
def apart(running: World) -> Iterator[int]:
    """Yield a core for the abuser; the others are left to everybody else."""
    every = os.sched_getaffinity(0)
    theirs = min(every)
    ours = every - {theirs} or every
    pids = [server.process.pid for server in running.servers]
    pids += [running.store.process.pid, running.balancer.pid, os.getpid()]
    for pid in pids:
        _pin(pid, ours)
    try:
        yield theirs
    finally:
        _pin(os.getpid(), every)


def _pin(pid: int, cores: set[int]) -> None:
    for thread in Path(f"/proc/{pid}/task").iterdir():
        os.sched_setaffinity(int(thread.name), cores)


@dataclass
class Pace:
    """Moves that are due at fixed times.

    Attributes:
        waits: from when each was due to its answer, in seconds.
    """

    channel: grpc.aio.Channel
    numbers: Any = field(default_factory=count)
    failed: int = 0

    async def deal(self, seconds: float) -> list[list[Call]]:
        """Deal matches with moves for so long."""
        wanted = int(seconds * PACE / MATCHES) + 1
        return await asyncio.gather(*(self._calls(wanted) for _ in range(MATCHES)))

    async def keep(self, slots: list[list[Call]]) -> list[float]:
        """Make the moves, each match its own in order; return how long each took."""
        begun = time.perf_counter() + 0.1
        done = await asyncio.gather(
            *(self._slot(n, calls, begun + n / PACE) for n, calls in enumerate(slots))
        )
        return [wait for waits in done for wait in waits]

    async def _calls(self, wanted: int) -> list[Call]:
        calls: list[Call] = []
        while len(calls) < wanted:
            calls += (await planned(self.channel, next(self.numbers))).calls
        return calls[:wanted]

    async def _slot(self, address: int, calls: list[Call], begun: float) -> list[float]:
        send: Any = self.channel.unary_unary(SUBMIT)
        shown = ("x-forwarded-for", f"192.0.2.{address}")
        waits = []
        for number, call in enumerate(calls):
            due = begun + number * MATCHES / PACE
            await asyncio.sleep(due - time.perf_counter())
            try:
                await send(call.request, metadata=(*call.metadata, shown), timeout=5)
            except grpc.aio.AioRpcError as error:
                print(f"P12: {error.code().name} {error.details()}")
                self.failed += 1
                break
            waits.append(time.perf_counter() - due)
        return waits


async def _flooded(running: World, pace: Pace, kind: str, core: int) -> tuple[list[float], int]:
    slots = await pace.deal(SECONDS)  # in quiet: it takes some seconds
    given = (running.balancer.target, kind, str(SECONDS + 1), str(core))
    abuser = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.faults.flooding", *given, stdout=asyncio.subprocess.PIPE
    )
    waits = await pace.keep(slots)
    assert abuser.stdout is not None
    done = int(await abuser.stdout.read())
    assert await abuser.wait() == 0
    return waits, done


async def scenario() -> list[Finding]:
    """Measure in quiet, then beside each flood."""
    findings: list[Finding] = []
    async with (
        world(slow_down=True, QUOTAS="on", TRUSTED_PROXIES="127.0.0.1") as running,
        grpc.aio.insecure_channel(running.balancer.target) as channel,
    ):
        pace, quiet = Pace(channel), []
        with apart(running) as core:
            await pace.keep(await pace.deal(1))  # warm
            for kind in KINDS:
                quiet += await pace.keep(await pace.deal(SECONDS / len(KINDS) + 1))
                waits, done = await _flooded(running, pace, kind, core)
                p99 = percentile(waits, 99)
                print(f"   {kind}: {done:,} done, p99 {p99 * 1e3:.1f} ms", flush=True)
                findings += [
                    Figure("P12", f"beside {kind}", p99, "s"),
                    Work("P12", f"abuses, {kind}", done, LEAST),
                ]
        alive = sum(server.process.poll() is None for server in running.servers)
    calm = percentile(quiet, 99)
    worst = max(f.value for f in findings if isinstance(f, Figure)) / calm
    return [
        Figure("P12", "p99 of the others, to that in quiet", worst, "×", TWICE),
        Figure("P12", "p99 in quiet", calm, "s"),
        Figure("P12", "failed calls of the others", pace.failed, most=0),
        Figure("P12", "servers that died", len(running.servers) - alive, most=0),
        *findings,
    ]

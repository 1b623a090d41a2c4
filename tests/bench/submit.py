"""SubmitMove on a real server and store, beside a bare echo: rate, processor time, latency."""

import asyncio
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import count
from statistics import median
from typing import Any

import grpc
from redis.asyncio import Redis

from tests.bench import echo, processes
from tests.bench.dealing import SUBMIT, Call, planned
from tests.bench.figures import Bound, Report, Row, Samples, ratio

HOW = (
    "Random legal moves of Dragonheart through SubmitMove, each slot in flight playing public "
    "matches of its own, and 1 KB through a bare grpc.aio echo server, in turns in every "
    "repetition, from one client process that sends and gets bytes. CPU is the server process's "
    "own. Client, servers and store share the machine."
)
RATE = Bound(0.39, at_least=True)
CPU = Bound(2.8, at_least=False)
FSYNC = ("always", "everysec")
SYNC = "fdatasync of the disk, median"
_UNITS = {"rate": "/s", "CPU per call": "µs", "p50": "ms", "p99": "ms"}


@dataclass(frozen=True)
class Amount:
    """How much to do in one repetition.

    Attributes:
        calls: in each setting, in all.
        in_flight: how many at once, of each setting.
    """

    calls: int
    in_flight: Sequence[int] = (1, 16)


async def load(server: processes.Running, method: str, slots: Sequence[Sequence[Call]]) -> Any:
    """Make every slot's calls one after the other, all slots at once; return the figures."""
    async with grpc.aio.insecure_channel(server.target) as channel:
        await channel.channel_ready()
        send: Any = channel.unary_unary(method)
        took: list[float] = []

        async def run(calls: Sequence[Call]) -> None:
            for call in calls:
                begun = time.perf_counter()
                await send(call.request, metadata=call.metadata)
                took.append(time.perf_counter() - begun)

        cpu, begun = server.cpu_seconds(), time.perf_counter()
        await asyncio.gather(*(run(calls) for calls in slots))
        spent, cpu = time.perf_counter() - begun, server.cpu_seconds() - cpu
    took.sort()
    return {
        "rate": len(took) / spent,
        "CPU per call": cpu / len(took) * 1e6,
        "p50": took[len(took) // 2] * 1e3,
        "p99": took[len(took) * 99 // 100] * 1e3,
    }


async def moves(server: processes.Running, slots: int, calls: int, numbers: Any) -> Any:
    """Deal fresh matches and plan `calls` moves for `slots` slots."""
    async with grpc.aio.insecure_channel(server.target) as channel:
        return await asyncio.gather(
            *(_moves(channel, calls // slots, numbers) for _ in range(slots))
        )


async def _moves(channel: grpc.aio.Channel, wanted: int, numbers: Any) -> list[Call]:
    calls: list[Call] = []
    while len(calls) < wanted:
        calls += (await planned(channel, next(numbers))).calls
    return calls[:wanted]


def sync_ms() -> float:
    """Return how long the disk takes to keep a record of 1 KB, which `always` waits for."""
    took = []
    with tempfile.TemporaryFile() as file:
        for _ in range(21):
            file.write(echo.PAYLOAD)
            file.flush()
            begun = time.perf_counter()
            os.fdatasync(file.fileno())
            took.append((time.perf_counter() - begun) * 1e3)
    return median(took)


class Bench:
    """One store, one server, one echo."""

    def __init__(self, store: str, admin: "Redis", server: Any, peer: Any, amount: Amount) -> None:
        self._store, self._admin = store, admin
        self._server, self._peer = server, peer
        self._amount = amount
        self._numbers = count()
        self.samples = Samples()

    async def repeat(self) -> None:
        """Measure the service in every setting, and the echo right after each."""
        self.samples.add(f"{SYNC}, {self._store}", "ms", sync_ms())
        for fsync in FSYNC:
            await self._admin.config_set("appendfsync", fsync)
            for slots in self._amount.in_flight:
                where = f"{self._store} {fsync}, {slots} in flight"
                plans = await moves(self._server, slots, self._amount.calls, self._numbers)
                self._add(f"SubmitMove, {where}", await load(self._server, SUBMIT, plans))
                same = [[Call(echo.PAYLOAD)] * len(plan) for plan in plans]
                self._add(f"echo beside {where}", await load(self._peer, echo.METHOD, same))

    def _add(self, what: str, figures: dict[str, float]) -> None:
        for name, value in figures.items():
            self.samples.add(f"{what}: {name}", _UNITS[name], value)

    def rows(self) -> list[Row]:
        compared = []
        for fsync in FSYNC:
            for slots in self._amount.in_flight:
                where = f"{self._store} {fsync}, {slots} in flight"
                compared += [
                    self._ratio(where, "rate", RATE),
                    self._ratio(where, "CPU per call", CPU),
                ]
        return [*self.samples.rows(), *compared]

    def _ratio(self, where: str, name: str, bound: Bound) -> Row:
        ours = self.samples.row(f"SubmitMove, {where}: {name}", _UNITS[name])
        theirs = self.samples.row(f"echo beside {where}: {name}", _UNITS[name])
        return ratio(f"SubmitMove ÷ echo, {where}: {name}", ours, theirs, bound)


async def measure(repetitions: int, amount: Amount, stores: Mapping[str, str]) -> Report:
    """Measure on every store, given as programs by name."""
    rows: list[Row] = []
    for name, binary in stores.items():
        async with AsyncExitStack() as stack:
            url = stack.enter_context(processes.store(binary))
            admin = Redis.from_url(url)
            stack.push_async_callback(admin.aclose)
            server = stack.enter_context(processes.service(url))
            peer = stack.enter_context(processes.echo())
            bench = Bench(name, admin, server, peer, amount)
            for _ in range(repetitions):
                await bench.repeat()
            rows += bench.rows()
    return Report("submit", HOW, repetitions, rows)

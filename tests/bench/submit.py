"""SubmitMove on a real server and store, beside a bare echo: rate, processor time, latency."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import count
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
IN_FLIGHT = (1, 16)
_UNITS = {"rate": "/s", "CPU per call": "µs", "p50": "ms", "p99": "ms"}


@dataclass(frozen=True)
class Amount:
    """How much to do in one repetition: calls in all, whatever is in flight."""

    calls: int


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


class Bench:
    """One store, one server, one echo."""

    def __init__(self, store: str, admin: "Redis", server: Any, peer: Any, amount: Amount) -> None:
        self._store, self._admin = store, admin
        self._server, self._peer = server, peer
        self._calls = amount.calls
        self._numbers = count()
        self.samples = Samples()

    async def repeat(self) -> None:
        """Measure the service in every setting, and the echo right after each."""
        for fsync in FSYNC:
            await self._admin.config_set("appendfsync", fsync)
            for slots in IN_FLIGHT:
                where = f"{self._store} {fsync}, {slots} in flight"
                plans = await moves(self._server, slots, self._calls, self._numbers)
                self._add(f"SubmitMove, {where}", await load(self._server, SUBMIT, plans))
                same = [[Call(echo.PAYLOAD)] * len(plan) for plan in plans]
                self._add(f"echo beside {where}", await load(self._peer, echo.METHOD, same))

    def _add(self, what: str, figures: dict[str, float]) -> None:
        for name, value in figures.items():
            self.samples.add(f"{what}: {name}", _UNITS[name], value)

    def rows(self) -> list[Row]:
        compared = []
        for fsync in FSYNC:
            for slots in IN_FLIGHT:
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


async def measure(repetitions: int, calls: int, stores: dict[str, str] | None = None) -> Report:
    """Measure on every store of this machine.

    Args:
        calls: in each repetition and setting.
        stores: programs by name.
    """
    rows: list[Row] = []
    for name, binary in (stores or processes.stores()).items():
        async with AsyncExitStack() as stack:
            url = stack.enter_context(processes.store(binary))
            admin = Redis.from_url(url)
            stack.push_async_callback(admin.aclose)
            server = stack.enter_context(processes.service(url))
            peer = stack.enter_context(processes.echo())
            bench = Bench(name, admin, server, peer, Amount(calls))
            for _ in range(repetitions):
                await bench.repeat()
            rows += bench.rows()
    return Report("submit", HOW, repetitions, rows)

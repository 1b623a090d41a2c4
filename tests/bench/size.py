"""What an operator has to provide: processor a call and an event, memory a watcher and a match."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import grpc

from dragonhall.v1 import match_service_pb2 as pb
from dragonhall_engine.core.game import Setup
from dragonhall_service.store.connection import connect
from dragonhall_service.store.keys import keys_of
from tests.bench import processes
from tests.bench.dealing import DRAGONHEART, SUBMIT, WATCH, Call, Planned, planned
from tests.bench.figures import Report, Samples

HOW = (
    "One server with its embedded store, both fresh in every repetition. Processor time is the "
    "server process's own, of 16 calls in flight; memory is what it holds resident, and for a "
    "match what the store says of its three keys (MEMORY USAGE). The append-only file is what it "
    "grows by before it is rewritten. Moves are random."
)
SERVICE = "/dragonhall.v1.MatchService/"
KEEPERS = "dragonkeepers", Setup("published", 4, 0)
IN_FLIGHT = 16


@dataclass(frozen=True)
class Amount:
    """How much is done in a repetition: calls of a kind, watchers of a match, matches of a game."""

    calls: int = 800
    watchers: int = 1_000
    matches: int = 5


@dataclass
class Place:
    """The processes of a repetition and what is measured of them."""

    server: processes.Running
    channel: grpc.aio.Channel
    raw: Any
    appended: Callable[[], int]
    samples: Samples
    numbers: Any


async def _each(send: Any, calls: Sequence[Call]) -> None:
    """Make calls, so many at once."""
    waiting = iter(calls)

    async def work() -> None:
        for call in waiting:
            await send(call.request, metadata=call.metadata)

    await asyncio.gather(*(work() for _ in range(IN_FLIGHT)))


async def _calls(place: Place, amount: Amount) -> None:
    plans = [await planned(place.channel, next(place.numbers)) for _ in range(IN_FLIGHT)]
    seat = plans[0].calls[0].metadata
    listing = pb.ListLegalMovesRequest(match_id=plans[0].match_id).SerializeToString()
    reading = pb.GetMatchRequest(match_id=plans[0].match_id).SerializeToString()
    for name, request in (("GetMatch", reading), ("ListLegalMoves", listing)):
        await _timed(place, name, [Call(request, seat)] * amount.calls)
    send: Any = place.channel.unary_unary(SUBMIT)

    async def play(plan: Planned, moves: int) -> None:
        for call in plan.calls[:moves]:
            await send(call.request, metadata=call.metadata)

    moves = max(1, min(amount.calls // IN_FLIGHT, *(len(plan.calls) for plan in plans)))
    begun = place.server.cpu_seconds()
    await asyncio.gather(*(play(plan, moves) for plan in plans))
    used = (place.server.cpu_seconds() - begun) / (moves * IN_FLIGHT)
    place.samples.add("SubmitMove: processor a call", "µs", used * 1e6)


async def _timed(place: Place, name: str, calls: Sequence[Call]) -> None:
    send: Any = place.channel.unary_unary(SERVICE + name)
    begun = place.server.cpu_seconds()
    await _each(send, calls)
    used = (place.server.cpu_seconds() - begun) / len(calls)
    place.samples.add(f"{name}: processor a call", "µs", used * 1e6)


async def _watchers(place: Place, amount: Amount) -> None:
    plan = await planned(place.channel, next(place.numbers))
    asked = pb.WatchMatchRequest(match_id=plan.match_id).SerializeToString()
    watch: Any = place.channel.unary_stream(WATCH)
    before = place.server.memory_bytes()
    streams = [watch(asked) for _ in range(amount.watchers)]
    for stream in streams:
        await stream.read()
    held = (place.server.memory_bytes() - before) / amount.watchers
    place.samples.add("memory a watcher", "KiB", held / 1024)
    send: Any = place.channel.unary_unary(SUBMIT)
    begun = place.server.cpu_seconds()
    moves = plan.calls[:10]
    for call in moves:
        await send(call.request, metadata=call.metadata)
        for stream in streams:
            await stream.read()
    used = (place.server.cpu_seconds() - begun) / (len(moves) * amount.watchers)
    place.samples.add("news: processor an event and watcher", "µs", used * 1e6)
    for stream in streams:
        stream.cancel()


async def _matches(place: Place, amount: Amount, name: str, what: tuple[str, Setup]) -> None:
    plans = [await planned(place.channel, next(place.numbers), what) for _ in range(amount.matches)]
    await _weigh(place, plans, f"{name}: dealt")
    appended = place.appended()
    for part in ("half played", "over"):
        for plan in plans:
            half = len(plan.calls) // 2
            await _play(place, plan.calls[:half] if part == "half played" else plan.calls[half:])
        await _weigh(place, plans, f"{name}: {part}")
    moves = sum(len(plan.calls) for plan in plans)
    place.samples.add(f"{name}: moves", "a match", moves / amount.matches)
    grown = (place.appended() - appended) / moves
    place.samples.add(f"{name}: append-only file a move", "bytes", grown)


async def _play(place: Place, calls: Sequence[Call]) -> None:
    send: Any = place.channel.unary_unary(SUBMIT)
    for call in calls:
        await send(call.request, metadata=call.metadata)


async def _weigh(place: Place, plans: Sequence[Planned], name: str) -> None:
    total = 0
    for plan in plans:
        keys = keys_of(plan.match_id)
        for key in (keys.match, keys.log, keys.requests):
            total += int(await place.raw.memory_usage(key, samples=0))
    place.samples.add(f"{name}: memory of the store a match", "bytes", total / len(plans))


@asynccontextmanager
async def _place(samples: Samples, numbers: Any) -> AsyncIterator[Place]:
    with (
        processes.store(processes.stores()["embedded"]) as url,
        processes.service(url) as server,
    ):
        folder = Path(url.removeprefix("unix://")).parent / "appendonlydir"

        def appended() -> int:
            return sum(file.stat().st_size for file in folder.iterdir())

        async with (
            connect(url, retries=0, connections=2) as raw,
            grpc.aio.insecure_channel(server.target) as channel,
        ):
            yield Place(server, channel, raw, appended, samples, numbers)


async def measure(repetitions: int, amount: Amount = Amount()) -> Report:
    """Measure everything once a repetition, one thing after the other."""
    samples, numbers = Samples(), count()
    for _ in range(repetitions):
        async with _place(samples, numbers) as place:
            samples.add("memory of a new server", "MiB", place.server.memory_bytes() / 2**20)
            await _calls(place, amount)
            await _watchers(place, amount)
            await _matches(place, amount, "dragonheart", DRAGONHEART)
            await _matches(place, amount, "dragonkeepers, 4 seats", KEEPERS)
            samples.add("memory after all that", "MiB", place.server.memory_bytes() / 2**20)
    return Report("size", HOW, repetitions, samples.rows())

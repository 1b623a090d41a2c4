"""How soon watchers are told: from sending a move, and from its answer, to each watcher."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import count, cycle
from typing import Any

import grpc

from dragonhall.v1 import match_service_pb2 as pb
from tests.bench import processes
from tests.bench.dealing import SUBMIT, WATCH, Planned, planned
from tests.bench.figures import Report, Row, Samples

HOW = (
    "Spectators of 10 public matches of Dragonheart on one server with its embedded store, "
    "`appendfsync always`, all in one client process with the players. Paced: one move at a time "
    "in all matches together, at the given pace, from sending it (or from its answer; negative: "
    "told before the mover) to its receipt by each watcher. Flat out: every match moves as soon "
    "as its last move is answered, until all watchers have everything."
)
MATCHES = 10
_UNITS = {"events": "/s"}


@dataclass
class Stage:
    """The matches of one repetition and those who watch them.

    Attributes:
        heard: when each watcher got each version, by (match, version).
    """

    plans: Sequence[Planned]
    heard: dict[tuple[str, int], list[float]] = field(default_factory=dict)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def hear(self, match_id: str, version: int) -> None:
        self.heard.setdefault((match_id, version), []).append(time.perf_counter())
        self._news.set()

    async def until(self, deliveries: int) -> None:
        """Wait until so many events have been delivered in all."""
        while sum(map(len, self.heard.values())) < deliveries:
            self._news.clear()
            await self._news.wait()


async def _listen(send: Any, stage: Stage, match_id: str, ready: asyncio.Semaphore) -> None:
    request = pb.WatchMatchRequest(match_id=match_id).SerializeToString()
    async for message in send(request):
        told = pb.WatchMatchResponse.FromString(message)
        if told.HasField("event"):
            stage.hear(match_id, told.event.version)
        elif told.HasField("snapshot"):
            ready.release()


@dataclass(frozen=True)
class Move:
    """A move that was made: when it was sent and when it was answered."""

    key: tuple[str, int]
    sent: float
    answered: float


async def _make(send: Any, plan: Planned, number: int) -> Move:
    call, sent = plan.calls[number], time.perf_counter()
    await send(call.request, metadata=call.metadata)
    return Move((plan.match_id, plan.version + 1 + number), sent, time.perf_counter())


async def _paced(send: Any, stage: Stage, moves: int, pace: float) -> list[Move]:
    """Make moves in all matches in turn, so many a second; a late one does not delay the next."""
    made, begun = [], time.perf_counter()
    for number in range(moves):
        await asyncio.sleep(begun + number / pace - time.perf_counter())
        plan = stage.plans[number % MATCHES]
        made.append(asyncio.create_task(_make(send, plan, number // MATCHES)))
    return await asyncio.gather(*made)


async def _flat_out(send: Any, stage: Stage, first: int, moves: int) -> None:
    async def play(plan: Planned) -> None:
        for number in range(first, first + moves // MATCHES):
            await _make(send, plan, number)

    await asyncio.gather(*map(play, stage.plans))


def _delays(made: Sequence[Move], stage: Stage) -> dict[str, float]:
    from_send = sorted(at - m.sent for m in made for at in stage.heard[m.key])
    from_answer = sorted(at - m.answered for m in made for at in stage.heard[m.key])
    return {
        f"{name} {mark}": delays[len(delays) * percent // 100] * 1e3
        for name, delays in (("from sending", from_send), ("from the answer", from_answer))
        for mark, percent in (("p50", 50), ("p99", 99))
    }


async def _figures(target: str, watchers: int, moves: int, pace: float, numbers: Any) -> Any:
    async with AsyncExitStack() as stack:
        # Streams share connections as they would behind a balancer; the mover has its own.
        channels = [
            await stack.enter_async_context(_channel(target, n)) for n in range(1 + MATCHES)
        ]
        mover, *ears = channels
        plans = await asyncio.gather(*(planned(mover, next(numbers)) for _ in range(MATCHES)))
        stage, ready = Stage(plans), asyncio.Semaphore(0)
        sends: list[Any] = [ear.unary_stream(WATCH) for ear in ears]
        async with asyncio.TaskGroup() as group:  # a watch that fails ends the bench
            listening = [
                group.create_task(_listen(sends[n % MATCHES], stage, plan.match_id, ready))
                for n, plan in zip(range(watchers), cycle(plans), strict=False)
            ]
            for _ in listening:
                await ready.acquire()
            send: Any = mover.unary_unary(SUBMIT)
            figures = await _play(send, stage, watchers // MATCHES, moves, pace)
            for task in listening:
                task.cancel()
    return figures


async def _play(send: Any, stage: Stage, each: int, moves: int, pace: float) -> dict[str, float]:
    made = await _paced(send, stage, moves, pace)
    await stage.until(moves * each)
    figures = _delays(made, stage)
    begun = time.perf_counter()
    await _flat_out(send, stage, moves // MATCHES, moves)
    await stage.until(2 * moves * each)
    figures["events"] = moves * each / (time.perf_counter() - begun)
    return figures


def _channel(target: str, number: int) -> grpc.aio.Channel:
    # Channels of equal options share one connection: a number of its own tells them apart.
    return grpc.aio.insecure_channel(target, [("dragonhall.bench.number", number)])


async def measure(
    repetitions: int, watchers: Sequence[int] = (100, 1_000), moves: int = 100, pace: float = 10
) -> Report:
    """Measure in turn for every number of watchers.

    Args:
        watchers: how many in all, multiples of `MATCHES`.
        moves: in each half of a repetition, a multiple of `MATCHES`; a match has over 20.
        pace: moves a second, of all matches together.
    """
    samples, numbers = Samples(), count()
    with (
        processes.store(processes.stores()["embedded"]) as url,
        processes.service(url) as server,
    ):
        for _ in range(repetitions):
            for many in watchers:
                found = await _figures(server.target, many, moves, pace, numbers)
                for name, value in found.items():
                    where = "flat out" if name in _UNITS else f"paced {pace:g}/s"
                    what = f"{many:,} watchers, {where}: {name}"
                    samples.add(what, _UNITS.get(name, "ms"), value)
    rows: list[Row] = samples.rows()
    return Report("watch", HOW, repetitions, rows)

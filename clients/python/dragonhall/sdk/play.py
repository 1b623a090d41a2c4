"""A bot's stream that outlives its servers: turns in, answers out."""

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from hashlib import sha256
from typing import Any

import grpc

from dragonhall.sdk.errors import DragonhallError, Draining
from dragonhall.sdk.retry import Failures, Retry
from dragonhall.sdk.status import error_of
from dragonhall.v1 import bot_service_pb2 as pb
from dragonhall.v1 import match_pb2

Choose = Callable[[pb.PlayTurn], int]
"""Returns the place of a move in the turn's list. It runs on a thread, several at once.

What the turn waited for a thread has passed by its match's clock: `as_of` is the time of the call.
"""
Tell = Callable[[pb.PlayResponse], Awaitable[None] | None]
"""Is told of moves that were accepted or refused and of matches that ended, one after the other.

Until it has returned, and what it returns has ended, nothing further is read.
"""


async def play(
    stream: Callable[[], Any], retry: Retry, choose: Choose, tell: Tell, capacity: int
) -> None:
    """Answer turns until a newer stream of the bot takes over.

    Args:
        stream: opens the server's stream.
        retry: the policy; each welcome restores its budget.

    Raises:
        DragonhallError: the server refused the bot, or was silent for the whole budget.
        Exception: what `choose` or `tell` raised.
    """
    failures, thoughts = Failures(retry), _Thoughts(choose)
    try:
        while True:
            try:
                if await _Stream(stream(), thoughts, tell, failures).run(capacity):
                    return
                error: DragonhallError = _ended()
            except grpc.aio.AioRpcError as failure:
                error = error_of(failure)
            await failures.add(error)
    finally:
        thoughts.forget_all()


_MOST_THOUGHTS = 10_000


def pass_time(match: match_pb2.Match, seconds: float) -> None:
    """Let time pass by the clock of a match as it was read."""
    if match.HasField("clock"):
        as_of = match.clock.as_of
        as_of.FromNanoseconds(as_of.ToNanoseconds() + int(seconds * 1e9))


def _asked(turn: pb.PlayTurn) -> tuple[int, bytes]:
    """Return what a turn asks; the clock, which differs each time, is no part of it."""
    asked = pb.PlayTurn(view=turn.view, moves=turn.moves)
    return turn.match.version, sha256(asked.SerializeToString(deterministic=True)).digest()


class _Thoughts:
    """What is chosen for the open turns, over all streams.

    A turn that comes again, as after a reconnect, is not thought about twice and is answered in the
    same way: another answer would be refused. A version that comes again as another turn, as after
    the store went back in time, is a new one.
    """

    def __init__(self, choose: Choose) -> None:
        self._choose = choose
        self._open: dict[str, tuple[tuple[int, bytes], asyncio.Future[int]]] = {}

    async def index(self, turn: pb.PlayTurn) -> int:
        match_id, asked = turn.match.match_id, _asked(turn)
        known, thought = self._open.get(match_id, (None, None))
        if thought is None or known != asked:
            thinking = asyncio.to_thread(self._choose_now, turn, time.monotonic())
            thought = asyncio.ensure_future(thinking)
            self._open.pop(match_id, None)
            self._open[match_id] = asked, thought
            self._make_room()
        return await asyncio.shield(thought)

    def _choose_now(self, turn: pb.PlayTurn, arrived_s: float) -> int:
        pass_time(turn.match, time.monotonic() - arrived_s)
        return self._choose(turn)

    def forget(self, match_id: str) -> None:
        """Forget a match that has ended."""
        _, thought = self._open.pop(match_id, (None, None))
        if thought is not None:
            thought.cancel()

    def _make_room(self) -> None:
        """Forget the oldest; that a match has ended may be missed."""
        while len(self._open) > _MOST_THOUGHTS:
            self.forget(next(iter(self._open)))

    def forget_all(self) -> None:
        for match_id in tuple(self._open):
            self.forget(match_id)


class _Stream:
    """One connection; it ends with all that it began."""

    def __init__(self, call: Any, thoughts: _Thoughts, tell: Tell, failures: Failures) -> None:
        self._call = call
        self._thoughts = thoughts
        self._tell = tell
        self._failures = failures
        self._writing = asyncio.Lock()

    async def run(self, capacity: int) -> bool:
        """Return whether a newer stream took over."""
        answers: set[asyncio.Task[None]] = set()
        try:
            await self._send(pb.PlayRequest(hello=pb.PlayHello(capacity=capacity)))
            async with asyncio.TaskGroup() as answering:
                superseded = await self._read(answering, answers)
                for answer in answers:
                    answer.cancel()
            return superseded
        except BaseExceptionGroup as group:
            raise _first(group) from None
        finally:
            self._call.cancel()

    async def _read(self, answering: asyncio.TaskGroup, answers: "set[asyncio.Task[None]]") -> bool:
        while (response := await self._call.read()) is not grpc.aio.EOF:
            match response.WhichOneof("body"):
                case "welcome":
                    self._failures.clear()
                case "turn":
                    answer = answering.create_task(self._answer(response.turn))
                    answers.add(answer)
                    answer.add_done_callback(answers.discard)
                case "ping":
                    await self._send(pb.PlayRequest(pong=pb.PlayPong()))
                case "superseded":
                    return True
                case "ended":
                    self._thoughts.forget(response.ended.match.match_id)
                    await self._told(response)
                case "accepted" | "refused":
                    await self._told(response)
        await self._call.code()
        return False

    async def _told(self, response: pb.PlayResponse) -> None:
        telling = self._tell(response)
        if inspect.isawaitable(telling):
            await telling

    async def _answer(self, turn: pb.PlayTurn) -> None:
        match_id, version = turn.match.match_id, turn.match.version
        index = await self._thoughts.index(turn)
        move = pb.PlayMove(match_id=match_id, version=version, index=index)
        await self._send(pb.PlayRequest(move=move))

    async def _send(self, request: pb.PlayRequest) -> None:
        """Send, unless the stream has ended; why it has, the reader finds out."""
        async with self._writing:
            with suppress(asyncio.InvalidStateError, grpc.aio.AioRpcError):
                await self._call.write(request)


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return one error of a group: the bot's own rather than the stream's, which may follow."""
    flat: list[BaseException] = []
    pending = list(group.exceptions)
    while pending:
        error = pending.pop(0)
        if isinstance(error, BaseExceptionGroup):
            pending += error.exceptions
        else:
            flat.append(error)
    return min(flat, key=lambda error: isinstance(error, grpc.aio.AioRpcError))


def _ended() -> Draining:
    message = "the server ended the stream"
    return Draining("DRAINING", grpc.StatusCode.UNAVAILABLE, message, {}, None)

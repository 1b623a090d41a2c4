"""A bot's stream that outlives its servers: turns in, answers out."""

import asyncio
from collections.abc import Callable
from typing import Any

import grpc

from dragonhall.sdk.errors import DragonhallError, Draining
from dragonhall.sdk.retry import Failures, Retry
from dragonhall.sdk.status import error_of
from dragonhall.v1 import bot_service_pb2 as pb

Choose = Callable[[pb.PlayTurn], int]
"""Returns the place of a move in the turn's list. It runs on a thread, several at once."""
Tell = Callable[[pb.PlayResponse], None]
"""Is told of moves that were accepted or refused and of matches that ended."""


async def play(
    stream: Callable[[], Any], retry: Retry, choose: Choose, tell: Tell, capacity: int
) -> None:
    """Answer turns until a newer stream of the bot takes over.

    Args:
        stream: opens the server's stream.
        retry: the policy; each turn restores its budget.

    Raises:
        DragonhallError: the server refused the bot, or was silent for the whole budget.
        Exception: what `choose` or `tell` raised.
    """
    failures = Failures(retry)
    while True:
        try:
            if await _Stream(stream(), choose, tell, failures).run(capacity):
                return
            error: DragonhallError = _ended()
        except grpc.aio.AioRpcError as failure:
            error = error_of(failure)
        await failures.add(error)


class _Stream:
    """One connection; it ends with all that it began."""

    def __init__(self, call: Any, choose: Choose, tell: Tell, failures: Failures) -> None:
        self._call = call
        self._choose = choose
        self._tell = tell
        self._failures = failures
        self._writing = asyncio.Lock()

    async def run(self, capacity: int) -> bool:
        """Return whether a newer stream took over."""
        try:
            await self._send(pb.PlayRequest(hello=pb.PlayHello(capacity=capacity)))
            async with asyncio.TaskGroup() as thinking:
                while (response := await self._call.read()) is not grpc.aio.EOF:
                    match response.WhichOneof("body"):
                        case "turn":
                            self._failures.clear()
                            thinking.create_task(self._answer(response.turn))
                        case "ping":
                            await self._send(pb.PlayRequest(pong=pb.PlayPong()))
                        case "superseded":
                            return True
                        case "accepted" | "refused" | "ended":
                            self._tell(response)
            await self._call.code()
            return False
        except* grpc.aio.AioRpcError as group:
            failure: BaseException = group
            while isinstance(failure, BaseExceptionGroup):
                failure = failure.exceptions[0]
            raise failure from None
        finally:
            self._call.cancel()

    async def _answer(self, turn: pb.PlayTurn) -> None:
        index = await asyncio.to_thread(self._choose, turn)
        move = pb.PlayMove(match_id=turn.match.match_id, version=turn.match.version, index=index)
        await self._send(pb.PlayRequest(move=move))

    async def _send(self, request: pb.PlayRequest) -> None:
        async with self._writing:
            await self._call.write(request)


def _ended() -> Draining:
    message = "the server ended the stream"
    return Draining("DRAINING", grpc.StatusCode.UNAVAILABLE, message, {}, None)

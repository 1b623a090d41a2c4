"""Stands between a bot and a server: passes everything on, listens, and does harm when told."""

import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import grpc

from dragonhall.cli.mistakes import Mistake
from dragonhall.v1 import bot_service_pb2 as pb

_PLAY = "/dragonhall.v1.BotService/Play"
_PASSED_ON = frozenset({"authorization", "grpc-status-details-bin", "grpc-retry-pushback-ms"})
UNKNOWN = b"\xa2\x3e\x05later"
"""Field 996 of a newer server: a PlayResponse whose body this release does not know."""
Turn = tuple[str, int]
"""A match and a version."""


@dataclass
class Harm:
    """What is done to a bot's streams.

    Attributes:
        repeat: each turn is sent twice.
        forced: each turn comes with the first of its moves alone.
        unknown: a message that nobody knows comes before each turn.
        cuts: so many streams are cut right after a turn.
        away: every stream is cut and every call refused.
    """

    repeat: bool = False
    forced: bool = False
    unknown: bool = False
    cuts: int = 0
    away: bool = False


@dataclass
class Seen:
    """What went over the wire in one situation."""

    turns: dict[Turn, pb.PlayTurn] = field(default_factory=dict)
    answers: dict[Turn, list[bytes]] = field(default_factory=lambda: defaultdict(list))
    refused: list[pb.PlayRefused] = field(default_factory=list)
    streams: int = 0
    longest_silence_s: float = 0.0


class Wire(grpc.GenericRpcHandler):
    """One proxy; `harm` is done now, `seen` is filled now."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._channel = channel
        self.harm = Harm()
        self.seen = Seen()
        self._open: set[_Stream] = set()

    def silence_s(self) -> float:
        """Return for how long a ping has been without an answer; 0: none is."""
        return max((stream.silence_s() for stream in self._open), default=0.0)

    def service(self, details: grpc.HandlerCallDetails) -> Any:
        """Handle every method; over HTTP/2 a single message is a stream of one."""
        handler = self._play if details.method == _PLAY else partial(self._pass, details.method)
        return grpc.stream_stream_rpc_method_handler(handler)

    async def _pass(self, method: str, requests: Any, context: Any) -> AsyncIterator[bytes]:
        if self.harm.away:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "check: the server is away")
        call: Any = self._channel.stream_stream(method)(requests, metadata=_metadata(context))
        try:
            async for data in call:
                yield data
        except grpc.aio.AioRpcError as failed:
            await _fail(context, failed)

    async def _play(self, requests: Any, context: Any) -> AsyncIterator[bytes]:
        if self.harm.away:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "check: the server is away")
        self.seen.streams += 1
        stream = _Stream(self)
        self._open.add(stream)
        call: Any = self._channel.stream_stream(_PLAY)
        upstream = call(stream.heard(requests), metadata=_metadata(context))
        try:
            async for data in upstream:
                for told in stream.told(data):
                    yield told
                if stream.cut or self.harm.away:
                    await context.abort(grpc.StatusCode.UNAVAILABLE, "check: the stream is cut")
        except grpc.aio.AioRpcError as failed:
            await _fail(context, failed)
        finally:
            self._open.discard(stream)
            upstream.cancel()


class _Stream:
    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._asked_s: float | None = None
        self.cut = False

    def silence_s(self) -> float:
        return 0.0 if self._asked_s is None else time.monotonic() - self._asked_s

    async def heard(self, requests: Any) -> AsyncIterator[bytes]:
        async for data in requests:
            seen = self._wire.seen
            seen.longest_silence_s = max(seen.longest_silence_s, self.silence_s())
            self._asked_s = None
            move = pb.PlayRequest.FromString(data).move
            if move.match_id:
                seen.answers[move.match_id, move.version].append(move.SerializeToString())
            yield data

    def told(self, data: bytes) -> Iterator[bytes]:
        response, harm, seen = pb.PlayResponse.FromString(data), self._wire.harm, self._wire.seen
        kind = response.WhichOneof("body")
        if kind == "ping" and self._asked_s is None:
            self._asked_s = time.monotonic()
        if kind == "refused":
            seen.refused.append(response.refused)
        if kind == "turn":
            turn = response.turn
            seen.turns[turn.match.match_id, turn.match.version] = turn
            if harm.unknown:
                yield UNKNOWN
            if harm.forced:
                del turn.moves[1:]
                data = response.SerializeToString()
            if harm.repeat:
                yield data
            if harm.cuts:
                harm.cuts -= 1
                self.cut = True
        yield data


def _metadata(context: Any) -> tuple[tuple[str, Any], ...]:
    return tuple((k, v) for k, v in context.invocation_metadata() or () if k in _PASSED_ON)


async def _fail(context: Any, failed: grpc.aio.AioRpcError) -> None:
    trailers = tuple((k, v) for k, v in failed.trailing_metadata() or () if k in _PASSED_ON)
    await context.abort(failed.code(), failed.details() or "", trailers)


@asynccontextmanager
async def wired(listen: str, upstream: str) -> AsyncIterator[tuple[Wire, str]]:
    """Serve on `listen` what is served at `upstream`; yield the wire and its address.

    Raises:
        Mistake: the address cannot be listened on.
    """
    async with grpc.aio.insecure_channel(upstream) as channel:
        wire, server = Wire(channel), grpc.aio.server(options=(("grpc.so_reuseport", 0),))
        server.add_generic_rpc_handlers((wire,))
        try:
            port = server.add_insecure_port(listen)
        except RuntimeError:
            raise Mistake(f"--listen {listen} cannot be listened on") from None
        await server.start()
        try:
            yield wire, f"{listen.rpartition(':')[0]}:{port}"
        finally:
            await server.stop(0.2)

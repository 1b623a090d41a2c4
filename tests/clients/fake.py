"""A server that does as it is told: it tries the SDK on what a real one does only rarely."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import grpc

from dragonhall.v1 import match_service_pb2 as pb
from dragonhall_service.api.errors import failure_of
from dragonhall_service.usecases.refusals import Reason, Refusal

Step = pb.WatchMatchResponse | Refusal
"""What a stream does next: tell something, or break."""

CUT = Refusal(Reason.DRAINING, "as told")
"""Breaks a stream as a server does that stops."""


class Script:
    """Answers from lists, an item a call, and keeps what it was asked."""

    def __init__(
        self, streams: Sequence[Sequence[Step]] = (), refusals: Sequence[Refusal] = ()
    ) -> None:
        self.streams = list(streams)
        self.refusals = list(refusals)
        self.asked: list[Any] = []

    async def submit_move(self, request: Any, context: Any) -> pb.SubmitMoveResponse:
        self.asked.append(request)
        if self.refusals:
            await abort(context, self.refusals.pop(0))
        return pb.SubmitMoveResponse(version=7)

    async def watch_match(self, request: Any, context: Any) -> AsyncIterator[pb.WatchMatchResponse]:
        self.asked.append(request)
        for step in self.streams.pop(0):
            if isinstance(step, Refusal):
                await abort(context, step)
            else:
                yield step


async def abort(context: Any, refusal: Refusal) -> None:
    failure = failure_of(refusal)
    await context.abort(failure.code, failure.message, failure.trailers)


@asynccontextmanager
async def serving(script: Script) -> AsyncIterator[str]:
    """Serve a script on a free loopback port and yield the target."""
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((_handlers(script),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(None)


def _handlers(script: Script) -> grpc.GenericRpcHandler:
    move = grpc.unary_unary_rpc_method_handler(
        script.submit_move,
        pb.SubmitMoveRequest.FromString,
        pb.SubmitMoveResponse.SerializeToString,
    )
    watch = grpc.unary_stream_rpc_method_handler(
        script.watch_match,
        pb.WatchMatchRequest.FromString,
        pb.WatchMatchResponse.SerializeToString,
    )
    methods: dict[str, Any] = {"SubmitMove": move, "WatchMatch": watch}
    return grpc.method_handlers_generic_handler("dragonhall.v1.MatchService", methods)

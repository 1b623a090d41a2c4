"""A watch that outlives its streams: it goes on from the last resume token."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import grpc

from dragonhall.sdk.errors import DragonhallError, Draining
from dragonhall.sdk.retry import Failures, Retry
from dragonhall.sdk.status import error_of
from dragonhall.v1.match_service_pb2 import WatchMatchResponse


async def watch(
    stream: Callable[[str], Any], retry: Retry, resume_token: str
) -> AsyncIterator[WatchMatchResponse]:
    """Yield messages of a match, each once and in order, until it is over or superseded.

    Args:
        stream: opens the server's stream that follows a resume token.
        retry: the policy; each message that tells something restores its budget.
        resume_token: where to begin; empty: with a snapshot.

    Raises:
        DragonhallError: the server refused it, or was silent for the whole budget.
    """
    failures = Failures(retry)
    while True:
        call, asked, heard = stream(resume_token), resume_token, False
        error: DragonhallError = _ended()
        try:
            async for message in call:
                heard = True
                resume_token = message.resume_token or resume_token
                if message.WhichOneof("body") == "draining":
                    continue  # the stream ends now; nothing for the reader
                failures.clear()
                yield message
                if _is_last(message):
                    return
            if asked and not heard:
                return  # the match is over, and nothing follows that place
        except grpc.aio.AioRpcError as failure:
            error = error_of(failure)
        finally:
            call.cancel()  # the reader may leave in the middle
        await failures.add(error)


def _ended() -> Draining:
    """Make of an early end with OK what it means: this server stops, another one goes on."""
    message = "the server ended the watch before the match was over"
    return Draining("DRAINING", grpc.StatusCode.UNAVAILABLE, message, {}, None)


def _is_last(message: WatchMatchResponse) -> bool:
    body = message.WhichOneof("body")
    if body == "superseded":
        return True  # going on would take the newer watch's place in turn
    snapshot = message.reset.snapshot if body == "reset" else message.snapshot
    return message.event.HasField("outcome") or snapshot.match.HasField("outcome")

"""The outermost interceptor: bytes in, statuses out.

grpc.aio sends the text of an exception to the client and answers malformed bytes with UNKNOWN.
So handlers are given bytes, parsed here, and every exception ends here.
"""

import asyncio
import inspect
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import ExitStack, aclosing, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, Self

import grpc
import structlog
from google.protobuf.message import DecodeError

from dragonhall_service.api.bugs import report_bug
from dragonhall_service.api.errors import failure_of, refusal_of
from dragonhall_service.api.peers import Peers
from dragonhall_service.credentials import Caller, MalformedToken, caller_of
from dragonhall_service.metrics import Metrics
from dragonhall_service.telling import Line, begin_line
from dragonhall_service.tracing import UNTRACED, Tracing
from dragonhall_service.usecases.quotas import Kind, Quotas
from dragonhall_service.usecases.refusals import Reason, Refusal
from dragonhall_service.usecases.tasks import asked_to_stop

UNARY_CAP_S = 5.0
LEAST_TIME_S = 0.02
_BEARER = "Bearer "
_PROBES = "/grpc.health."
"""Balancers ask every second or so; their calls would hide the others in the log."""
_OPENINGS = ("CreateMatch", "JoinMatch", "RegisterBot")
"""They leave something in the store, and carry their token in the request."""
_PACED = "/Play"
"""It counts what comes on its stream itself: a pong that answers a ping is free."""
_TOLD = ("match_id", "request_id")
_MOST_LOGGED = 64
_log = structlog.get_logger("dragonhall.call")
_caller: ContextVar[Caller] = ContextVar("caller")

Context = grpc.aio.ServicerContext[Any, Any]


def current_caller() -> Caller:
    """Return who makes the call that is being handled."""
    return _caller.get()


class Boundary(grpc.aio.ServerInterceptor):
    """Wraps every method of every service, the standard ones included.

    Attributes:
        begun: how many calls have come, probes of balancers excepted.
        running: the tasks of the handlers that have not ended.
    """

    def __init__(
        self, metrics: Metrics, peers: Peers, quotas: Quotas, tracing: Tracing = UNTRACED
    ) -> None:
        self.begun = 0
        self.metrics = metrics
        self.peers = peers
        self.quotas = quotas
        self.tracing = tracing
        self.running: set[asyncio.Task[Any]] = set()
        self._handlers: dict[str, Any] = {}

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """Return the method's handler, wrapped; an unknown method is gRPC's own to refuse."""
        path = handler_call_details.method
        self.begun += not path.startswith(_PROBES)
        if path not in self._handlers:  # a method has the same handler in every call
            handler = await continuation(handler_call_details)
            if handler is None:
                return None
            self._handlers[path] = _wrapped(handler, _Method(path, self))
        return self._handlers[path]

    async def finish(self, patience_s: float) -> None:
        """Wait until every handler has ended.

        A server that was stopped does not wait for those whose clients have hung up.
        """
        if self.running:
            await asyncio.wait(self.running, timeout=patience_s)


class _Method:
    """A method with what is counted of it."""

    def __init__(self, path: str, boundary: Boundary) -> None:
        self.path = path
        self.peers = boundary.peers
        self.quotas = boundary.quotas
        self.is_probe = path.startswith(_PROBES)
        self.tracing = UNTRACED if self.is_probe else boundary.tracing
        self.is_opening = path.endswith(_OPENINGS)
        self.paces_itself = path.endswith(_PACED)
        self._running = boundary.running
        metrics = boundary.metrics
        name = path.removeprefix("/")
        self.open_calls = metrics.open_calls.labels(name)
        self.seconds = metrics.call_seconds.labels(name)
        self._alarms = {"INTERNAL": metrics.bugs, "DATA_LOSS": metrics.damaged}
        self._calls = cache(partial(metrics.calls.labels, name))

    def note_running(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def count(self, code: str) -> None:
        self._calls(code).inc()
        if code in self._alarms:
            self._alarms[code].inc()


def _wrapped(handler: Any, method: _Method) -> Any:
    def parsed(data: bytes) -> Any:
        return _parse(handler.request_deserializer, data)

    def serialised(answer: Any) -> bytes:
        # gRPC serialises out of our sight, and answers UNKNOWN if it cannot: do it before.
        data: bytes = answer if isinstance(answer, bytes) else handler.response_serializer(answer)
        return data

    async def unary(data: bytes, context: Context) -> Any:
        with _Call(method, context) as call, method.seconds.time(), call.traced():
            try:
                call.begin()
                request = parsed(data)
                call.describe(request)
                call.admit(request, data)
                async with asyncio.timeout(UNARY_CAP_S):
                    response = serialised(await handler.unary_unary(request, context))
                call.ended("OK")
                return response
            except (Exception, asyncio.CancelledError) as error:
                await call.fail(error)

    async def stream(data: Any, context: Context) -> AsyncIterator[Any]:
        with _Call(method, context) as call, ExitStack() as open_stream:
            try:
                call.begin()
                open_stream.enter_context(method.quotas.stream(current_caller()))
                if handler.request_streaming:
                    call.admit(None, b"")
                    responses = handler.stream_stream(_each(parsed, data, method), context)
                else:
                    request = parsed(data)
                    call.describe(request)
                    call.admit(request, data)
                    responses = handler.unary_stream(request, context)
                if inspect.isawaitable(responses):  # writes to the context itself, as Health.Watch
                    await responses
                else:
                    async with aclosing(responses):
                        async for response in responses:
                            yield serialised(response)
                call.ended("OK")
            except (Exception, asyncio.CancelledError) as error:
                await call.fail(error)

    if handler.response_streaming:
        make = (
            grpc.stream_stream_rpc_method_handler
            if handler.request_streaming
            else grpc.unary_stream_rpc_method_handler
        )
        return make(stream, None, serialised)
    return grpc.unary_unary_rpc_method_handler(unary, None, serialised)


async def _each(
    parsed: Callable[[bytes], Any], data: AsyncIterator[bytes], method: _Method
) -> AsyncIterator[Any]:
    """Read what comes on a stream, each of it as late as a call would be."""
    caller = current_caller()
    async for item in data:
        if not method.paces_itself:
            await asyncio.sleep(method.quotas.pace_s(Kind.CALL, caller))
        yield parsed(item)


def _parse(deserialize: Callable[[bytes], Any], data: bytes) -> Any:
    try:
        return deserialize(data)
    except DecodeError:
        raise Refusal(Reason.MALFORMED, "the bytes are no message of this method") from None


@dataclass(slots=True)
class _Call:
    """One call, from its admission to its line in the log."""

    method: _Method
    context: Context
    started: float = 0.0
    code: str = ""
    trace_id: str = ""
    told: Line = field(default_factory=dict)

    def __enter__(self) -> Self:
        self.started = time.perf_counter()
        self.method.open_calls.inc()
        self.method.note_running()
        return self

    def __exit__(self, *raised: object) -> None:
        self.method.open_calls.dec()
        self.method.count(self.code or "CANCELLED")

    @contextmanager
    def traced(self) -> Iterator[None]:
        """Trace a call that is unary."""
        metadata = self.context.invocation_metadata() or ()
        with self.method.tracing.call(self.method.path, metadata, self.traits) as self.trace_id:
            yield

    def traits(self) -> Mapping[str, str | int]:
        return {**self.told, "code": self.code or "CANCELLED"}

    def begin(self) -> None:
        _caller.set(_identify(self.context, self.method.peers))
        left = self.context.time_remaining()
        if left is not None and left < LEAST_TIME_S:
            raise Refusal(Reason.DEADLINE_TOO_SHORT, "less time was left than a call needs")

    def admit(self, request: Any, data: bytes) -> None:
        if self.method.is_probe:
            return
        kind, caller = Kind.CALL, current_caller()
        if self.method.is_opening:
            kind = Kind.OPENING
            with suppress(MalformedToken):  # the handler says so
                caller = caller_of(request.token, caller.address)
        self.method.quotas.admit(kind, caller, (self.method.path, data))

    def describe(self, request: Any) -> None:
        told = {name: getattr(request, name, "") for name in _TOLD}
        # Not checked yet: they may be of any length.
        self.told = {name: value[:_MOST_LOGGED] for name, value in told.items() if value}
        begin_line(self.told)

    def ended(self, code: str, **more: str) -> None:
        self.code = code
        duration = round((time.perf_counter() - self.started) * 1000, 2)
        tell = _log.debug if self.method.is_probe else _log.info
        if self.trace_id:
            more["trace_id"] = self.trace_id
        tell("call", **self.told, method=self.method.path, code=code, ms=duration, **more)

    async def fail(self, error: BaseException) -> None:
        if isinstance(error, grpc.aio.AbortError):
            self.code = self.context.code().name
            raise error
        if _was_asked_to_stop(error):
            raise error
        if isinstance(error, NotImplementedError) and _is_left_out(self.context):
            self.ended("UNIMPLEMENTED")
            await self.context.abort(grpc.StatusCode.UNIMPLEMENTED, "method not implemented")
        if isinstance(error, TimeoutError):
            error = Refusal(
                Reason.STORAGE, "timed out: it may have been applied", applied="unknown"
            )
        refusal = refusal_of(error, lambda: report_bug(error, _log.bind(**self.told)))
        failure = failure_of(refusal)
        self.ended(failure.code.name, reason=failure.reason.value)
        await self.context.abort(failure.code, failure.message, failure.trailers)


def _was_asked_to_stop(error: BaseException) -> bool:
    """Tell the cancellation of this call from a stray one, after which gRPC would never answer."""
    return isinstance(error, asyncio.CancelledError) and asked_to_stop()


def _is_left_out(context: Context) -> bool:
    """Tell whether a generated base class answers for a method that its service leaves out."""
    return bool(context.code() is grpc.StatusCode.UNIMPLEMENTED)


def _identify(context: Context, peers: Peers) -> Caller:
    authorization, forwarded = None, []
    for key, value in context.invocation_metadata() or ():
        if key == "authorization" and authorization is None:
            authorization = value
        elif key == "x-forwarded-for" and peers.trusts_any:
            forwarded.append(_text(value))
    address = peers.address(context.peer(), ",".join(forwarded))
    if authorization is None:
        return Caller(address=address)
    text = _text(authorization)
    if not text.startswith(_BEARER):
        raise Refusal(Reason.UNAUTHENTICATED, "send authorization: Bearer <token>")
    try:
        return caller_of(text.removeprefix(_BEARER), address)
    except MalformedToken as wrong:
        raise Refusal(Reason.UNAUTHENTICATED, str(wrong)) from wrong


def _text(value: str | bytes) -> str:
    return value.decode("ascii", "replace") if isinstance(value, bytes) else value

"""Traces through OpenTelemetry: a span a unary call, below it one a step at the store.

Without `DRAGONHALL_TRACES` no tracer is loaded. A span holds what a line of the log holds: method,
code, match and request; no token, no request or answer, no text of an exception. Streams have none,
since they last as long as a match.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Protocol

from dragonhall_service.config import BadSetting, Settings

if TYPE_CHECKING:
    from opentelemetry.trace import TracerProvider

FLUSH_S = 2.0
"""A stopping server waits no longer for who collects its traces."""
_FAULTS = frozenset({"INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNKNOWN", "DEADLINE_EXCEEDED"})
_CARRIED = ("traceparent", "tracestate")

Metadata = Iterable[tuple[str, str | bytes]]


class Tracing(Protocol):
    """What makes spans."""

    def call(
        self, path: str, metadata: Metadata, ended: Callable[[], Mapping[str, str | int]]
    ) -> AbstractContextManager[str]:
        """Trace a call, in the trace that its metadata name; yield the trace's id.

        Args:
            path: such as `/dragonhall.v1.MatchService/SubmitMove`.
            ended: returns what is known at the end, `code` among it.
        """

    def step(self, operation: str) -> AbstractContextManager[Any]:
        """Trace what a traced call asks of the store; what else asks it is not traced."""


class Untraced:
    """Implements `Tracing` by doing nothing."""

    def call(
        self, path: str, metadata: Metadata, ended: Callable[[], Mapping[str, str | int]]
    ) -> AbstractContextManager[str]:
        """Do nothing."""
        return nullcontext("")

    def step(self, operation: str) -> AbstractContextManager[Any]:
        """Do nothing."""
        return nullcontext()


UNTRACED = Untraced()


class Traced:
    """Implements `Tracing`."""

    def __init__(self, provider: "TracerProvider") -> None:
        """Take OpenTelemetry's maker of tracers."""
        from opentelemetry import trace
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        self._trace = trace
        self._propagator = TraceContextTextMapPropagator()
        self._tracer = provider.get_tracer("dragonhall", version("dragonhall"))

    @contextmanager
    def call(
        self, path: str, metadata: Metadata, ended: Callable[[], Mapping[str, str | int]]
    ) -> Iterator[str]:
        """Trace a call, below the caller's span if it names one."""
        carried = {key: str(value) for key, value in metadata if key in _CARRIED}
        service, _, method = path.removeprefix("/").partition("/")
        with self._span(
            f"{service}/{method}",
            self._propagator.extract(carried),
            self._trace.SpanKind.SERVER,
            {"rpc.system": "grpc", "rpc.service": service, "rpc.method": method},
        ) as span:
            try:
                yield self._trace.format_trace_id(span.get_span_context().trace_id)
            finally:
                known = ended()
                span.set_attributes({f"dragonhall.{name}": text for name, text in known.items()})
                if known["code"] in _FAULTS:
                    span.set_status(self._trace.StatusCode.ERROR)

    @contextmanager
    def step(self, operation: str) -> Iterator[None]:
        """Trace an operation on the store."""
        if not self._trace.get_current_span().is_recording():
            yield
            return
        attributes = {"db.system.name": "redis", "db.operation.name": operation}
        with self._span(
            f"store {operation}", None, self._trace.SpanKind.CLIENT, attributes
        ) as span:
            try:
                yield
            except BaseException as error:  # its text may tell anything
                span.set_attribute("error.type", type(error).__name__)
                span.set_status(self._trace.StatusCode.ERROR)
                raise

    def _span(
        self, name: str, context: Any, kind: Any, attributes: Mapping[str, str | int]
    ) -> AbstractContextManager[Any]:
        return self._tracer.start_as_current_span(
            name,
            context,
            kind,
            attributes,
            record_exception=False,
            set_status_on_exception=False,
        )


@contextmanager
def traces(settings: Settings) -> Iterator[Tracing]:
    """Send traces while the context lasts, where the settings ask for them.

    Raises:
        BadSetting: they do, and the extra `otel` is not installed.
    """
    if settings.traces == "off":
        yield UNTRACED
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import OTELResourceDetector, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as missing:
        raise BadSetting("DRAGONHALL_TRACES needs the extra dragonhall[otel]") from missing
    own = Resource({"service.name": "dragonhall", "service.version": version("dragonhall")})
    resource = own.merge(OTELResourceDetector().detect())
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    try:
        yield Traced(provider)
    finally:
        flushing = threading.Thread(target=provider.shutdown, daemon=True)
        flushing.start()
        flushing.join(FLUSH_S)

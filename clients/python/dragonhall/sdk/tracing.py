"""Carries the caller's trace to the server, where a program uses OpenTelemetry."""

import sys


def trace_metadata() -> tuple[tuple[str, str], ...]:
    """Return the metadata that name the current span; none where there is no OpenTelemetry."""
    if "opentelemetry.trace" not in sys.modules:
        return ()
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carrier: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(carrier)
    return tuple(carrier.items())

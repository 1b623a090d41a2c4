"""Reads the status of a failed call: the one place that knows how the server encodes refusals."""

from collections.abc import Iterable

import grpc
from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

from dragonhall.sdk.errors import ERRORS, DragonhallError

_DOMAIN = "dragonhall"
_DETAILS = "grpc-status-details-bin"
_PUSHBACK = "grpc-retry-pushback-ms"
_BROKEN_STREAM = ("Internal error from Core", "RST_STREAM", "Stream removed")
"""Parts of gRPC's texts where, with INTERNAL or UNKNOWN, nothing of the server's is told: a stream
had ended before a message was written, or was cut: of a server that dies Envoy resets them, HAProxy
ends them without a status."""
_Trailers = Iterable[tuple[str, str | bytes]]


def error_of(failure: grpc.aio.AioRpcError) -> DragonhallError:
    """Read a failure of gRPC."""
    trailers: _Trailers = failure.trailing_metadata() or ()
    info, wait = _details(trailers)
    code = failure.code()
    if not info.reason and _is_broken(code, failure.details() or ""):
        code = grpc.StatusCode.UNAVAILABLE
    return ERRORS.get(info.reason, DragonhallError)(
        info.reason or code.name,
        code,
        failure.details() or "",
        dict(info.metadata),
        _pushback_s(trailers) if wait is None else wait,
    )


def _is_broken(code: grpc.StatusCode, details: str) -> bool:
    masked = code in (grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN)
    return masked and any(part in details for part in _BROKEN_STREAM)


def _details(trailers: _Trailers) -> tuple[ErrorInfo, float | None]:
    """Return our ErrorInfo, empty if there is none, and the wait of RetryInfo in seconds."""
    info, wait = ErrorInfo(), None
    try:
        for detail in _status(trailers).details:
            found, retry = ErrorInfo(), RetryInfo()
            if detail.Unpack(found) and found.domain == _DOMAIN:
                info = found
            elif detail.Unpack(retry):
                wait = retry.retry_delay.ToTimedelta().total_seconds()
    except DecodeError:  # of a proxy, perhaps; the gRPC code still tells what to do
        return ErrorInfo(), None
    return info, wait


def _status(trailers: _Trailers) -> Status:
    for key, value in trailers:
        if key == _DETAILS and isinstance(value, bytes):
            return Status.FromString(value)
    return Status()


def _pushback_s(trailers: _Trailers) -> float | None:
    for key, value in trailers:
        if key == _PUSHBACK and isinstance(value, str) and value.isdecimal():
            return int(value) / 1000
    return None

"""Refusals of the server as one exception, read from the details of its status.

`reason` is the name of an `ErrorReason` of the protos, whose comments say what to do.
"""

from collections.abc import Mapping

import grpc
from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

_DETAILS = "grpc-status-details-bin"


class DragonhallError(Exception):
    """A call failed.

    Attributes:
        reason: the server's reason, such as `ILLEGAL_MOVE`; where gRPC itself refused the call
            there is none, and it is the name of the gRPC code, such as `UNAVAILABLE`.
        code: the gRPC code.
        message: one sentence for people.
        metadata: further facts by name, such as `rule` or `current_version`.
        retry_after_s: seconds to wait before a repeat; None where the server names none.
    """

    def __init__(
        self,
        reason: str,
        code: grpc.StatusCode,
        message: str,
        metadata: Mapping[str, str],
        retry_after_s: float | None,
    ) -> None:
        super().__init__(f"{reason}: {message}")
        self.reason = reason
        self.code = code
        self.message = message
        self.metadata = metadata
        self.retry_after_s = retry_after_s


def error_of(failure: grpc.aio.AioRpcError) -> DragonhallError:
    """Read a failure of gRPC."""
    info, retry = ErrorInfo(), RetryInfo()
    for detail in _status(failure).details:
        detail.Unpack(info) or detail.Unpack(retry)
    wait = (
        retry.retry_delay.ToTimedelta().total_seconds() if retry.HasField("retry_delay") else None
    )
    return DragonhallError(
        info.reason or failure.code().name,
        failure.code(),
        failure.details() or "",
        dict(info.metadata),
        wait,
    )


def _status(failure: grpc.aio.AioRpcError) -> Status:
    for key, value in failure.trailing_metadata() or ():
        if key == _DETAILS and isinstance(value, bytes):
            try:
                return Status.FromString(value)
            except DecodeError:
                break
    return Status()

"""The one place where a failure becomes a gRPC status.

Every status carries a google.rpc.ErrorInfo; what is worth repeating also carries a RetryInfo
and `grpc-retry-pushback-ms`. Texts of unexpected exceptions never leave the server.
"""

from collections.abc import Callable
from dataclasses import dataclass

import grpc
from google.protobuf.any_pb2 import Any as AnyProto
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc import error_details_pb2
from google.rpc.status_pb2 import Status

from dragonhall_service.ports import UNREADABLE, StorageFull, StorageUnavailable
from dragonhall_service.usecases.refusals import Reason, Refusal, unreadable

DOMAIN = "dragonhall"
STORAGE_RETRY_MS = 200
QUOTA_RETRY_MS = 1000
DRAIN_RETRY_MS = 100

CODES = {
    Reason.MALFORMED: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.FIELD_INVALID: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.REQUEST_ID_REUSED: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.UNAUTHENTICATED: grpc.StatusCode.UNAUTHENTICATED,
    Reason.WRONG_ROLE: grpc.StatusCode.PERMISSION_DENIED,
    Reason.MATCH_NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Reason.GAME_NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Reason.SEAT_TAKEN: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.NOT_STARTED: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.ALREADY_STARTED: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.NOT_YOUR_TURN: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.ILLEGAL_MOVE: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.MATCH_OVER: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.NOT_FINISHED: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.VERSION_CONFLICT: grpc.StatusCode.ABORTED,
    Reason.STORAGE: grpc.StatusCode.UNAVAILABLE,
    Reason.QUOTA: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Reason.SCHEMA_TOO_NEW: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.CORRUPT: grpc.StatusCode.DATA_LOSS,
    Reason.DEADLINE_TOO_SHORT: grpc.StatusCode.DEADLINE_EXCEEDED,
    Reason.DRAINING: grpc.StatusCode.UNAVAILABLE,
    Reason.INTERNAL: grpc.StatusCode.INTERNAL,
    Reason.SEAT_LEFT: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.NAME_TAKEN: grpc.StatusCode.ALREADY_EXISTS,
    Reason.BOT_NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Reason.REGISTRATION_REFUSED: grpc.StatusCode.PERMISSION_DENIED,
}

_RETRY_MS = {
    Reason.STORAGE: STORAGE_RETRY_MS,
    Reason.QUOTA: QUOTA_RETRY_MS,
    Reason.DRAINING: DRAIN_RETRY_MS,
}


@dataclass(frozen=True, slots=True)
class Failure:
    """What the client is told.

    Attributes:
        trailers: trailing metadata, the details among them.
    """

    reason: Reason
    code: grpc.StatusCode
    message: str
    trailers: tuple[tuple[str, str | bytes], ...]


def refusal_of(error: BaseException, report: Callable[[], str]) -> Refusal:
    """Say in the API's words what went wrong.

    An unexpected exception says no more than the id under which `report` logged it.
    """
    if isinstance(error, Refusal):
        return error
    if isinstance(error, StorageFull):
        return Refusal(Reason.STORAGE, "the store is full: not applied", applied="no")
    if isinstance(error, StorageUnavailable):
        applied = "unknown" if error.applied is None else "no"
        what = "it is not known whether it was applied" if error.applied is None else "not applied"
        return Refusal(Reason.STORAGE, f"the store did not answer: {what}; repeat", applied=applied)
    if isinstance(error, UNREADABLE):
        return unreadable(error)
    error_id = report()
    return Refusal(Reason.INTERNAL, f"internal error {error_id}", error_id=error_id)


def failure_of(refusal: Refusal) -> Failure:
    """Give a refusal its status."""
    code = CODES[refusal.reason]
    info = error_details_pb2.ErrorInfo(
        reason=refusal.reason.value, domain=DOMAIN, metadata=refusal.metadata
    )
    details: list[Message] = [info]
    if "field" in refusal.metadata:
        violation = error_details_pb2.BadRequest.FieldViolation(
            field=refusal.metadata["field"], description=refusal.message
        )
        details.append(error_details_pb2.BadRequest(field_violations=[violation]))
    trailers: list[tuple[str, str | bytes]] = []
    wait = _RETRY_MS.get(refusal.reason) if refusal.wait_ms is None else refusal.wait_ms
    if wait is not None:
        delay = Duration()
        delay.FromMilliseconds(wait)
        details.append(error_details_pb2.RetryInfo(retry_delay=delay))
        trailers.append(("grpc-retry-pushback-ms", str(wait)))
    number: int = code.value[0]
    status = Status(code=number, message=refusal.message, details=[_packed(d) for d in details])
    trailers.append(("grpc-status-details-bin", status.SerializeToString()))
    return Failure(refusal.reason, code, refusal.message, tuple(trailers))


def _packed(detail: Message) -> AnyProto:
    packed = AnyProto()
    packed.Pack(detail)
    return packed

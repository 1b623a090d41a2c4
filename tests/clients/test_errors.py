"""Each reason of the protos has its exception, and its facts arrive."""

import grpc
import pytest

from dragonhall.sdk.errors import (
    ERRORS,
    DragonhallError,
    FieldInvalid,
    IllegalMove,
    Internal,
    VersionConflict,
)
from dragonhall.sdk.status import error_of
from dragonhall.v1.error_pb2 import ErrorReason
from dragonhall_service.api.errors import CODES, failure_of
from dragonhall_service.usecases.refusals import FieldInvalid as FieldRefused
from dragonhall_service.usecases.refusals import Reason, Refusal, conflict

REASONS = [name.removeprefix("ERROR_REASON_") for name in ErrorReason.keys()[1:]]


def told(refusal: Refusal) -> DragonhallError:
    failure = failure_of(refusal)
    return error_of(broken(failure.code, *failure.trailers, message=failure.message))


def broken(
    code: grpc.StatusCode, *trailers: tuple[str, str | bytes], message: str = ""
) -> grpc.aio.AioRpcError:
    return grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata(*trailers), message)


def test_every_reason_has_a_class_of_its_name() -> None:
    assert list(ERRORS) == REASONS
    names = [reason.title().replace("_", "") for reason in REASONS]
    assert [error.__name__ for error in ERRORS.values()] == names


@pytest.mark.parametrize("reason", Reason, ids=lambda reason: reason.name)
def test_a_reason_is_raised_as_its_class(reason: Reason) -> None:
    error = told(Refusal(reason, "as told", one="1"))
    assert type(error) is ERRORS[reason.value]
    assert (error.reason, error.code) == (reason.value, CODES[reason])
    assert (error.message, error.metadata) == ("as told", {"one": "1"})


def test_facts_are_read() -> None:
    behind, ahead = told(conflict(3, 5)), told(conflict(5, 3))
    assert isinstance(behind, VersionConflict)
    assert isinstance(ahead, VersionConflict)
    assert (behind.current_version, behind.ahead) == (5, False)
    assert (ahead.current_version, ahead.ahead) == (3, True)
    field = told(FieldRefused("options.start_seat", "0 or 1"))
    assert isinstance(field, FieldInvalid)
    assert field.field == "options.start_seat"
    bare = told(Refusal(Reason.ILLEGAL_MOVE, "no"))
    assert isinstance(bare, IllegalMove)
    assert (bare.rule, bare.violation) == ("", "")


@pytest.mark.parametrize(
    "trailers",
    [
        (),
        (("grpc-status-details-bin", b"\xff"),),
        (("grpc-retry-pushback-ms", "soon"),),
    ],
)
def test_what_grpc_or_a_proxy_says_has_the_name_of_its_code(
    trailers: tuple[tuple[str, str | bytes], ...],
) -> None:
    error = error_of(broken(grpc.StatusCode.UNAVAILABLE, *trailers))
    assert type(error) is DragonhallError
    assert (error.reason, error.retry_after_s) == ("UNAVAILABLE", None)


def test_a_push_back_without_details_is_obeyed() -> None:
    error = error_of(broken(grpc.StatusCode.UNAVAILABLE, ("grpc-retry-pushback-ms", "250")))
    assert error.retry_after_s == 0.25


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (grpc.StatusCode.INTERNAL, "Internal error from Core"),
        (
            grpc.StatusCode.INTERNAL,
            "Stream removed (RST_STREAM (Received RST_STREAM with error code 2))",
        ),
        (
            grpc.StatusCode.UNKNOWN,
            "Stream removed (Data frame with END_STREAM flag received)",
        ),
    ],
)
def test_a_broken_stream_is_no_bug_of_the_server(code: grpc.StatusCode, message: str) -> None:
    masked = broken(code, message=message)
    assert error_of(masked).code is grpc.StatusCode.UNAVAILABLE
    bug = told(Refusal(Reason.INTERNAL, "internal error 1", error_id="1"))
    assert (type(bug), bug.code) == (Internal, grpc.StatusCode.INTERNAL)

"""What a refusal must look like: one checker for every test that provokes some."""

import re
from typing import Any

import grpc
from google.protobuf.descriptor import Descriptor
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

from dragonhall.v1.error_pb2 import ErrorReason
from tests.architecture.addresses import ROOT
from tests.contract.methods import names_a_field

CLIENT_FAULTS = {
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.ALREADY_EXISTS,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.ABORTED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
}
_PREFIX = "ERROR_REASON_"
_VALUE = re.compile(r"((?: *//[^\n]*\n)+) *ERROR_REASON_([A-Z_]+) = (\d+);")
_LONGEST_MESSAGE = 500
_APPLIED = ("no", "unknown")
"""What every UNAVAILABLE must say, and nothing else."""


def reasons() -> dict[str, str]:
    """Return the comment of each reason in error.proto, the one never sent left out."""
    text = (ROOT / "protos" / "dragonhall" / "v1" / "error.proto").read_text()
    found = {}
    for comment, name, number in _VALUE.findall(text):
        if int(number):
            found[name] = " ".join(line.strip(" /") for line in comment.splitlines())
    return found


def documented_code(comment: str) -> grpc.StatusCode:
    """Read the gRPC code with which the comment of a reason begins."""
    return grpc.StatusCode[re.split("[:,]", comment)[0]]


REASONS = reasons()
assert list(REASONS) == [name.removeprefix(_PREFIX) for name in ErrorReason.keys()[1:]]


def details_of(error: Any, kind: Any) -> list[Any]:
    """Return the details of one kind that a failed call carries."""
    found = []
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            for detail in Status.FromString(value).details:
                if detail.Is(kind.DESCRIPTOR):
                    found.append(kind.FromString(detail.value))
    return found


def faults(error: grpc.aio.AioRpcError, request: Descriptor) -> list[str]:
    """Say what is wrong with a refusal of ours; empty if nothing is."""
    infos = details_of(error, ErrorInfo)
    if len(infos) != 1:
        return [f"{len(infos)} ErrorInfo with {error.code().name} {error.details()!r}"]
    info = infos[0]
    if info.domain != "dragonhall" or info.reason not in REASONS:
        return [f"reason {info.reason!r} of domain {info.domain!r}"]
    found = []
    if error.code() is not documented_code(REASONS[info.reason]):
        found.append(f"{info.reason} came with {error.code().name}")
    if len(error.details() or "") > _LONGEST_MESSAGE or not error.details():
        found.append(f"a message of {len(error.details() or '')} characters")
    if (error.code() is grpc.StatusCode.UNAVAILABLE) != (info.metadata["applied"] in _APPLIED):
        found.append(f"{error.code().name} with applied = {info.metadata['applied']!r}")
    return found + _bad_request(error, info, request) + _retry(error, info) + _status(error)


def _bad_request(error: Any, info: ErrorInfo, request: Descriptor) -> list[str]:
    violations = [v for bad in details_of(error, BadRequest) for v in bad.field_violations]
    if info.reason != "FIELD_INVALID":
        return [f"{info.reason} with a BadRequest"] if violations else []
    fields = [violation.field for violation in violations]
    if len(fields) != 1 or info.metadata["field"] != fields[0]:
        return [f"fields {fields}, but metadata {dict(info.metadata)}"]
    return [f"no field {name!r}" for name in fields if not names_a_field(request, name)]


def _retry(error: Any, info: ErrorInfo) -> list[str]:
    waits = [r.retry_delay.ToMilliseconds() for r in details_of(error, RetryInfo)]
    told = [v for k, v in error.trailing_metadata() if k == "grpc-retry-pushback-ms"]
    if [str(wait) for wait in waits] != told:
        return [f"RetryInfo {waits}, but push-back {told}"]
    promised = "RetryInfo" in REASONS[info.reason]
    return [] if len(waits) == promised else [f"{info.reason} with {len(waits)} RetryInfo"]


def _status(error: Any) -> list[str]:
    trailers = dict(error.trailing_metadata())
    status = Status.FromString(trailers["grpc-status-details-bin"])
    same = (status.code, status.message) == (error.code().value[0], error.details())
    return [] if same else ["the details tell another status"]

"""The whole error table: each reason is provoked, typed, documented, and mirrored by the SDK."""

import re
from contextlib import ExitStack

import grpc
import pytest
from google.protobuf.descriptor import ServiceDescriptor
from google.rpc.error_details_pb2 import ErrorInfo

from dragonhall.sdk.errors import ERRORS
from dragonhall.sdk.retry import REPEATABLE
from dragonhall.sdk.status import error_of
from dragonhall.v1 import (
    admin_service_pb2,
    bot_service_pb2,
    catalog_service_pb2,
    match_service_pb2,
)
from dragonhall_service.api.errors import CODES
from dragonhall_service.embedded import embedded_store
from tests.contract import (  # noqa: F401 - importing them fills the list
    provocations,
    provocations_below,
)
from tests.contract.error_page import PAGE, parts, table, updated
from tests.contract.provoking import PROVOCATIONS, Provocation, at
from tests.contract.statuses import REASONS, details_of, documented_code, faults

MODULES = (admin_service_pb2, bot_service_pb2, catalog_service_pb2, match_service_pb2)
SERVICES: list[ServiceDescriptor] = [
    service
    for file in (module.DESCRIPTOR for module in MODULES)
    for service in file.services_by_name.values()
]
METHODS = {method.name: method for service in SERVICES for method in service.methods}


def test_every_reason_is_provoked() -> None:
    assert {provocation.reason for provocation in PROVOCATIONS} == set(REASONS)


@pytest.mark.parametrize("provocation", PROVOCATIONS, ids=str)
async def test_a_reason_is_told_as_documented(
    provocation: Provocation, one_store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ExitStack() as stores:
        own = provocation.own_store
        url = stores.enter_context(embedded_store()) if own else one_store_url
        async with at(url, monkeypatch) as place:
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await provocation.provoke(place)
    error = refused.value
    assert faults(error, METHODS[provocation.method].input_type) == []
    (info,) = details_of(error, ErrorInfo)
    assert info.reason == provocation.reason
    told = {name: value for name, value in provocation.metadata.items() if value is not None}
    assert dict(info.metadata) | told == dict(info.metadata)
    assert set(info.metadata) == set(provocation.metadata)
    raised = error_of(error)
    assert type(raised) is ERRORS[info.reason]
    assert (raised.code, raised.message) == (error.code(), error.details())


@pytest.mark.parametrize("provocation", PROVOCATIONS, ids=str)
def test_metadata_is_documented(provocation: Provocation) -> None:
    words = set(re.findall("[a-z_]+", REASONS[provocation.reason]))
    assert set(provocation.metadata) <= words


def test_what_says_when_to_repeat_may_be_repeated() -> None:
    """What carries a RetryInfo has a code that the SDK repeats."""
    waits = {name for name, comment in REASONS.items() if "RetryInfo" in comment}
    assert {documented_code(REASONS[name]) for name in waits} <= REPEATABLE


def test_every_unavailable_says_what_was_applied_and_when_to_repeat() -> None:
    for name, comment in REASONS.items():
        unavailable = documented_code(comment) is grpc.StatusCode.UNAVAILABLE
        assert unavailable == ("metadata applied" in comment), name
        assert "RetryInfo" in comment or not unavailable, name


def test_every_code_is_the_documented_one() -> None:
    assert {reason.value: code for reason, code in CODES.items()} == {
        name: documented_code(comment) for name, comment in REASONS.items()
    }


@pytest.mark.parametrize("name", REASONS)
def test_every_comment_says_what_to_do(name: str) -> None:
    assert parts(REASONS[name])["do"]


def test_the_page_is_what_the_protos_say() -> None:
    page = PAGE.read_text()
    assert updated(page) == page, "run python3 dev.py run python -m tests.contract.error_page"
    assert page.count(table()) == 1


def test_a_stale_page_is_seen() -> None:
    stale = PAGE.read_text().replace("NOT_FOUND", "UNKNOWN")
    assert updated(stale) == PAGE.read_text()


def test_a_comment_that_does_not_say_what_to_do_is_seen() -> None:
    with pytest.raises(ValueError, match="what to do"):
        parts("NOT_FOUND: there is no such thing.")

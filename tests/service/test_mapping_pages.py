"""Pages of events, and stored matches that cannot be read: the client is told which it is."""

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from dragonhall.v1 import match_service_pb2 as pb
from dragonhall_engine.core.errors import CorruptData, FormatTooNew
from dragonhall_engine.registry import GAMES
from dragonhall_service.api import matches
from dragonhall_service.api.errors import refusal_of
from dragonhall_service.api.matches import MatchService
from dragonhall_service.app import running_server
from dragonhall_service.config import Settings
from dragonhall_service.credentials import Caller
from dragonhall_service.match import Phase
from dragonhall_service.ports import Loaded, Ports
from dragonhall_service.usecases.refusals import Reason
from tests.service.driver import dealt, info_of, reason_of, stub_of
from tests.service.test_mapping_matches import log_of, record_of


@pytest.fixture
async def stub(one_store_url: str) -> AsyncIterator[Any]:
    settings = Settings(redis_url=one_store_url, listen="127.0.0.1:0", drain_s=0)
    async with (
        running_server(settings) as server,
        grpc.aio.insecure_channel(server.target) as channel,
    ):
        yield stub_of(channel)


@pytest.mark.parametrize("token", ["1:abc", "x", "0", "-1"])
async def test_a_page_of_events_is_a_number(stub: Any, token: str) -> None:
    table = await dealt(stub)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await stub.ListEvents(pb.ListEventsRequest(match_id=table.match_id, page_token=token))
    assert reason_of(refused.value) == "FIELD_INVALID"
    assert info_of(refused.value).metadata["field"] == "page_token"


@pytest.mark.parametrize("version", [4, 2**63, 2**64 - 1])
async def test_after_the_head_there_are_no_events(stub: Any, version: int) -> None:
    table = await dealt(stub)
    request = pb.ListEventsRequest(match_id=table.match_id, after_version=version)
    response = await stub.ListEvents(request)
    assert (len(response.events), response.next_page_token) == (0, "")


class JustDealt:
    """A store whose match was dealt between the load of its record and the read of its log."""

    async def load(self, match_id: str, request: Any = None) -> Loaded:
        seats = (record_of(None, Phase.LOBBY).seats[0], None)
        return Loaded(record_of(None, Phase.LOBBY, version=2, seats=seats), None)

    async def entries(self, match_id: str, first: int, limit: int) -> Any:
        return log_of(1)[0][:4][first - 1 : first - 1 + limit]


async def test_events_end_where_the_record_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches, "current_caller", Caller)
    store: Any = JustDealt()
    nothing: Any = None
    service = MatchService(Ports(GAMES, store, nothing, nothing, nothing), nothing, nothing, 1.0)
    response = await service.ListEvents(pb.ListEventsRequest(match_id="a" * 26), nothing)
    assert [event.version for event in response.events] == [1, 2]


@pytest.mark.parametrize(
    ("error", "reason"),
    [(CorruptData("hidden"), Reason.CORRUPT), (FormatTooNew("hidden"), Reason.SCHEMA_TOO_NEW)],
)
def test_a_state_that_cannot_be_read_is_no_bug_of_the_server(
    error: Exception, reason: Reason
) -> None:
    refusal = refusal_of(error, lambda: "id")
    assert refusal.reason is reason
    assert "hidden" not in refusal.message

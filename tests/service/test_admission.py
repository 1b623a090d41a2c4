"""How many watches a server holds, and who is told when one must end."""

import asyncio
from typing import Any

import grpc
import pytest

from dragonhall.v1 import match_service_pb2 as pb
from dragonhall_service.app import running_server
from dragonhall_service.config import Settings
from dragonhall_service.credentials import Caller
from dragonhall_service.usecases.admission import WATCHES_PER_SEAT, Admission
from dragonhall_service.usecases.refusals import Reason, Refusal
from tests.service.driver import Table, dealt, metadata, reason_of, served, stub_of


def watch(stub: Any, table: Table, token: str = "") -> Any:
    request = pb.WatchMatchRequest(match_id=table.match_id)
    return stub.WatchMatch(request, metadata=metadata(token))


async def test_an_older_watch_of_a_seat_is_told_that_a_newer_one_took_its_place(
    one_store_url: str,
) -> None:
    async with served(one_store_url) as stub:
        table = await dealt(stub)
        other = watch(stub, table, table.seats[1])
        await other.read()
        watches = []
        for _ in range(WATCHES_PER_SEAT + 1):
            watches.append(watch(stub, table, table.seats[0]))
            assert (await watches[-1].read()).WhichOneof("body") == "snapshot"
        last = await watches[0].read()
        assert last.WhichOneof("body") == "superseded"
        assert await watches[0].read() is grpc.aio.EOF
        assert await watches[0].code() is grpc.StatusCode.OK
        for call in (other, *watches[1:]):
            assert not call.done()
            call.cancel()


@pytest.mark.parametrize("limits", [{"watches": 2}, {"watches_per_token": 2}])
async def test_one_watch_too_many_is_refused_at_once_and_a_free_place_is_given(
    one_store_url: str, limits: dict[str, int]
) -> None:
    async with served(one_store_url, **limits) as stub:
        table = await dealt(stub)
        held = [watch(stub, table, table.host) for _ in range(2)]
        for call in held:
            await call.read()
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await watch(stub, table, table.host).read()
        assert reason_of(refused.value) == "QUOTA"
        assert "grpc-retry-pushback-ms" in dict(refused.value.trailing_metadata() or ())
        held[0].cancel()
        while True:  # the server hears of the cancelled watch a moment later
            call = watch(stub, table, table.host)
            try:
                assert (await call.read()).WhichOneof("body") == "snapshot"
                break
            except grpc.aio.AioRpcError as error:
                assert reason_of(error) == "QUOTA"
                await asyncio.sleep(0.01)


def test_places_are_given_back() -> None:
    admission = Admission(most=3, most_per_token=2)
    a, b, nobody = Caller(b"a" * 32), Caller(b"b" * 32), Caller()
    for _ in range(5):
        with admission.enter(a, "m"), admission.enter(a, "n"), admission.enter(nobody, "m"):
            for caller in (a, b):
                with pytest.raises(Refusal) as refused, admission.enter(caller, "m"):
                    pass
                assert refused.value.reason is Reason.QUOTA
    with admission.enter(a, "m") as ticket, admission.enter(a, "m") as newer:
        assert not ticket.superseded
        assert not newer.superseded


async def test_a_watch_that_begins_on_a_stopping_server_is_sent_elsewhere(
    one_store_url: str,
) -> None:
    settings = Settings(redis_url=one_store_url, listen="127.0.0.1:0", drain_s=0, grace_s=1)
    async with (
        running_server(settings) as server,
        grpc.aio.insecure_channel(server.target) as channel,
    ):
        stub = stub_of(channel)
        table = await dealt(stub)
        server.feeds.drain()
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await watch(stub, table).read()
        assert reason_of(refused.value) == "DRAINING"
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE

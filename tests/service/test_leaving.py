"""Resigning and aborting: who may, when, once."""

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from dragonhall.v1 import match_pb2
from dragonhall.v1 import match_service_pb2 as pb
from tests.service.driver import (
    Table,
    dealt,
    get,
    legal,
    metadata,
    new_token,
    options,
    reason_of,
    request_id,
    served,
    submission,
    submit,
)


@pytest.fixture
async def stub(one_store_url: str) -> AsyncIterator[Any]:
    async with served(one_store_url) as opened:
        yield opened


async def resign(stub: Any, table: Table, token: str, name: str = "") -> pb.ResignMatchResponse:
    request = pb.ResignMatchRequest(match_id=table.match_id, request_id=name or request_id())
    response: pb.ResignMatchResponse
    response = await stub.ResignMatch(request, metadata=metadata(token))
    return response


async def abort(stub: Any, table: Table, token: str, name: str = "") -> pb.AbortMatchResponse:
    request = pb.AbortMatchRequest(match_id=table.match_id, request_id=name or request_id())
    response: pb.AbortMatchResponse
    response = await stub.AbortMatch(request, metadata=metadata(token))
    return response


async def lobby(stub: Any) -> Table:
    host = new_token()
    create = pb.CreateMatchRequest(request_id=request_id(), token=host, options=options())
    match_id = (await stub.CreateMatch(create)).match.match_id
    seat = new_token()
    join = pb.JoinMatchRequest(match_id=match_id, request_id=request_id(), token=seat)
    await stub.JoinMatch(join)
    return Table(match_id, host, (seat,))


async def first_move(stub: Any, table: Table) -> None:
    listed = await legal(stub, table, 0)
    await submit(stub, table, 0, submission(table, listed.version, listed.moves[0]))


@pytest.mark.parametrize("seat", [0, 1], ids=["to move", "not to move"])
async def test_who_resigns_loses(stub: Any, seat: int) -> None:
    table = await dealt(stub)
    response = await resign(stub, table, table.seats[seat])
    (event,) = response.events
    assert (response.version, response.replayed) == (5, False)
    assert event.seat_left == match_pb2.SeatLeft(seat=seat, cause=match_pb2.OUTCOME_CAUSE_RESIGNED)
    assert event.outcome.cause == match_pb2.OUTCOME_CAUSE_RESIGNED
    assert {result.seat: result.rank for result in event.outcome.results} == {seat: 2, 1 - seat: 1}
    assert not event.HasField("seat_to_move")
    match = (await get(stub, table)).match
    assert match.phase == match_pb2.MATCH_PHASE_OVER
    assert match.outcome == event.outcome
    await check_nobody_is_to_move(stub, table)
    replay = await stub.GetReplay(pb.GetReplayRequest(match_id=table.match_id))
    assert [(leave.version, leave.seat) for leave in replay.leaves] == [(5, seat)]


async def check_nobody_is_to_move(stub: Any, table: Table) -> None:
    for token in ("", *table.seats):
        assert not (await get(stub, table, token)).view.dragonheart.HasField("seat_to_move")
    for seat in (0, 1):
        assert not (await legal(stub, table, seat)).moves


async def test_a_repeated_resignation_gets_the_same_answer(stub: Any) -> None:
    table = await dealt(stub)
    first = await resign(stub, table, table.seats[1], "once")
    again = await resign(stub, table, table.seats[1], "once")
    assert again.replayed
    again.replayed = False
    assert again == first


async def test_a_resignation_in_the_middle_of_a_match(stub: Any) -> None:
    table = await dealt(stub)
    await first_move(stub, table)
    response = await resign(stub, table, table.seats[0])
    assert response.version == 6


@pytest.mark.parametrize(
    ("who", "reason"),
    [("nobody", "UNAUTHENTICATED"), ("host", "WRONG_ROLE"), ("stranger", "MATCH_NOT_FOUND")],
)
async def test_only_a_seat_may_resign(stub: Any, who: str, reason: str) -> None:
    table = await dealt(stub)
    tokens = {"nobody": "", "host": table.host, "stranger": new_token()}
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await resign(stub, table, tokens[who])
    assert reason_of(refused.value) == reason
    assert (await get(stub, table)).match.version == 4


async def test_resigning_before_the_deal_and_after_the_end_is_refused(stub: Any) -> None:
    waiting, over = await lobby(stub), await dealt(stub)
    await resign(stub, over, over.seats[0])
    for table, reason in ((waiting, "NOT_STARTED"), (over, "MATCH_OVER")):
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await resign(stub, table, table.seats[0])
        assert reason_of(refused.value) == reason


async def test_the_host_aborts_a_lobby_and_a_match_that_has_not_begun(stub: Any) -> None:
    for table in (await lobby(stub), await dealt(stub)):
        first = await abort(stub, table, table.host, "once")
        (event,) = first.events
        assert event.WhichOneof("body") == "aborted"
        assert event.outcome == match_pb2.Outcome(cause=match_pb2.OUTCOME_CAUSE_ABORTED)
        again = await abort(stub, table, table.host, "once")
        assert (again.version, again.replayed) == (first.version, True)
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await abort(stub, table, table.host)
        assert reason_of(refused.value) == "MATCH_OVER"


async def test_nobody_is_to_move_in_a_match_that_was_called_off(stub: Any) -> None:
    table = await dealt(stub)
    await abort(stub, table, table.host)
    await check_nobody_is_to_move(stub, table)


async def test_aborting_ends_with_the_first_move(stub: Any) -> None:
    table = await dealt(stub)
    await first_move(stub, table)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await abort(stub, table, table.host)
    assert reason_of(refused.value) == "ALREADY_STARTED"


@pytest.mark.parametrize(
    ("who", "reason"),
    [("nobody", "UNAUTHENTICATED"), ("seat", "WRONG_ROLE"), ("stranger", "MATCH_NOT_FOUND")],
)
async def test_only_the_host_may_abort(stub: Any, who: str, reason: str) -> None:
    table = await dealt(stub)
    tokens = {"nobody": "", "seat": table.seats[0], "stranger": new_token()}
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await abort(stub, table, tokens[who])
    assert reason_of(refused.value) == reason


async def test_a_request_id_of_a_move_is_not_one_of_a_resignation(stub: Any) -> None:
    table = await dealt(stub)
    listed = await legal(stub, table, 0)
    await submit(stub, table, 0, submission(table, listed.version, listed.moves[0], "same"))
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await resign(stub, table, table.seats[0], "same")
    assert reason_of(refused.value) == "REQUEST_ID_REUSED"

"""Deadlines: lobbies, move limits, banks, leavers; by the store's clock, once and never early."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration

from dragonhall.v1 import match_pb2
from dragonhall.v1 import match_service_pb2 as pb
from tests.service.driver import (
    Table,
    dealt,
    get,
    legal,
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


def duration(milliseconds: int) -> Duration:
    proto = Duration()
    proto.FromMilliseconds(milliseconds)
    return proto


def clock(limit: int, bank: int = 0, action: Any = match_pb2.EXPIRY_ACTION_LOSE) -> match_pb2.Clock:
    return match_pb2.Clock(move_limit=duration(limit), bank=duration(bank), on_expiry=action)


async def events_until_over(stub: Any, table: Table) -> list[match_pb2.Event]:
    request = pb.WatchMatchRequest(match_id=table.match_id)
    messages = [message async for message in stub.WatchMatch(request)]
    return [message.event for message in messages if message.WhichOneof("body") == "event"]


def left_ms(reading: match_pb2.ClockReading) -> int:
    return int(reading.due_time.ToMilliseconds() - reading.as_of.ToMilliseconds())


async def test_a_lobby_expires(one_store_url: str) -> None:
    async with served(one_store_url, lobby_ttl_s=1) as stub:
        create = pb.CreateMatchRequest(
            request_id=request_id(), token=new_token(), options=options()
        )
        match = (await stub.CreateMatch(create)).match
        assert left_ms(match.clock) == 1000
        watch = stub.WatchMatch(pb.WatchMatchRequest(match_id=match.match_id))
        last = [message async for message in watch][-1].event
        assert last.WhichOneof("body") == "expired"
        assert last.outcome.cause == match_pb2.OUTCOME_CAUSE_EXPIRED
        assert last.commit_time.ToMilliseconds() >= match.clock.due_time.ToMilliseconds()
        join = pb.JoinMatchRequest(
            match_id=match.match_id, request_id=request_id(), token=new_token()
        )
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await stub.JoinMatch(join)
        assert reason_of(refused.value) == "MATCH_OVER"


async def test_joining_does_not_prolong_a_lobby(stub: Any) -> None:
    create = pb.CreateMatchRequest(request_id=request_id(), token=new_token(), options=options())
    match = (await stub.CreateMatch(create)).match
    join = pb.JoinMatchRequest(match_id=match.match_id, request_id=request_id(), token=new_token())
    joined = (await stub.JoinMatch(join)).match
    assert joined.clock.due_time == match.clock.due_time


async def test_out_of_time_loses(stub: Any) -> None:
    table = await dealt(stub, clock=clock(300))
    events = await events_until_over(stub, table)
    assert [event.WhichOneof("body") for event in events] == ["seat_left"]
    assert events[0].seat_left == match_pb2.SeatLeft(
        seat=0, cause=match_pb2.OUTCOME_CAUSE_TIMED_OUT
    )
    results = events[0].outcome.results
    assert [result.rank for result in results] == [2, 1]
    assert [result.cause for result in results] == [
        match_pb2.OUTCOME_CAUSE_TIMED_OUT,
        match_pb2.OUTCOME_CAUSE_COMPLETED,
    ]


async def test_out_of_time_makes_the_default_move_and_plays_on(stub: Any) -> None:
    action = match_pb2.EXPIRY_ACTION_DEFAULT_MOVE
    table = await dealt(stub, clock=clock(200, action=action), seed=b"s" * 64)
    default = (await legal(stub, table, 0)).moves[0].notation  # DH-8.1
    watch = stub.WatchMatch(pb.WatchMatchRequest(match_id=table.match_id))
    moves = []
    async for message in watch:
        if message.WhichOneof("body") == "event":
            moves.append(message.event)
        if len(moves) == 3:
            break
    watch.cancel()
    made = [event.move_made for event in moves]
    assert [(move.seat, move.reason) for move in made] == [
        (seat, match_pb2.MOVE_REASON_TIMED_OUT) for seat in (0, 1, 0)
    ]
    assert made[0].move.notation == default
    assert all(left_ms(event.clock) == 200 for event in moves)


async def test_what_a_move_takes_beyond_its_limit_comes_from_the_bank(stub: Any) -> None:
    table = await dealt(stub, clock=clock(100, bank=60_000))
    before = (await get(stub, table)).match.clock
    assert [bank.ToMilliseconds() for bank in before.banks] == [60_000, 60_000]
    start = before.due_time.ToMilliseconds() - 60_100
    await asyncio.sleep(0.4)
    listed = await legal(stub, table, 0)
    done = await submit(stub, table, 0, submission(table, listed.version, listed.moves[0]))
    event = done.events[-1]
    thought = event.commit_time.ToMilliseconds() - start
    assert thought >= 400
    banks = [bank.ToMilliseconds() for bank in event.clock.banks]
    assert banks == [60_000 - (thought - 100), 60_000]
    assert left_ms(event.clock) == 60_100
    match = (await get(stub, table)).match
    assert match.clock.due_time == event.clock.due_time
    assert match.clock.banks == event.clock.banks


async def test_a_quick_move_costs_no_bank(stub: Any) -> None:
    table = await dealt(stub, clock=clock(60_000, bank=5_000))
    listed = await legal(stub, table, 0)
    done = await submit(stub, table, 0, submission(table, listed.version, listed.moves[0]))
    assert [bank.ToMilliseconds() for bank in done.events[-1].clock.banks] == [5_000, 5_000]


async def test_a_move_after_the_deadline_is_refused_and_the_clock_wins(stub: Any) -> None:
    table = await dealt(stub, clock=clock(50))
    listed = await legal(stub, table, 0)
    await asyncio.sleep(0.06)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await submit(stub, table, 0, submission(table, listed.version, listed.moves[0]))
    assert reason_of(refused.value) in ("VERSION_CONFLICT", "MATCH_OVER")
    match = (await get(stub, table)).match
    assert match.outcome.cause == match_pb2.OUTCOME_CAUSE_TIMED_OUT


async def test_without_a_clock_a_silent_seat_has_left(one_store_url: str) -> None:
    async with served(one_store_url, idle_ttl_s=1) as stub:
        table = await dealt(stub)
        events = await events_until_over(stub, table)
        left = match_pb2.SeatLeft(seat=0, cause=match_pb2.OUTCOME_CAUSE_LEFT)
        assert [event.seat_left for event in events] == [left]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        (match_pb2.Clock(on_expiry=match_pb2.EXPIRY_ACTION_LOSE), "options.clock"),
        (match_pb2.Clock(move_limit=duration(1000)), "options.clock.on_expiry"),
        (clock(7 * 24 * 3_600_000 + 1), "options.clock.move_limit"),
        (clock(1, bank=-1), "options.clock.bank"),
        (
            match_pb2.Clock(bank=Duration(nanos=1_500_000), on_expiry=match_pb2.EXPIRY_ACTION_LOSE),
            "options.clock.bank",
        ),
        (
            match_pb2.Clock(bank=Duration(seconds=2**62), on_expiry=match_pb2.EXPIRY_ACTION_LOSE),
            "options.clock.bank",
        ),
    ],
)
async def test_a_clock_that_makes_no_sense_is_refused(stub: Any, given: Any, field: str) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await dealt(stub, clock=given)
    assert (refused.value.details() or "").startswith(f"{field}: ")

"""The verifier on matches that did not simply end by play: leavers, clocks, called off."""

import copy
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.json_format import MessageToDict

from dragonhall.v1 import dragonkeepers_pb2, game_pb2, match_pb2
from dragonhall.v1 import match_service_pb2 as pb
from dragonhall_service.app import running_server
from dragonhall_service.config import Settings
from tests.contract.strangers.node import Record, verify
from tests.service.admin_place import place
from tests.service.driver import (
    Table,
    dealt,
    metadata,
    new_token,
    options,
    play_on,
    request_id,
    stub_of,
)


@pytest.fixture
async def stub(one_store_url: str) -> AsyncIterator[Any]:
    settings = Settings(
        redis_url=one_store_url, listen="127.0.0.1:0", drain_s=0, grace_s=1, lobby_ttl_s=1
    )
    async with (
        running_server(settings) as server,
        grpc.aio.insecure_channel(server.target) as channel,
    ):
        yield stub_of(channel)


def hurried(action: Any) -> match_pb2.Clock:
    limit = Duration()
    limit.FromMilliseconds(1)
    return match_pb2.Clock(move_limit=limit, on_expiry=action)


async def record(stub: Any, match_id: str, tokens: tuple[str, ...] = ("",)) -> Record:
    """Wait for the end of a match, then fetch its replay and what its readers were told."""
    async for _ in stub.WatchMatch(pb.WatchMatchRequest(match_id=match_id)):
        pass
    replay = await stub.GetReplay(pb.GetReplayRequest(match_id=match_id))
    ask = pb.ListEventsRequest(match_id=match_id, page_size=500)
    logs = [await stub.ListEvents(ask, metadata=metadata(token)) for token in tokens]
    return {
        "replay": MessageToDict(replay),
        "logs": [[MessageToDict(event) for event in log.events] for log in logs],
    }


def verdict(record: Record) -> str:
    done = verify([record])
    assert done.returncode in (0, 1), done.stderr
    verdict, _, found = done.stdout.split(maxsplit=2)
    return f"{verdict} {found.strip()}"


async def resigned(stub: Any, table: Table, seat: int) -> Record:
    resign = pb.ResignMatchRequest(match_id=table.match_id, request_id=request_id())
    await stub.ResignMatch(resign, metadata=table.seated(seat))
    return await record(stub, table.match_id, table.seats)


@pytest.mark.parametrize("seat", [0, 1])
async def test_a_seat_resigns(stub: Any, seat: int) -> None:
    table = await dealt(stub)
    await play_on(stub, table, moves=5)
    told = await resigned(stub, table, seat)
    assert verdict(told).startswith("fair 5 moves")
    told["replay"]["leaves"][0]["seat"] = 1 - seat
    assert verdict(told).startswith("UNFAIR rank:")
    told["replay"]["leaves"][0]["cause"] = "OUTCOME_CAUSE_LEFT"
    assert verdict(told).startswith("UNFAIR outcome:")
    del told["replay"]["leaves"]
    assert verdict(told).startswith("UNFAIR outcome: not at its end")


def a_stranger_left(record: Record) -> None:
    """A match that was about to be lost is made a draw."""
    record["replay"]["leaves"][0]["seat"] = 2
    for result in record["replay"]["match"]["outcome"]["results"]:
        result |= {"rank": 1, "cause": "OUTCOME_CAUSE_COMPLETED"}


def it_left_before_the_last_move(record: Record) -> None:
    leave, move = record["replay"]["leaves"][0], record["replay"]["moves"][-1]
    leave["version"], move["version"] = move["version"], leave["version"]


def it_left_as_nobody_does(record: Record) -> None:
    for told in (record["replay"]["leaves"][0], record["replay"]["match"]["outcome"]):
        told["cause"] = "OUTCOME_CAUSE_COMPLETED"


def a_reader_was_told_of_the_other(record: Record) -> None:
    told = next(event["seatLeft"] for event in record["logs"][1] if "seatLeft" in event)
    told["seat"] = 1 - told.get("seat", 0)


@pytest.mark.parametrize(
    ("forge", "found"),
    [
        (a_stranger_left, "version 10: seat 2 cannot leave"),
        (it_left_before_the_last_move, "version 10: the match was over before"),
        (it_left_as_nobody_does, "version 10: nobody leaves by OUTCOME_CAUSE_COMPLETED"),
        (a_reader_was_told_of_the_other, "version 10: told another leave"),
    ],
)
async def test_a_forged_leave_is_found(
    stub: Any, forge: Callable[[Record], None], found: str
) -> None:
    table = await dealt(stub)
    await play_on(stub, table, moves=5)
    told = await resigned(stub, table, 0)
    forge(told)
    assert verdict(told).startswith(f"UNFAIR {found}")


async def test_a_seat_runs_out_of_time(stub: Any) -> None:
    table = await dealt(stub, clock=hurried(match_pb2.EXPIRY_ACTION_LOSE))
    told = await record(stub, table.match_id)
    assert told["replay"]["match"]["outcome"]["cause"] == "OUTCOME_CAUSE_TIMED_OUT"
    assert verdict(told).startswith("fair 0 moves")
    told["replay"]["match"]["outcome"]["results"][1]["score"] = 1
    assert verdict(told).startswith("UNFAIR score:")


async def test_a_clock_makes_default_moves(stub: Any) -> None:
    table = await dealt(stub, clock=hurried(match_pb2.EXPIRY_ACTION_DEFAULT_MOVE))
    watch = stub.WatchMatch(pb.WatchMatchRequest(match_id=table.match_id))
    async for message in watch:
        if message.event.version >= 8:
            break
    watch.cancel()
    told = await resigned(stub, table, 0)
    moves = told["replay"]["moves"]
    assert {move["reason"] for move in moves} == {"MOVE_REASON_TIMED_OUT"}
    assert verdict(told).startswith(f"fair {len(moves)} moves")
    told["replay"]["match"]["options"]["clock"]["onExpiry"] = "EXPIRY_ACTION_LOSE"
    assert verdict(told).startswith("UNFAIR version 5: who is out of time does not play on")


async def test_the_host_calls_it_off(stub: Any) -> None:
    table = await dealt(stub)
    abort = pb.AbortMatchRequest(match_id=table.match_id, request_id=request_id())
    await stub.AbortMatch(abort, metadata=metadata(table.host))
    told = await record(stub, table.match_id, table.seats)
    assert verdict(told).startswith("fair 0 moves")
    told["replay"]["match"]["outcome"]["cause"] = "OUTCOME_CAUSE_COMPLETED"
    assert verdict(told).startswith("UNFAIR outcome:")


async def test_nobody_sits_down(stub: Any) -> None:
    create = pb.CreateMatchRequest(request_id=request_id(), token=new_token(), options=options())
    match = (await stub.CreateMatch(create)).match
    told = await record(stub, match.match_id)
    assert told["replay"]["match"]["outcome"]["cause"] == "OUTCOME_CAUSE_EXPIRED"
    assert verdict(told).startswith("fair 0 moves")
    told["replay"]["match"]["deal"]["dealId"] = "another"
    assert verdict(told).startswith("UNFAIR commitment:")


async def test_an_operator_ends_a_match(one_store_url: str, tmp_path: Path) -> None:
    async with place(one_store_url, tmp_path) as at:
        table = await dealt(at.stub)
        await play_on(at.stub, table, moves=5)
        await at.admin.end_match(table.match_id)
        told = await record(at.stub, table.match_id, table.seats)
    assert verdict(told).startswith("fair 5 moves")
    told["replay"]["match"]["outcome"]["cause"] = "OUTCOME_CAUSE_ABORTED"
    assert verdict(told).startswith("UNFAIR outcome: called off after it had begun")


async def dragonkeepers(stub: Any, seats: int, clock: match_pb2.Clock | None = None) -> Table:
    """Fill a table of Dragonkeepers, source edition."""
    edition = dragonkeepers_pb2.DRAGONKEEPERS_EDITION_SOURCE
    setup = game_pb2.GameSetup(
        dragonkeepers=dragonkeepers_pb2.DragonkeepersSetup(edition=edition, seats=seats)
    )
    chosen = match_pb2.MatchOptions(
        setup=setup, visibility=match_pb2.VISIBILITY_PUBLIC, start_seat=0, clock=clock
    )
    host = new_token()
    create = pb.CreateMatchRequest(request_id=request_id(), token=host, options=chosen)
    match_id = (await stub.CreateMatch(create)).match.match_id
    tokens = tuple(new_token() for _ in range(seats))
    for token in tokens:
        join = pb.JoinMatchRequest(match_id=match_id, request_id=request_id(), token=token)
        await stub.JoinMatch(join)
    return Table(match_id, host, tokens)


async def test_a_clock_makes_default_moves_of_dragonkeepers(stub: Any) -> None:
    clock = hurried(match_pb2.EXPIRY_ACTION_DEFAULT_MOVE)
    table = await dragonkeepers(stub, 2, clock)
    watch = stub.WatchMatch(pb.WatchMatchRequest(match_id=table.match_id))
    async for message in watch:
        if message.event.version >= 12:  # a turn of each seat
            break
    watch.cancel()
    told = await resigned(stub, table, 1)
    moves = told["replay"]["moves"]
    assert {move["reason"] for move in moves} >= {"MOVE_REASON_TIMED_OUT"}
    assert verdict(told).startswith(f"fair {len(moves)} moves")


async def test_a_seat_of_three_leaves_and_the_others_play_on(stub: Any) -> None:
    table = await dragonkeepers(stub, 3)
    await play_on(stub, table, moves=9)
    resign = pb.ResignMatchRequest(match_id=table.match_id, request_id=request_id())
    await stub.ResignMatch(resign, metadata=table.seated(1))
    await play_on(stub, table, moves=40)
    told = await resigned(stub, table, 0)
    moves = told["replay"]["moves"]
    assert "MOVE_REASON_SEAT_LEFT" in {move["reason"] for move in moves}
    assert [result["rank"] for result in told["replay"]["match"]["outcome"]["results"]] == [2, 3, 1]
    assert verdict(told).startswith(f"fair {len(moves)} moves")
    twice = copy.deepcopy(told)
    leaves = twice["replay"]["leaves"]
    leaves[1] |= {"seat": 1}
    assert verdict(twice).startswith(f"UNFAIR version {leaves[1]['version']}: seat 1 cannot leave")
    by_server = next(move for move in moves if move["reason"] == "MOVE_REASON_SEAT_LEFT")
    by_server["reason"] = "MOVE_REASON_PLAYER"
    assert verdict(told).startswith(f"UNFAIR version {by_server['version']}: seat 1 left")

"""AdminService: what operators may do on the listener that is theirs, and nobody else."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration

from dragonhall.sdk import new_token
from dragonhall.v1 import admin_service_pb2 as pb
from dragonhall.v1 import match_pb2, match_service_pb2
from dragonhall_service.store.keys import keys_of
from tests.service.admin_place import Place, place, refused
from tests.service.driver import (
    Table,
    dealt,
    get,
    options,
    play_on,
    reason_of,
)
from tests.service.test_bots import ByHand, registered

CLOCK = match_pb2.Clock(move_limit=Duration(seconds=600), on_expiry=match_pb2.EXPIRY_ACTION_LOSE)


@pytest.fixture
async def at(one_store_url: str, tmp_path: Path) -> AsyncIterator[Place]:
    async with place(one_store_url, tmp_path) as opened:
        yield opened


async def test_a_private_match_is_shown_as_a_spectator_would_see_it(at: Place) -> None:
    table = await dealt(at.stub, public=False, seed=b"s" * 64)
    told = await at.admin.inspect_match(table.match_id)
    seen = (await get(at.stub, table, table.seats[0])).match
    assert not told.HasField("overdue")
    for match in (told.match, seen):
        match.clock.ClearField("as_of")
    assert told.match == seen
    await refused(at.admin.inspect_match("a" * 26), "MATCH_NOT_FOUND")


async def test_a_match_is_ended_and_everybody_is_told(at: Place) -> None:
    table = await dealt(at.stub)
    await play_on(at.stub, table, 3)
    watch = at.stub.WatchMatch(match_service_pb2.WatchMatchRequest(match_id=table.match_id))
    await watch.read()
    ended = await at.admin.end_match(table.match_id)
    assert ended.outcome.cause == match_pb2.OUTCOME_CAUSE_SERVER_FAULT
    event = (await watch.read()).event
    assert event.WhichOneof("body") == "failed"
    assert (event.version, event.outcome) == (ended.version, ended.outcome)
    assert await watch.read() is grpc.aio.EOF
    await refused(at.admin.end_match(table.match_id), "MATCH_OVER")


async def test_the_same_request_ends_a_match_once(at: Place) -> None:
    table = await dealt(at.stub)
    request = pb.EndMatchRequest(match_id=table.match_id, request_id="a")
    answers = [await at.admin._call(at.admin._stub.EndMatch, request) for _ in range(2)]
    assert [answer.replayed for answer in answers] == [False, True]
    assert answers[0].match.version == answers[1].match.version


async def late(at: Place, table: Table) -> None:
    """Let the deadline of a match have passed a minute ago."""
    keys = keys_of(table.match_id)
    due = int(await at.raw.zscore(keys.live, table.match_id))
    time = await at.raw.time()
    passed = time[0] * 1000 - 60_000
    assert due > passed
    await at.raw.hset(keys.match, "due", passed)
    await at.raw.zadd(keys.live, {table.match_id: passed})


async def stuck(at: Place, table: Table) -> pb.StuckMatch | None:
    found = await at.admin.list_stuck_matches(timedelta(seconds=30), 100)
    return next((each for each in found if each.match_id == table.match_id), None)


@pytest.mark.parametrize("harm", ["corrupt", "state", "newer", "absent"])
async def test_a_match_that_nobody_can_go_on_with_is_listed(at: Place, harm: str) -> None:
    table = await dealt(at.stub, clock=CLOCK)
    keys = keys_of(table.match_id)
    assert await stuck(at, table) is None
    if harm == "corrupt":
        await at.raw.hdel(keys.match, "fixed")
    elif harm == "state":
        await at.raw.hset(keys.match, "state", b"\x01nonsense")
    elif harm == "newer":
        await at.raw.hset(keys.match, "format", 99)
    await late(at, table)
    if harm == "absent":
        await at.raw.delete(keys.match)
    found = await stuck(at, table)
    await at.raw.zrem(keys.live, table.match_id)
    assert found is not None
    assert not found.HasField("match")
    told = pb.StuckReason.Name(found.reason).removeprefix("STUCK_REASON_")
    assert told == {"newer": "SCHEMA_TOO_NEW", "absent": "ABSENT"}.get(harm, "CORRUPT")


async def test_a_match_that_was_just_late_is_not_listed_once_it_was_fired(at: Place) -> None:
    table = await dealt(at.stub, clock=CLOCK)
    await late(at, table)
    while not (await get(at.stub, table)).match.HasField("outcome"):
        await asyncio.sleep(0.05)
    assert await stuck(at, table) is None


async def test_an_overdue_match_is_listed_with_how_late_it_is(
    at: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fire_nothing(ports: Any) -> int:
        return 0

    monkeypatch.setattr("dragonhall_service.app.fire_due", fire_nothing)
    table = await dealt(at.stub, clock=CLOCK)
    await asyncio.sleep(0.8)  # a round of deadlines that had begun before
    await late(at, table)
    found = await stuck(at, table)
    assert found is not None
    assert found.reason == pb.STUCK_REASON_OVERDUE
    assert found.match.match_id == table.match_id
    assert found.overdue.ToTimedelta() >= timedelta(seconds=60)
    told = await at.admin.inspect_match(table.match_id)
    assert told.overdue.ToTimedelta() >= timedelta(seconds=60)
    await at.admin.end_match(table.match_id)


# ---- tokens -------------------------------------------------------------------------------------


async def test_a_revoked_seat_leaves_and_its_token_opens_nothing(at: Place) -> None:
    table = await dealt(at.stub)
    watched = match_service_pb2.WatchMatchRequest(match_id=table.match_id)
    thief, friend = (at.stub.WatchMatch(watched, metadata=table.seated(n)) for n in (0, 1))
    for watch in (thief, friend):
        await watch.read()
    match = await at.admin.revoke_seat(table.match_id, 0)
    assert match.outcome.results[0].cause == match_pb2.OUTCOME_CAUSE_LEFT
    left = (await friend.read()).event.seat_left
    assert (left.seat, left.cause) == (0, match_pb2.OUTCOME_CAUSE_LEFT)
    with pytest.raises(grpc.aio.AioRpcError) as ended:
        await thief.read()
    assert reason_of(ended.value) == "MATCH_NOT_FOUND"
    with pytest.raises(grpc.aio.AioRpcError) as blind:
        await get(at.stub, table, table.seats[0])
    assert reason_of(blind.value) == "MATCH_NOT_FOUND"
    await get(at.stub, table, table.seats[1])
    await refused(at.admin.revoke_seat(table.match_id, 1), "MATCH_OVER")


async def test_who_asks_again_for_a_seat_that_was_revoked_finds_no_match(at: Place) -> None:
    match = await at.client.create_match(new_token(), options())
    thief = new_token()
    join = match_service_pb2.JoinMatchRequest(
        match_id=match.match_id, request_id="mine", token=thief, seat=0
    )
    await at.stub.JoinMatch(join)
    await at.client.join_match(match.match_id, new_token())
    await at.admin.revoke_seat(match.match_id, 0)
    with pytest.raises(grpc.aio.AioRpcError) as blind:
        await at.stub.JoinMatch(join)
    assert reason_of(blind.value) == "MATCH_NOT_FOUND"


async def test_with_more_seats_the_others_play_on_and_the_token_cannot_move(at: Place) -> None:
    game = await at.client.get_game("dragonkeepers")
    setup = game.editions[0].setup
    setup.dragonkeepers.seats = 3
    tokens = [new_token() for _ in range(3)]
    made = await at.client.create_match(
        new_token(), {"setup": setup, "visibility": 1, "start_seat": 0}
    )
    for token in tokens:
        await at.client.join_match(made.match_id, token)
    listed = await at.client.legal_moves(made.match_id, tokens[0])
    match = await at.admin.revoke_seat(made.match_id, 0)
    assert match.phase == match_pb2.MATCH_PHASE_RUNNING
    assert match.seats[0].taken
    call = at.client.submit_move(made.match_id, tokens[0], listed.version, listed.moves[0])
    await refused(call, "MATCH_NOT_FOUND")
    assert match.seat_to_move != 0
    mine = tokens[match.seat_to_move]
    now = await at.client.legal_moves(made.match_id, mine)
    await at.client.submit_move(made.match_id, mine, now.version, now.moves[0])
    await refused(at.admin.revoke_seat(made.match_id, 0), "SEAT_LEFT")
    await refused(at.admin.revoke_seat(made.match_id, 3), "FIELD_INVALID")


async def test_a_seat_before_the_deal_is_not_revoked_alone(at: Place) -> None:
    match = await at.client.create_match(new_token(), options())
    await at.client.join_match(match.match_id, new_token())
    await refused(at.admin.revoke_seat(match.match_id, 0), "NOT_STARTED")
    ended = await at.admin.end_match(match.match_id)
    assert ended.outcome.cause == match_pb2.OUTCOME_CAUSE_SERVER_FAULT


async def test_a_revoked_bot_is_sent_away_everywhere(at: Place) -> None:
    name, token = await registered(at.client)
    stream = ByHand(at.client, token)
    await stream.hello()
    await at.admin.revoke_bot(name)
    with pytest.raises(grpc.aio.AioRpcError) as gone:
        # Without a word: a pong that meets the end makes grpc.aio forget why it came.
        while await stream.call.read() is not grpc.aio.EOF:
            pass
    assert reason_of(gone.value) == "BOT_NOT_FOUND"
    await refused(at.client.list_bot_calls(token), "BOT_NOT_FOUND")
    await at.admin.revoke_bot(name)
    await refused(at.admin.revoke_bot("nobody"), "BOT_NOT_FOUND")


# ---- draining -----------------------------------------------------------------------------------

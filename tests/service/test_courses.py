"""What the server does by itself: for seats that left, and where a seat may only pass."""

import random
from collections import Counter
from collections.abc import AsyncIterator

import pytest
from google.protobuf.duration_pb2 import Duration

from dragonhall.sdk import Client, new_token
from dragonhall.v1 import dragonkeepers_pb2, game_pb2, match_pb2
from dragonhall_service.app import running_server
from dragonhall_service.config import Settings

SEATS = 4


@pytest.fixture
async def client(one_store_url: str) -> AsyncIterator[Client]:
    settings = Settings(redis_url=one_store_url, listen="127.0.0.1:0", drain_s=0, grace_s=1)
    async with running_server(settings) as server, Client(server.target) as opened:
        yield opened


async def dealt(
    client: Client, *, auto_pass: bool | None = None, clock: match_pb2.Clock | None = None
) -> tuple[str, list[str]]:
    edition = dragonkeepers_pb2.DRAGONKEEPERS_EDITION_SOURCE
    setup = dragonkeepers_pb2.DragonkeepersSetup(edition=edition, seats=SEATS)
    options = match_pb2.MatchOptions(
        setup=game_pb2.GameSetup(dragonkeepers=setup),
        visibility=match_pb2.VISIBILITY_PUBLIC,
        start_seat=0,
        auto_pass=auto_pass,
        clock=clock,
    )
    match = await client.create_match(new_token(), options, seed=b"k" * 64, deal_id="courses")
    tokens = [new_token() for _ in range(SEATS)]
    for token in tokens:
        await client.join_match(match.match_id, token)
    return match.match_id, tokens


async def play(client: Client, match_id: str, tokens: list[str], moves: int) -> match_pb2.Match:
    """Make random moves for every seat that is asked."""
    chance = random.Random(1)
    for _ in range(moves):
        match = (await client.get_match(match_id)).match
        if match.HasField("outcome"):
            break
        token = tokens[match.seat_to_move]
        listed = await client.legal_moves(match_id, token)
        move = chance.choice(listed.moves)
        await client.submit_move(match_id, token, listed.version, move)
    return (await client.get_match(match_id)).match


async def reasons(client: Client, match_id: str) -> Counter[str]:
    """Count who decided the moves, checking that every version is there."""
    events = [event async for event in client.list_events(match_id)]
    assert [event.version for event in events] == list(range(1, len(events) + 1))
    made = [event.move_made.reason for event in events if event.HasField("move_made")]
    return Counter(match_pb2.MoveReason.Name(reason) for reason in made)


async def test_the_server_moves_for_seats_that_left_and_ranks_them_last(client: Client) -> None:
    match_id, tokens = await dealt(client)
    await play(client, match_id, tokens, 10)
    away = [2, 0]
    for seat in away:
        await client.resign_match(match_id, tokens[seat])
        match = (await client.get_match(match_id)).match
        assert match.phase == match_pb2.MATCH_PHASE_RUNNING
        assert match.seat_to_move not in away[: away.index(seat) + 1]
    match = await play(client, match_id, tokens, 10_000)
    results = match.outcome.results
    assert match.outcome.cause == match_pb2.OUTCOME_CAUSE_COMPLETED
    assert (results[2].rank, results[0].rank) == (4, 3)
    assert {results[1].rank, results[3].rank} <= {1, 2}
    assert results[0].cause == results[2].cause == match_pb2.OUTCOME_CAUSE_RESIGNED
    events = [event async for event in client.list_events(match_id)]
    left = {event.seat_left.seat: event.version for event in events if event.HasField("seat_left")}
    for event in events:
        made = event.move_made
        if event.HasField("move_made") and made.seat in left and event.version > left[made.seat]:
            assert made.reason == match_pb2.MOVE_REASON_SEAT_LEFT
    assert (await reasons(client, match_id))["MOVE_REASON_SEAT_LEFT"] > 10


async def test_when_one_seat_is_left_the_match_is_over(client: Client) -> None:
    match_id, tokens = await dealt(client)
    for seat in (1, 3, 0):
        assert not (await client.get_match(match_id)).match.HasField("outcome")
        await client.resign_match(match_id, tokens[seat])
    outcome = (await client.get_match(match_id)).match.outcome
    assert [result.rank for result in outcome.results] == [2, 4, 1, 3]
    assert outcome.cause == match_pb2.OUTCOME_CAUSE_RESIGNED


async def test_automatic_passes_are_an_option_and_say_so(client: Client) -> None:
    passes = {}
    for auto_pass in (None, True, False):
        match_id, tokens = await dealt(client, auto_pass=auto_pass)
        await play(client, match_id, tokens, 60)
        passes[auto_pass] = (await reasons(client, match_id))["MOVE_REASON_AUTO_PASS"]
    assert passes[None] == passes[True] > 0
    assert passes[False] == 0


async def test_an_automatic_pass_is_part_of_the_answer_and_of_its_repeat(client: Client) -> None:
    match_id, tokens = await dealt(client)
    chance = random.Random(3)
    while True:
        match = (await client.get_match(match_id)).match
        token = tokens[match.seat_to_move]
        listed = await client.legal_moves(match_id, token)
        response = await client.submit_move(
            match_id, token, listed.version, chance.choice(listed.moves)
        )
        if len(response.events) > 1:
            break
    first, *further = response.events
    assert first.move_made.reason == match_pb2.MOVE_REASON_PLAYER
    assert {event.move_made.reason for event in further} == {match_pb2.MOVE_REASON_AUTO_PASS}
    assert not first.HasField("clock")
    assert further[-1].HasField("clock")
    after = (await client.get_match(match_id)).match
    assert (after.version, after.seat_to_move) == (further[-1].version, further[-1].seat_to_move)


async def test_a_seat_out_of_time_takes_one_card_and_its_step_ends(client: Client) -> None:
    clock = match_pb2.Clock(
        move_limit=Duration(nanos=300_000_000), on_expiry=match_pb2.EXPIRY_ACTION_DEFAULT_MOVE
    )
    match_id, _ = await dealt(client, clock=clock)
    made = []
    async for message in client.watch(match_id):
        if message.event.HasField("move_made"):
            made.append(message.event)
        if len(made) >= 2:
            break
    take, end = made[:2]  # DK-10.1
    assert [event.move_made.reason for event in (take, end)] == [
        match_pb2.MOVE_REASON_TIMED_OUT
    ] * 2
    assert take.move_made.seat == end.move_made.seat == 0
    assert take.commit_time == end.commit_time
    assert take.move_made.move.dragonkeepers.HasField("take")
    assert end.move_made.move.dragonkeepers.HasField("end_take")

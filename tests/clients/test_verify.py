"""A finished match is verified from its seed; every tampering is told, and where."""

import asyncio
import contextlib
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from google.protobuf import json_format
from google.protobuf.message import DecodeError

from dragonhall.cli.replaying import Finished, check_finished
from dragonhall.cli.retelling import Differs
from dragonhall.sdk import Client
from dragonhall.v1 import dragonheart_pb2, dragonkeepers_pb2, match_pb2
from dragonhall.v1.match_service_pb2 import GetReplayResponse, WatchMatchResponse
from tests.budget import cases
from tests.clients.finished import played
from tests.clients.inside import command, inside


async def read(moves: int, game: str = "dragonheart", seats: int = 2) -> Finished:
    """Return a match with the events as seat 0 knows them."""
    async with played(game, seats, moves=moves) as match, Client(match.target) as client:
        log = client.list_events(match.match_id, match.tokens[0])
        return Finished(match.replay, 0, [event async for event in log])


@pytest.fixture(scope="module")
def seen() -> Finished:
    return asyncio.run(read(moves=1000))


@pytest.fixture(scope="module")
def resigned() -> Finished:
    return asyncio.run(read(moves=12))


@pytest.fixture(scope="module")
def kept() -> Finished:
    """A match of three seats, one of which leaves, and whose server decides this and that."""
    return asyncio.run(read(60, "dragonkeepers", 3))


def copy(seen: Finished) -> Finished:
    replay = GetReplayResponse.FromString(seen.replay.SerializeToString())
    events = [match_pb2.Event.FromString(event.SerializeToString()) for event in seen.events]
    return Finished(replay, seen.reader, events)


def seed_bit(seen: Finished) -> None:
    seed = bytearray(seen.replay.seed)
    seed[63] ^= 1
    seen.replay.seed = bytes(seed)


def short_seed(seen: Finished) -> None:
    seen.replay.seed = seen.replay.seed[:32]


def commitment(seen: Finished) -> None:
    seen.replay.match.deal.commitment = bytes(64)


def deal_id(seen: Finished) -> None:
    seen.replay.match.deal.deal_id += "x"


def ruleset(seen: Finished) -> None:
    seen.replay.match.deal.ruleset = "dragonheart/2"


def contribution(seen: Finished) -> None:
    seen.replay.match.seats[1].contribution = b"Bp"


def long_contribution(seen: Finished) -> None:
    seen.replay.match.seats[1].contribution = bytes(65)


def no_game(seen: Finished) -> None:
    seen.replay.match.options.ClearField("setup")


def third_seat(seen: Finished) -> None:
    seen.replay.match.seats.add(seat=2)


def start_seat(seen: Finished) -> None:
    seen.replay.match.options.start_seat = 1


def no_such_start_seat(seen: Finished) -> None:
    seen.replay.match.options.start_seat = 2


def other_cards(seen: Finished) -> None:
    """A card that a seat cannot hold for the fourth time."""
    move = seen.replay.moves[10].move
    move.CopyFrom(type(move)(notation="F4 F4", dragonheart=two_fires()))


def two_fires() -> dragonheart_pb2.DragonheartMove:
    card = dragonheart_pb2.DragonheartCard(
        type=dragonheart_pb2.DRAGONHEART_CARD_TYPE_FIRE_DRAGON, value=4
    )
    return dragonheart_pb2.DragonheartMove(cards=[card, card])


def typed_form(seen: Finished) -> None:
    seen.replay.moves[10].move.dragonheart.CopyFrom(two_fires())


def bad_notation(seen: Finished) -> None:
    seen.replay.moves[10].move.notation = "X9"


def other_seat(seen: Finished) -> None:
    seen.replay.moves[10].seat ^= 1


def no_such_seat(seen: Finished) -> None:
    seen.replay.moves[10].seat = 7


def dropped_move(seen: Finished) -> None:
    del seen.replay.moves[10]


def dropped_end(seen: Finished) -> None:
    del seen.replay.moves[-1]


def renumbered_end(seen: Finished) -> None:
    del seen.replay.moves[-1]
    seen.replay.match.version -= 1


def doubled_move(seen: Finished) -> None:
    seen.replay.moves.append(seen.replay.moves[-1])


def score(seen: Finished) -> None:
    seen.replay.match.outcome.results[1].score += 1


def winner(seen: Finished) -> None:
    for result in seen.replay.match.outcome.results:
        result.rank = 3 - result.rank


def missing_result(seen: Finished) -> None:
    del seen.replay.match.outcome.results[1]


def told_card(seen: Finished) -> None:
    """The reader was told of another card than it drew."""
    drawn = seen.events[4].move_made.facts[-1].dragonheart.cards_drawn
    drawn.cards[0].value = 5


def told_of_another(seen: Finished) -> None:
    """The reader was told what it may not know."""
    facts = seen.events[5].move_made.facts
    facts[-1].dragonheart.cards_drawn.cards.add(type=1, value=1)


def logged_move(seen: Finished) -> None:
    seen.events[4].move_made.move.notation = "D1"


def other_cause(seen: Finished) -> None:
    seen.replay.match.outcome.cause = match_pb2.OUTCOME_CAUSE_RESIGNED


def no_results(seen: Finished) -> None:
    del seen.replay.match.outcome.results[:]


def timed_out(seen: Finished) -> None:
    """The server is said to have decided what is not the default move."""
    seen.replay.moves[10].reason = match_pb2.MOVE_REASON_TIMED_OUT


def passed(seen: Finished) -> None:
    seen.replay.moves[10].reason = match_pb2.MOVE_REASON_AUTO_PASS


def gone(seen: Finished) -> None:
    seen.replay.moves[10].reason = match_pb2.MOVE_REASON_SEAT_LEFT


def decided(seen: Finished) -> None:
    """Who decided is in the log too."""
    seen.replay.moves[10].reason = match_pb2.MOVE_REASON_UNSPECIFIED


def left_too(seen: Finished) -> None:
    seen.replay.leaves.add(version=seen.replay.match.version + 1, seat=1, cause=2)


TAMPERINGS: list[tuple[Callable[[Finished], None], str]] = [
    (seed_bit, "do not give the commitment"),
    (short_seed, "a seed has 64 bytes"),
    (commitment, "do not give the commitment"),
    (deal_id, "do not give the commitment"),
    (ruleset, "bound to other rules"),
    (contribution, "version "),
    (long_contribution, "at most 64 bytes"),
    (no_game, "name a game"),
    (third_seat, "2 seats, the match has 3"),
    (start_seat, "NOT_YOUR_TURN"),
    (no_such_start_seat, "cannot be dealt"),
    (other_cards, "version 15, seat 0: DH-4.9 NOT_IN_HAND"),
    (typed_form, "its typed form is F4 F4"),
    (bad_notation, "not a card"),
    (other_seat, "NOT_YOUR_TURN"),
    (no_such_seat, "version 15, seat 7"),
    (dropped_move, "version 15 is missing"),
    (dropped_end, "the match has version "),
    (renumbered_end, "the match is not over"),
    (doubled_move, "is missing: "),
    (score, "seat 1: rank, score and cause are"),
    (winner, "seat 0: rank, score and cause are"),
    (missing_result, "seat 1: rank, score and cause are"),
    (told_card, "version 5: the log tells something else"),
    (told_of_another, "version 6: the log tells something else"),
    (logged_move, "version 5: the log tells something else"),
    (other_cause, "the match ended otherwise: completed"),
    (no_results, "a match that was called off has no moves"),
    (timed_out, "is not the server's to decide"),
    (passed, "is not the server's to decide"),
    (gone, "version 15, seat 0: it had not left"),
    (decided, "version 15: the log tells something else"),
    (left_too, "the match was over before"),
]


def leave_cause(seen: Finished) -> None:
    seen.replay.leaves[0].cause = match_pb2.OUTCOME_CAUSE_TIMED_OUT


def leave_how(seen: Finished) -> None:
    seen.replay.leaves[0].cause = match_pb2.OUTCOME_CAUSE_COMPLETED


def leave_seat(seen: Finished) -> None:
    seen.replay.leaves[0].seat ^= 1


def leave_early(seen: Finished) -> None:
    seen.replay.leaves[0].version -= 1
    seen.replay.moves[-1].version += 1


def nobody_left(seen: Finished) -> None:
    del seen.replay.leaves[:]
    seen.replay.match.version -= 1


LEAVINGS: list[tuple[Callable[[Finished], None], str]] = [
    (leave_cause, "the match ended otherwise: timed_out"),
    (leave_how, "it cannot leave so"),
    (leave_seat, "seat 0: rank, score and cause are"),
    (leave_early, "the match was over before"),
    (nobody_left, "after the last move the match is not over"),
    (score, "seat 1: rank, score and cause are"),
    (contribution, "version "),
]


def test_an_honest_match_is_verified(seen: Finished) -> None:
    check_finished(seen)


@pytest.mark.parametrize(("tamper", "told"), TAMPERINGS, ids=[t.__name__ for t, _ in TAMPERINGS])
def test_a_tampering_is_found(
    seen: Finished, tamper: Callable[[Finished], None], told: str
) -> None:
    tampered = copy(seen)
    tamper(tampered)
    with pytest.raises(Differs) as differs:
        check_finished(tampered)
    assert told in str(differs.value)


@pytest.mark.parametrize(("tamper", "told"), LEAVINGS, ids=[t.__name__ for t, _ in LEAVINGS])
def test_a_tampering_with_leavers_is_found(
    resigned: Finished, tamper: Callable[[Finished], None], told: str
) -> None:
    check_finished(resigned)
    tampered = copy(resigned)
    tamper(tampered)
    with pytest.raises(Differs) as differs:
        check_finished(tampered)
    assert told in str(differs.value)


def server_moves(kept: Finished, reason: match_pb2.MoveReason.ValueType) -> list[int]:
    return [n for n, move in enumerate(kept.replay.moves) if move.reason == reason]


def left_for_good(kept: Finished) -> None:
    kept.replay.moves[-1].reason = match_pb2.MOVE_REASON_SEAT_LEFT


def back_again(kept: Finished) -> None:
    """A seat that has left is said to have decided itself."""
    moved = server_moves(kept, match_pb2.MOVE_REASON_SEAT_LEFT)[0]
    kept.replay.moves[moved].reason = match_pb2.MOVE_REASON_PLAYER


def own_pass(kept: Finished) -> None:
    passed = server_moves(kept, match_pb2.MOVE_REASON_AUTO_PASS)[0]
    kept.replay.moves[passed].reason = match_pb2.MOVE_REASON_PLAYER


def stranger_left(kept: Finished) -> None:
    kept.replay.leaves[0].seat = 3


def left_twice(kept: Finished) -> None:
    kept.replay.leaves.add().CopyFrom(kept.replay.leaves[0])
    kept.replay.leaves[1].version = kept.replay.moves[-1].version
    kept.replay.moves[-1].version += 1


def other_setup(kept: Finished) -> None:
    setup = kept.replay.match.options.setup.dragonkeepers
    setup.edition = dragonkeepers_pb2.DRAGONKEEPERS_EDITION_PUBLISHED


KEEPINGS: list[tuple[Callable[[Finished], None], str]] = [
    (left_for_good, "had not left"),
    (back_again, "had left"),
    (own_pass, "the log tells something else"),
    (stranger_left, "it cannot leave so"),
    (left_twice, "it cannot leave so"),
    (other_setup, "bound to other rules: dragonkeepers-source/1"),
    (seed_bit, "do not give the commitment"),
    (score, "seat 1: rank, score and cause are"),
]


@pytest.mark.parametrize(("tamper", "told"), KEEPINGS, ids=[t.__name__ for t, _ in KEEPINGS])
def test_a_tampering_with_what_the_server_decides_is_found(
    kept: Finished, tamper: Callable[[Finished], None], told: str
) -> None:
    check_finished(kept)
    tampered = copy(kept)
    tamper(tampered)
    with pytest.raises(Differs) as differs:
        check_finished(tampered)
    assert told in str(differs.value)


def test_a_match_of_dragonkeepers_is_replayed_as_each_seat_saw_it(
    kept: Finished, tmp_path: Path
) -> None:
    saved = tmp_path / "match.json"
    saved.write_text(json_format.MessageToJson(kept.replay))
    boards = len(kept.replay.moves) + len(kept.replay.leaves) + 1
    shown = inside("replay", str(saved), "--seat", "2").stdout
    assert shown.count("Your hand (") == shown.count("C Cy (you)") == boards
    assert "Your hand (" not in inside("replay", str(saved)).stdout
    assert "verified" in inside("verify", str(saved)).stdout


def test_whatever_a_file_holds_is_verified_or_told(seen: Finished, kept: Finished) -> None:
    chance, tried = random.Random(1), 0
    for number in range(cases(ci=150, sweep=3000)):
        data = bytearray((seen, kept)[number % 2].replay.SerializeToString())
        for _ in range(chance.randrange(1, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        with contextlib.suppress(DecodeError, Differs):
            check_finished(Finished(GetReplayResponse.FromString(bytes(data))))
            tried += 1  # changed where it does not matter, such as a name
    assert tried


def test_a_match_called_off_has_a_commitment_alone() -> None:
    aborted = asyncio.run(read(moves=0))
    check_finished(aborted)
    seed_bit(aborted)
    with pytest.raises(Differs, match="commitment"):
        check_finished(aborted)


def test_every_seed_bit_matters(seen: Finished) -> None:
    for bit in range(512):
        tampered = copy(Finished(seen.replay))
        seed = int.from_bytes(tampered.replay.seed, "big") ^ 1 << bit
        tampered.replay.seed = seed.to_bytes(64, "big")
        with pytest.raises(Differs, match="commitment"):
            check_finished(tampered)


def test_a_file_is_verified_offline(seen: Finished, tmp_path: Path) -> None:
    good, bad, none = tmp_path / "good.json", tmp_path / "bad.json", tmp_path / "none.json"
    good.write_text(json_format.MessageToJson(seen.replay))
    tampered = copy(seen)
    score(tampered)
    bad.write_text(json_format.MessageToJson(tampered.replay))
    none.write_text("{}x")
    moves = len(seen.replay.moves)
    done = inside("verify", str(good))
    match_id = seen.replay.match.match_id
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (f"{match_id}: verified: commitment, deal, {moves} moves and outcome\n")
    done = inside("verify", str(bad))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "seat 1: rank, score and cause are" in done.stderr
    done = inside("verify", str(bad), "--json")
    assert (done.returncode, done.stderr) == (1, "")
    said = json.loads(done.stdout)
    assert (said["matchId"], said["verified"]) == (match_id, False)
    assert "seat 1: rank, score and cause are" in said["differs"]
    assert json.loads(inside("verify", str(good), "--json").stdout)["verified"] is True
    done = inside("verify", str(none))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["verify", "nowhere.json"], "is no file, and no match id"),
        (["replay", "nowhere.json"], "is no file, and no match id"),
        (["replay", "a" * 26, "--token", "two words"], "--token is base64url"),
        (["replay", "x", "--step", "--delay", "1"], "not both"),
        (["replay", "x", "--delay", "-1"], "--delay is 0 to 3600"),
        (["replay", "x", "--delay", "nan"], "--delay is 0 to 3600"),
    ],
)
def test_a_mistake_is_one_clear_line(args: list[str], told: str) -> None:
    done = inside(*args)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert told in line


async def test_a_match_of_a_server_is_verified_and_replayed(tmp_path: Path) -> None:
    async with played() as match:
        at = ["--server", match.target]
        moves, last = len(match.replay.moves), match.replay.match.version
        verified = await command("verify", match.match_id, *at, "--token", match.tokens[1])
        assert f" {moves} moves, {last} events and outcome" in verified
        boards = await command("replay", match.match_id, *at, "--seat", "1")
        assert boards.count("Your hand:") == moves + 1
        assert boards.count("B Bo (you)") == moves + 1
        assert boards.splitlines()[-1].startswith("Won by ")
        saved = tmp_path / "match.json"
        saved.write_text(await command("replay", match.match_id, *at, "--json"))
        assert json_format.Parse(saved.read_text(), GetReplayResponse()) == match.replay
        stepped = await command("replay", str(saved), "--step")
        assert stepped.count("Enter: the next board") == moves + 1
        assert "--seat is 0 to 1" in await command("replay", str(saved), "--seat", "2", code=2)
        (listed,) = (await command("matches", *at, "--json")).splitlines()
        assert json_format.Parse(listed, match_pb2.Match()) == match.replay.match
        watched = (await command("watch", match.match_id, *at, "--json")).splitlines()
        assert len(watched) == 1
        assert json_format.Parse(watched[0], WatchMatchResponse()).HasField("snapshot")


async def test_a_private_match_is_verified_by_those_who_may_see_it() -> None:
    async with played(public=False) as match:
        at = ["--server", match.target]
        assert "no such match" in await command("verify", match.match_id, *at, code=2)
        assert "verified" in await command(
            "verify", match.match_id, *at, "--token", match.tokens[0]
        )

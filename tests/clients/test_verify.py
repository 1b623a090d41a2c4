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
from dragonhall.v1 import match_pb2
from dragonhall.v1.match_service_pb2 import GetReplayResponse, WatchMatchResponse
from tests.budget import cases
from tests.clients.finished import played
from tests.clients.inside import command, inside
from tests.clients.tamperings import KEEPINGS, LEAVINGS, TAMPERINGS, score, seed_bit


async def read(
    moves: int, game: str = "dragonheart", seats: int = 2, *, leaver: int | None = None
) -> Finished:
    """Return a match with the events as seat 0 knows them."""
    made = played(game, seats, moves=moves, leaver=leaver)
    async with made as match, Client(match.target) as client:
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


@pytest.mark.parametrize("leaver", [None, 2])
def test_a_match_called_off_has_a_commitment_alone(leaver: int | None) -> None:
    aborted = asyncio.run(read(0, "dragonkeepers", 3, leaver=leaver))
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
    proved = f"commitment, deal, {moves} moves and outcome; the host chose the seed"
    assert done.stdout == f"{match_id}: verified: {proved}\n"
    done = inside("verify", str(bad))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "seat, rank, score and cause are (1, " in done.stderr
    done = inside("verify", str(bad), "--json")
    assert (done.returncode, done.stderr) == (1, "")
    said = json.loads(done.stdout)
    assert (said["matchId"], said["verified"]) == (match_id, False)
    assert "seat, rank, score and cause are (1, " in said["differs"]
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

"""The demo: a whole match over gRPC, the same again for the same seed."""

import re
import subprocess
import sys

import pytest

from tests.budget import SWEEP
from tests.clients.inside import inside

KEEPERS = ["--game", "dragonkeepers"]
EVERY = [(edition, seats) for edition in ("published", "source") for seats in (2, 3, 4)]
TABLES = EVERY if SWEEP else [("published", 4), ("source", 3)]

RUN = [sys.executable, "-c", "from dragonhall.cli import main; main()"]


def run(*args: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([*RUN, *args], capture_output=True, text=True, timeout=120)


def test_the_same_seed_prints_the_same_match() -> None:
    first, second = run("demo", "--seed", "7"), run("demo", "--seed", "7")
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout
    assert first.stdout.splitlines()[-1].startswith(("Won by ", "A draw."))
    assert first.stdout.count("points") == 2


@pytest.mark.parametrize(("edition", "seats"), TABLES)
def test_dragonkeepers_is_played_to_its_end_and_again(edition: str, seats: int) -> None:
    bots = ["greedy"] * (seats - 1) + ["random"]
    wanted = [*KEEPERS, "--edition", edition, "--seats", str(seats), "--bots", ",".join(bots)]
    first, second = (run("demo", *wanted, "--seed", "1") for _ in range(2))
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout
    lines = first.stdout.splitlines()
    assert lines[0] == f"dragonkeepers, {edition}: {' against '.join(bots)}, seed 1"
    assert f"{edition} edition, {seats} seats" in first.stdout
    assert lines[-1].startswith("Won by greedy")
    assert first.stdout.count(" points\n") == seats


def test_without_words_the_game_has_its_first_edition_its_fewest_seats_and_known_bots() -> None:
    played = run("demo", *KEEPERS, "--seed", "2").stdout
    assert played.startswith("dragonkeepers, source: greedy against random, seed 2\n")


def test_another_seed_is_another_match() -> None:
    assert run("demo", "--seed", "1").stdout != run("demo", "--seed", "2").stdout


@pytest.mark.parametrize("game", [[], KEEPERS])
def test_boards_are_shown_on_demand(game: list[str]) -> None:
    wanted = [*game, "--seed", "7"]
    drawn, told = inside("demo", *wanted, "--board").stdout, inside("demo", *wanted).stdout
    moves = len(re.findall(r"^ *\d+ ", told, re.MULTILINE)) - 3  # two join, and one deals
    assert drawn.count("\n└") == moves + 1
    assert drawn.splitlines()[-3:] == told.splitlines()[-3:]


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["nope"], "No such command 'nope'"),
        (["watch"], "Missing argument 'match_id'"),
        (["demo", "--seed", "abc"], "Invalid value for '--seed'"),
        (["demo", "--seed", "-1"], "Invalid value for '--seed'"),
        (["matches", "--server", "nowhere"], "--server is host:port"),
        (["watch", "m", "--token", "two words"], "--token is base64url"),
        (["demo", "--game", "chess"], "--game is one of dragonheart, dragonkeepers"),
        (["demo", "--bots", "greedy"], "dragonheart has 2 to 2 seats, not 1"),
        (["demo", "--seats", "3"], "dragonheart has 2 to 2 seats, not 3"),
        (["demo", "--seats", "two"], "Invalid value for '--seats'"),
        (["demo", *KEEPERS, "--seats", "5"], "dragonkeepers has 2 to 4 seats, not 5"),
        (["demo", *KEEPERS, "--seats", "3", "--bots", "greedy,random"], "names 2 for 3 seats"),
        (["demo", *KEEPERS, "--edition", "standard"], "one of source, published"),
        (["demo", "--bots", "greedy,alice"], "no bot 'alice' plays dragonheart"),
        (["matches", "--phase", "soon"], "--phase is one of"),
        (["serve"], "DRAGONHALL_REDIS_URL must be set"),
        (["serve", "--redis", "redis://x", "--embedded"], "not both"),
        (["serve", "--redis", "redis://x", "--data", "/tmp/x"], "--data is for --embedded"),
    ],
)
def test_a_mistake_is_one_clear_line(args: list[str], told: str) -> None:
    done = run(*args)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("dragonhall: ")
    assert told in line


@pytest.mark.parametrize("args", [["matches"], ["watch", "m"]])
def test_a_server_that_is_not_there_is_told_soon(args: list[str]) -> None:
    done = run(*args, "--server", "127.0.0.1:1")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("dragonhall: no server answers at 127.0.0.1:1")
    assert len(done.stderr.splitlines()) == 1


def test_a_reader_may_stop_reading() -> None:
    demo = subprocess.Popen(
        [*RUN, "demo", "--seed", "7"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert demo.stdout
    assert demo.stderr
    assert demo.stdout.readline() == "dragonheart, standard: greedy against random, seed 7\n"
    demo.stdout.close()
    assert demo.stderr.read() == ""
    assert demo.wait(60) == 1

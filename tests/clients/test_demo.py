"""The demo: a whole match over gRPC, the same again for the same seed."""

import subprocess
import sys

import pytest

RUN = [sys.executable, "-c", "from dragonhall.cli import main; main()"]


def run(*args: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([*RUN, *args], capture_output=True, text=True, timeout=120)


def test_the_same_seed_prints_the_same_match() -> None:
    first, second = run("demo", "--seed", "7"), run("demo", "--seed", "7")
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout
    assert first.stdout.splitlines()[-1].startswith(("Won by ", "A draw."))
    assert first.stdout.count("points") == 2


def test_another_seed_is_another_match() -> None:
    assert run("demo", "--seed", "1").stdout != run("demo", "--seed", "2").stdout


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["demo", "--game", "chess"], "--game is one of dragonheart"),
        (["demo", "--bots", "greedy"], "2 to 2 seats"),
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
    assert told in done.stderr
    assert "Traceback" not in done.stderr

"""Compose's servers are replaced one after the other; a stub on PATH stands for `docker`."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.deploy.tls import DEPLOY

STUB = """#!/bin/sh
echo "$(basename "$0") $*" >>"$CALLS"
case "$*" in
  *" ps "*) printf '%s' "$OLD" ;;
  *"$FAILS"*) exit 1 ;;
esac
"""
COMPOSE = "docker compose --file compose.yaml"
PREPARED = [
    f"{COMPOSE} ps --all --quiet server",
    f"{COMPOSE} build server",
    f"{COMPOSE} up --detach --no-deps --no-recreate --wait --scale server=6 server",
]


def rolled(
    folder: Path, *, fails: str = "nothing", old: str = "a\nb\nc\n"
) -> tuple[int, list[str]]:
    """Run the script and return its exit code and whom it called, how.

    Args:
        fails: what a call has in it that fails.
        old: the containers that are there.
    """
    for name in ("docker", "sleep"):
        (folder / name).write_text(STUB)
        (folder / name).chmod(0o755)
    calls = folder / "calls"
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [DEPLOY / "roll.sh", "--file", "compose.yaml"],
        env={"PATH": path, "CALLS": str(calls), "FAILS": fails, "OLD": old},
        capture_output=True,
    )
    return done.returncode, calls.read_text().splitlines()


def test_no_old_server_is_stopped_before_new_ones_are_well(tmp_path: Path) -> None:
    code, calls = rolled(tmp_path)
    stops = [f"docker {verb} {server}" for server in "abc" for verb in ("stop", "rm")]
    assert (code, calls) == (0, [*PREPARED, "sleep 5", *stops])


@pytest.mark.parametrize(("fails", "calls"), [("build", PREPARED[:2]), ("--wait", PREPARED)])
def test_where_the_new_ones_fail_nothing_is_stopped(
    tmp_path: Path, fails: str, calls: list[str]
) -> None:
    assert rolled(tmp_path, fails=fails) == (1, calls)


def test_an_old_one_that_does_not_stop_ends_it(tmp_path: Path) -> None:
    code, calls = rolled(tmp_path, fails="stop b")
    assert code == 1
    assert calls[-1] == "docker stop b"


def test_where_no_server_is_there_it_does_nothing(tmp_path: Path) -> None:
    assert rolled(tmp_path, old="") == (1, PREPARED[:1])

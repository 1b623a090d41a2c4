"""The runbook's backup: taken while a match is played, put back into a wiped store, played on."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from redis import Redis

from dragonhall.v1 import match_service_pb2
from tests.deploy.stack import DEPLOY, SecuredStore, secured_store, wait_for
from tests.service.driver import dealt, get, play_on, served

SCRIPT = DEPLOY / "redis" / "backup.sh"
NAME = "auto-aof-rewrite-percentage"
KUBECTL = """#!/bin/sh
while [ "$1" != -- ]; do shift; done
shift
exec "$@"
"""
SLOW = """#!/bin/sh
touch "$COPYING"
exec sleep 60
"""


def on_path(folder: Path, name: str, script: str) -> str:
    """Write a program and return the PATH that finds it."""
    (folder / name).write_text(script)
    (folder / name).chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def documented(data: Path) -> str:
    """Return the runbook's lines with this machine's places."""
    text = (DEPLOY / "README.md").read_text().partition("## Back up and restore")[2]
    lines = text.split("```")[1]
    for shipped, here in (("/data", data), ("deploy/redis/backup.sh", SCRIPT)):
        assert shipped in lines
        lines = lines.replace(shipped, str(here))
    return lines


def back_up(store: SecuredStore, folder: Path) -> Path:
    """Make a backup in a folder as the runbook says; kubectl is a stub that enters no container."""
    container = {
        "REDIS_CLI": f"redis-cli -p {store.port} --user operator",
        "OPERATOR_PASSWORD": "of-the-operator",
        "PATH": on_path(folder, "kubectl", KUBECTL),
    }
    lines = ["sh", "-c", documented(store.data)]
    done = subprocess.run(lines, env=container, cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert not list(store.data.glob("backup-*")), "it is left beside the data"
    return folder / "backup.tar"


async def test_matches_go_on_from_a_backup_and_nobody_goes_back_unnoticed(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    with secured_store("redis-server", data) as store:
        async with served(store.service_url) as stub:
            table = await dealt(stub)
            kept = await play_on(stub, table, moves=10)
            backup = back_up(store, tmp_path)
            lost = await play_on(stub, table, moves=5)
            ahead = (await get(stub, table)).resume_token
    assert lost == kept + 5
    shutil.rmtree(data)
    data.mkdir()
    subprocess.run(["tar", "-C", data, "-xf", backup], check=True)
    with secured_store("redis-server", data) as store:
        async with served(store.service_url) as stub:
            assert (await get(stub, table)).match.version == kept
            asked = match_service_pb2.WatchMatchRequest(match_id=table.match_id, resume_token=ahead)
            watch = stub.WatchMatch(asked)
            told = await watch.read()
            assert told.reset.reason == match_service_pb2.RESET_REASON_REWOUND
            assert told.reset.snapshot.match.version == kept
            last = await play_on(stub, table)
            assert last > kept
            assert (await get(stub, table)).match.HasField("outcome")
            watch.cancel()


def percentage(store: SecuredStore, value: str = "") -> str:
    """Return the setting that a backup changes for a while; set it first, if to a value."""
    with Redis.from_url(store.operator_url, decode_responses=True) as operator:
        if value:
            operator.config_set(NAME, value)
        return str(operator.config_get(NAME)[NAME])


@pytest.mark.parametrize("found", ["100", "0"])
def test_the_setting_is_put_back(tmp_path: Path, found: str) -> None:
    """0 is what a run has left that was killed."""
    assert f"{NAME} 100" in (DEPLOY / "redis" / "redis.conf").read_text()
    data = tmp_path / "data"
    data.mkdir()
    with secured_store("redis-server", data) as store:
        percentage(store, found)
        back_up(store, tmp_path)
        assert percentage(store) == "100"


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 143)]
)
def test_a_run_that_is_interrupted_puts_it_back(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    data, copying = tmp_path / "data", tmp_path / "copying"
    data.mkdir()
    with secured_store("redis-server", data) as store:
        asked = {
            "REDIS_CLI": f"redis-cli -p {store.port} --user operator",
            "REDISCLI_AUTH": "of-the-operator",
            "PATH": on_path(tmp_path, "cp", SLOW),
            "COPYING": str(copying),
        }
        argv = [SCRIPT, data, tmp_path / "backup"]
        backup = subprocess.Popen(argv, env=asked, start_new_session=True)
        wait_for("the copying", copying.exists)
        assert percentage(store) == "0"
        os.killpg(backup.pid, number)
        assert backup.wait() == code
        assert percentage(store) == "100"

"""The embedded store: one owner of a folder, nothing left behind, nothing lost."""

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from redis import Redis

from dragonhall_service import embedded
from dragonhall_service.embedded import NoStore, embedded_store
from tests.service.driver import SERVE

HOLD = """
import sys
from pathlib import Path
from dragonhall_service.embedded import embedded_store
with embedded_store(Path(sys.argv[1])) as url:
    print(url, flush=True)
    sys.stdin.read()
"""


def owner(folder: Path) -> tuple["subprocess.Popen[str]", str]:
    """Start a process that owns a store, and return it with the store's URL."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def store_pid(folder: Path) -> int:
    return int((folder / "store.pid").read_text())


def has_ended(pid: int) -> bool:
    """Nobody may have asked yet for the exit code of a process that has ended."""
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z"


def test_a_store_that_outlived_its_owner_is_stopped_and_nothing_is_lost(tmp_path: Path) -> None:
    process, url = owner(tmp_path)
    assert Redis.from_url(url).set("acknowledged", "yes")
    orphan = store_pid(tmp_path)
    process.kill()
    process.wait()
    assert not has_ended(orphan)
    with embedded_store(tmp_path) as again:
        assert Redis.from_url(again).get("acknowledged") == b"yes"
        assert store_pid(tmp_path) != orphan
        assert has_ended(orphan)


def test_a_folder_in_use_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "_START_S", 0.1)
    process, url = owner(tmp_path)
    with pytest.raises(NoStore, match="another server uses"), embedded_store(tmp_path):
        pass
    assert Redis.from_url(url).ping()
    process.send_signal(signal.SIGKILL)
    process.wait()
    os.kill(store_pid(tmp_path), signal.SIGTERM)


def test_a_store_whose_number_nobody_knows_is_told_and_nothing_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "_STOP_S", 0.1)
    with (tmp_path / "store.pid").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(NoStore, match="still runs: end it"), embedded_store(tmp_path):
            pass


def test_a_folder_is_free_again_afterwards(tmp_path: Path) -> None:
    for _ in range(2):
        with embedded_store(tmp_path) as url:
            assert Redis.from_url(url).incr("starts")


def test_a_server_whose_store_ends_says_so_and_ends_too(tmp_path: Path) -> None:
    serving = subprocess.Popen(
        [sys.executable, "-c", SERVE, "serve", "--embedded", "--data", str(tmp_path)],
        env=os.environ | {"DRAGONHALL_LISTEN": "127.0.0.1:0", "DRAGONHALL_DRAIN_S": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert serving.stdout is not None
    assert "serving" in serving.stdout.readline()
    os.kill(store_pid(tmp_path), signal.SIGKILL)
    said = serving.stdout.read()
    assert serving.wait() == 1
    assert "dragonhall: the embedded store ended with code -9: " in said


def test_a_data_folder_may_be_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with embedded_store(Path("results/store")) as url:
        assert Redis.from_url(url).ping()
    assert (tmp_path / "results/store/store.log").stat().st_size > 0

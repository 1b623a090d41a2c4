"""The runbook's backup: taken while a match is played, put back into a wiped store, played on."""

import os
import shutil
import subprocess
from pathlib import Path

from dragonhall.v1 import match_service_pb2
from tests.deploy.stack import DEPLOY, SecuredStore, secured_store
from tests.service.driver import dealt, get, play_on, served


def back_up(store: SecuredStore, target: Path) -> None:
    asked = {
        "REDIS_CLI": f"redis-cli -p {store.port} --user operator",
        "REDISCLI_AUTH": "of-the-operator",
    }
    script = DEPLOY / "redis" / "backup.sh"
    done = subprocess.run(
        [script, store.data, target], env=os.environ | asked, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


async def test_matches_go_on_from_a_backup_and_nobody_goes_back_unnoticed(tmp_path: Path) -> None:
    data, backup = tmp_path / "data", tmp_path / "backup"
    data.mkdir()
    with secured_store("redis-server", data) as store:
        async with served(store.service_url) as stub:
            table = await dealt(stub)
            kept = await play_on(stub, table, moves=10)
            back_up(store, backup)
            lost = await play_on(stub, table, moves=5)
            ahead = (await get(stub, table)).resume_token
    assert lost == kept + 5
    shutil.rmtree(data)
    shutil.copytree(backup, data)
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


def test_the_setting_is_put_back(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    with secured_store("redis-server", data) as store:
        back_up(store, tmp_path / "backup")
        config = (DEPLOY / "redis" / "redis.conf").read_text()
        assert "auto-aof-rewrite-percentage 100" in config
        asked = ["redis-cli", "-u", store.operator_url, "config", "get", "auto-aof*percentage"]
        told = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
        assert told.split() == ["auto-aof-rewrite-percentage", "100"]

"""Stores of several servers as they are shipped: their scripts and configuration on loopback."""

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from redis.exceptions import RedisError

from tests.deploy.stack import DEPLOY, free_port, wait_for
from tests.service.driver import Patient, dealt, get, play_on, served

WORDS = {
    "SERVICE_PASSWORD": "of-the-service",
    "OPERATOR_PASSWORD": "of-the-operator",
    "REPLICATION_PASSWORD": "of-replicas",
    "REDISCLI_AUTH": "of-the-operator",
}
SHIPPED = DEPLOY / "redis"
NODES = 9


@dataclass
class Pod:
    """One pod of the overlay: a store and, in the Sentinel set, the Sentinel beside it."""

    folder: Path
    environment: Mapping[str, str]
    script: str
    port: int = field(default_factory=free_port)
    sentinel_port: int = field(default_factory=free_port)
    host: str = "127.0.0.1"
    running: list[Any] = field(default_factory=list)

    def start(self) -> None:
        # Copies: a Sentinel has the store rewrite them, which nobody can do in a pod.
        shipped = shutil.copytree(SHIPPED, self.folder / "shipped", dirs_exist_ok=True)
        acl = self.folder / "users.acl"
        moved = {
            "DRAGONHALL_ACL": str(acl),
            "DRAGONHALL_ACL_TEMPLATE": str(shipped / "users.acl"),
            "DATA": str(self.folder),
            "REDIS_CLI": f"redis-cli -h {self.host} -p {self.port} --user operator",
        }
        own = {**os.environ, **WORDS, **self.environment, **moved}
        places = ["--bind", self.host, "--dir", str(self.folder)]
        store = [str(shipped / name) for name in ("start.sh", self.script)]
        store += ["redis-server", str(shipped / "redis.conf"), *places, "--port", str(self.port)]
        store += ["--aclfile", str(acl), "--logfile", str(self.folder / "log")]
        if self.script == "node.sh":
            store += ["--cluster-port", str(self.sentinel_port), "--bind-source-addr", self.host]
        commands = [store]
        if self.script == "member.sh":
            log = ["--logfile", str(self.folder / "sentinel.log")]
            sentinel = [str(shipped / "sentinel.sh"), "redis-server", *places]
            commands.append([*sentinel, "--port", str(self.sentinel_port), *log])
        self.running = [subprocess.Popen(command, env=own) for command in commands]

    def end(self, number: signal.Signals = signal.SIGKILL) -> None:
        for process in self.running:
            process.send_signal(number)
        for process in self.running:
            process.wait()
        self.running = []

    @contextlib.contextmanager
    def operator(self) -> Iterator[Any]:
        word = WORDS["OPERATOR_PASSWORD"]
        with Redis(self.host, self.port, username="operator", password=word) as client:
            yield client

    def role(self) -> str:
        with contextlib.suppress(RedisError), self.operator() as client:
            told = client.info("replication")
            if told["role"] == "master":
                return "primary"
            return "replica" if told["master_link_status"] == "up" else "lost"
        return "away"

    def ready(self) -> bool:
        own = {**os.environ, **WORDS}
        here = f"redis-cli -p {self.port} "
        script = (SHIPPED / "ready.sh").read_text().replace("redis-cli ", here)
        return subprocess.run(["sh", "-c", script], env=own, check=False).returncode == 0


@contextlib.contextmanager
def pods(tmp_path: Path, count: int, script: str) -> Iterator[list[Pod]]:
    made: list[Pod] = [Pod(tmp_path / f"pod{n}", {}, script) for n in range(count)]
    first = f"127.0.0.1 {made[0].port}"
    sentinels = " ".join(f"127.0.0.1:{pod.sentinel_port}" for pod in made)
    try:
        for pod in made:
            own = f"127.0.0.1 {pod.port}" if script == "member.sh" else "127.0.0.1"
            pod.environment = {"SELF": own, "FIRST": first, "SENTINELS": sentinels}
            pod.start()
        yield made
    finally:
        for pod in made:
            pod.end()


def whole(set_of: list[Pod]) -> bool:
    return sorted(pod.role() for pod in set_of) == ["primary", *["replica"] * (len(set_of) - 1)]


def sentinel_url(set_of: list[Pod]) -> str:
    places = ",".join(f"127.0.0.1:{pod.sentinel_port}" for pod in set_of)
    return f"redis+sentinel://dragonhall:{WORDS['SERVICE_PASSWORD']}@{places}/dragonhall?sentinels=open"


def one_named(set_of: list[Pod], *, but: Pod | None = None) -> bool:
    """Tell whether all Sentinels that run know everybody and name one primary, and not `but`."""
    named = set()
    for pod in set_of:
        if pod.running:
            try:
                with Redis(port=pod.sentinel_port) as sentinel:
                    masters: Any = sentinel.sentinel_masters()
            except RedisError:
                return False
            state = masters["dragonhall"]
            whole = state["num-other-sentinels"] == 2 and state["num-slaves"] == 2
            named.add(int(state["port"]) if whole else 0)
    return len(named) == 1 and not named & {0, but.port if but else 0}


async def test_a_sentinel_set_plays_fails_over_and_finds_itself_again(tmp_path: Path) -> None:
    with pods(tmp_path, 3, "member.sh") as running:
        wait_for("a set that is whole", lambda: whole(running) and one_named(running))
        assert all(pod.ready() for pod in running)
        first = running[0]
        assert first.role() == "primary"
        async with served(sentinel_url(running)) as own:
            stub = Patient(own)
            table = await dealt(stub)
            await play_on(stub, table, moves=5)
        first.end()
        wait_for("a failover", lambda: one_named(running, but=first))
        async with served(sentinel_url(running)) as own:
            stub = Patient(own)
            version = await play_on(stub, table, moves=5)
        for pod in running[1:]:  # the lights go out, and all begin together
            pod.end()
        for pod in running:
            pod.start()
        wait_for("a set that is whole", lambda: whole(running) and one_named(running))
        assert first.role() == "replica", "it knew nothing of what came after its death"
        async with served(sentinel_url(running)) as own:
            stub = Patient(own)
            assert (await get(stub, table)).match.version == version
            await play_on(stub, table)


async def test_a_sentinel_set_takes_another_password(tmp_path: Path) -> None:
    with pods(tmp_path, 3, "member.sh") as running:
        wait_for("a set that is whole", lambda: whole(running) and one_named(running))
        async with served(sentinel_url(running)) as own:
            stub = Patient(own)
            table = await dealt(stub)
            version = await play_on(stub, table, moves=5)
        for pod in running:
            pod.end(signal.SIGTERM)
        for pod in running:
            pod.environment = {**pod.environment, "REPLICATION_PASSWORD": "another-of-replicas"}
            pod.start()
        wait_for("a set that is whole", lambda: whole(running) and one_named(running))
        (first,) = [pod for pod in running if pod.role() == "primary"]
        first.end()
        wait_for("a failover", lambda: one_named(running, but=first))
        async with served(sentinel_url(running)) as own:
            stub = Patient(own)
            assert (await get(stub, table)).match.version == version
            await play_on(stub, table)


def formed(nodes: list[Pod]) -> subprocess.CompletedProcess[str]:
    places = [f"{node.host}:{node.port}" for node in nodes]
    own = {**os.environ, **WORDS}
    return subprocess.run(
        [SHIPPED / "form.sh", *places], env=own, capture_output=True, text=True, timeout=60
    )


FORMED = ["primary"] * 3 + ["replica"] * 6


def formed_whole(nodes: list[Pod]) -> bool:
    """Tell whether all nodes know that they are a cluster, and each replica follows its primary."""
    with contextlib.suppress(RedisError):
        for node in nodes:
            with node.operator() as client:
                if client.cluster("info")["cluster_state"] != "ok":
                    return False
        return sorted(node.role() for node in nodes) == FORMED
    return False


async def test_a_cluster_is_formed_once_and_plays(tmp_path: Path) -> None:
    with pods(tmp_path, NODES, "node.sh") as running:
        made = formed(running)
        assert made.returncode == 0, made.stdout + made.stderr
        wait_for("a cluster", lambda: formed_whole(running))
        assert formed(running).returncode == 0
        assert all(pod.ready() for pod in running)
        places = ",".join(f"127.0.0.1:{pod.port}" for pod in running[:3])
        url = f"redis+cluster://dragonhall:{WORDS['SERVICE_PASSWORD']}@{places}"
        async with served(url) as own:
            stub = Patient(own)
            await play_on(stub, await dealt(stub))


@pytest.mark.parametrize(
    ("path", "right", "wrong"),
    [
        ("replicated.conf", "min-replicas-to-write", "min-replica-to-write"),
        ("cluster.conf", "cluster-node-timeout", "cluster-node-timout"),
        ("sentinel.conf", "down-after-milliseconds", "down-after-millisecond"),
        ("member.sh", "--replica-announce-ip", "--replica-anounce-ip"),
    ],
)
def test_a_typo_is_found(tmp_path: Path, path: str, right: str, wrong: str) -> None:
    """A store or Sentinel that has it ends at once."""
    spoilt = shutil.copytree(SHIPPED, tmp_path / "redis")
    text = (spoilt / path).read_text()
    assert right in text
    (spoilt / path).write_text(text.replace(right, wrong))
    script = "node.sh" if path == "cluster.conf" else "member.sh"
    pod = Pod(tmp_path / "pod", {}, script)
    pod.environment = {"SELF": f"127.0.0.1 {pod.port}", "FIRST": f"127.0.0.1 {pod.port}"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.deploy.check_replicated.SHIPPED", spoilt)
        pod.start()
    try:
        at_fault = pod.running[1] if path == "sentinel.conf" else pod.running[0]
        assert at_fault.wait(20) != 0
    finally:
        pod.end()

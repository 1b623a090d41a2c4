"""Sentinels and clusters that speak TLS alone, also among themselves."""

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.certificates import Authority, Files
from tests.deploy.stack import free_port, wait_for
from tests.service.driver import Patient, dealt, play_on, served

SAFE = ("--appendonly", "yes", "--min-replicas-to-write", "1")


def shown(files: Files) -> list[str]:
    """Return what Redis is told of certificates."""
    named = {"tls-cert-file": files.cert, "tls-key-file": files.key, "tls-ca-cert-file": files.ca}
    return [part for name, file in named.items() for part in (f"--{name}", str(file))]


@contextlib.contextmanager
def server(files: Files, folder: Path, *more: str) -> Iterator[int]:
    """Run a Redis that listens with TLS alone, and yield its port."""
    port = free_port()
    data = folder / str(port)
    data.mkdir()
    config = data / "redis.conf"
    config.touch()
    where = ["--port", "0", "--tls-port", str(port), "--bind", "127.0.0.1", "--dir", str(data)]
    quiet = ["--logfile", str(data / "log"), "--save", "", "--tls-replication", "yes"]
    argv = ["redis-server", str(config), *where, *shown(files), *quiet, *more]
    process = subprocess.Popen(argv)
    try:
        wait_for("the start of a store", lambda: "PONG" in asked(files, port, "PING"))
        yield port
    finally:
        process.kill()
        process.wait()


def asked(files: Files, port: int, *command: str) -> str:
    named = ["--cert", str(files.cert), "--key", str(files.key), "--cacert", str(files.ca)]
    argv = ["redis-cli", "--tls", *named, "-p", str(port), *command]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout + done.stderr


async def played(url: str, files: Files) -> None:
    paths = {"redis_ca": files.ca, "redis_cert": files.cert, "redis_key": files.key}
    async with served(url, **{name: str(path) for name, path in paths.items()}) as stub:
        patient = Patient(stub)
        await play_on(patient, await dealt(patient))


async def test_a_cluster_with_tls(tmp_path: Path) -> None:
    files = Authority(tmp_path / "ca").issue("all")
    with contextlib.ExitStack() as stack:
        mode = ("--cluster-enabled", "yes", "--tls-cluster", "yes", *SAFE)
        ports = [
            stack.enter_context(server(files, tmp_path, *mode, "--cluster-port", str(free_port())))
            for _ in range(6)
        ]
        places = [f"127.0.0.1:{port}" for port in ports]
        create = ("--cluster", "create", *places, "--cluster-replicas", "1", "--cluster-yes")
        assert "All 16384 slots covered" in asked(files, ports[0], *create)
        for port in ports:
            wait_for("a cluster", lambda: _joined(files, port))  # noqa: B023
        await played(f"rediss+cluster://{','.join(places)}", files)


def _joined(files: Files, port: int) -> bool:
    whole = "cluster_state:ok" in asked(files, port, "CLUSTER", "INFO")
    told = asked(files, port, "INFO", "replication")
    return whole and ("master_link_status:up" in told or "state=online" in told)


async def test_a_sentinel_set_with_tls(tmp_path: Path) -> None:
    files = Authority(tmp_path / "ca").issue("all")
    with server(files, tmp_path, *SAFE) as primary:
        follow = ("--replicaof", "127.0.0.1", str(primary))
        watched = ("--sentinel", "monitor", "x", "127.0.0.1", str(primary), "1")
        with (
            server(files, tmp_path, *SAFE, *follow) as replica,
            server(files, tmp_path, "--sentinel", *watched) as sentinel,
        ):
            wait_for("a replica", lambda: _follows(files, primary))
            await played(f"rediss+sentinel://127.0.0.1:{sentinel}/x", files)
            assert "role:slave" in asked(files, replica, "INFO", "replication")


def _follows(files: Files, primary: int) -> bool:
    return "state=online" in asked(files, primary, "INFO", "replication")

"""The deployment on loopback: a store, servers, and a balancer under its shipped configuration."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.service.driver import SERVE
from tests.service.scraping import MATCHES, Scrape

DEPLOY = Path(__file__).parents[2] / "deploy"
SERVERS = 3
_START_S = 60.0


def free_port() -> int:
    """Return a port that nobody listens on now."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def wait_for(what: str, ready: Any) -> None:
    """Wait until `ready()` is true."""
    deadline = time.monotonic() + _START_S
    while not ready():
        if time.monotonic() > deadline:
            raise RuntimeError(f"{what} did not happen within {_START_S:g} s")
        time.sleep(0.05)


def listens(port: int) -> bool:
    """Tell whether somebody takes connections."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.5):
        return True
    return False


@dataclass
class Server:
    """A `dragonhall serve` on a port of its own; started again it keeps the port."""

    store_url: str
    log: Path
    port: int = field(default_factory=free_port)
    metrics_port: int = field(default_factory=free_port)
    process: Any = None

    def start(self) -> None:
        """Start it; `ready` tells when it serves."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("DRAGONHALL_")}
        environment["DRAGONHALL_LOG_FORMAT"] = "json"
        environment["DRAGONHALL_METRICS_LISTEN"] = f"127.0.0.1:{self.metrics_port}"
        listen, store = f"127.0.0.1:{self.port}", self.store_url
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-c", SERVE, "serve", "--listen", listen, "--redis", store],
                env=environment,
                stderr=out,
            )

    def ready(self) -> bool:
        """Tell whether it serves."""
        assert self.process.poll() is None, self.log.read_text()
        return listens(self.port)

    def end(self, number: signal.Signals) -> int:
        """Send a signal and return the exit code."""
        self.process.send_signal(number)
        return int(self.process.wait())

    def calls(self, method: str) -> float:
        """Return how many calls of a method it says to have answered with OK."""
        scrape = Scrape(f"127.0.0.1:{self.metrics_port}")
        return scrape.value("dragonhall_calls_total", method=f"{MATCHES}{method}", code="OK")


@contextlib.contextmanager
def running_servers(*store_urls: str) -> Iterator[list[Server]]:
    """Run a server on each of these stores."""
    with tempfile.TemporaryDirectory(prefix="dragonhall-") as folder:
        named = enumerate(store_urls)
        servers = [Server(url, Path(folder) / f"server{n}.log") for n, url in named]
        try:
            for server in servers:
                server.start()
            for server in servers:
                wait_for("the start of a server", server.ready)
            yield servers
        finally:
            for server in servers:
                if server.process is not None and server.process.poll() is None:
                    server.process.kill()
                    server.process.wait()


@dataclass(frozen=True)
class Balancer:
    """A running balancer: its kind and the port that clients use."""

    kind: str
    port: int

    @property
    def target(self) -> str:
        """Where clients connect to."""
        return f"127.0.0.1:{self.port}"


def envoy_config(ports: list[int], port: int, admin: int) -> str:
    """Return the shipped configuration with this machine's places, and nothing else changed."""
    config = yaml.safe_load((DEPLOY / "envoy" / "envoy.yaml").read_text())
    config["admin"]["address"]["socket_address"]["port_value"] = admin
    (listener,) = config["static_resources"]["listeners"]
    listener["address"]["socket_address"] = {"address": "127.0.0.1", "port_value": port}
    (cluster,) = config["static_resources"]["clusters"]
    (endpoints,) = cluster["load_assignment"]["endpoints"]
    (endpoint,) = endpoints["lb_endpoints"]
    assert endpoint["endpoint"]["address"]["socket_address"]["address"] == "server"
    endpoints["lb_endpoints"] = [
        {"endpoint": {"address": {"socket_address": {"address": "127.0.0.1", "port_value": p}}}}
        for p in ports
    ]
    return json.dumps(config)


def haproxy_config(ports: list[int], port: int, admin: int) -> str:
    """Return the shipped configuration with this machine's places, and nothing else changed."""
    config = (DEPLOY / "haproxy" / "haproxy.cfg").read_text()
    servers = "\n".join(f"    server server{n} 127.0.0.1:{p}" for n, p in enumerate(ports))
    for pattern, place in {
        r"bind :8080": f"bind 127.0.0.1:{port}",
        r"bind 127\.0\.0\.1:8404": f"bind 127.0.0.1:{admin}",
        r"    server-template .*": servers,
    }.items():
        config, found = re.subn(pattern, place, config)
        assert found == 1, pattern
    return config


def _command(kind: str, ports: list[int], port: int, folder: Path) -> list[str]:
    path, admin = folder / kind, free_port()
    if kind == "envoy":
        path = path.with_suffix(".json")
        path.write_text(envoy_config(ports, port, admin))
        instance = ["--use-dynamic-base-id", "--concurrency", "1", "--log-level", "warn"]
        return ["envoy", "--config-path", str(path), *instance]
    path.write_text(haproxy_config(ports, port, admin))
    return ["haproxy", "-db", "-f", str(path)]


@contextlib.contextmanager
def running_balancer(kind: str, ports: list[int]) -> Iterator[Balancer]:
    """Run `envoy` or `haproxy` before the servers on these ports."""
    with tempfile.TemporaryDirectory(prefix="dragonhall-") as name:
        port, folder = free_port(), Path(name)
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                _command(kind, ports, port, folder), stdout=log, stderr=subprocess.STDOUT
            )
        try:
            wait_for(f"the start of {kind}", lambda: _up(process, port, folder / "log"))
            yield Balancer(kind, port)
        finally:
            process.terminate()
            process.wait()


def _up(process: Any, port: int, log: Path) -> bool:
    assert process.poll() is None, log.read_text()
    return listens(port)


@dataclass(frozen=True)
class SecuredStore:
    """A store under the shipped configuration and ACL: its address for the service and for us."""

    service_url: str
    operator_url: str
    data: Path
    port: int


@contextlib.contextmanager
def secured_store(binary: str, data: Path | None = None) -> Iterator[SecuredStore]:
    """Run a Redis or Valkey program as Compose does, on loopback, with its files in `data`."""
    with tempfile.TemporaryDirectory(prefix="dragonhall-") as thrown_away:
        folder, port = data or Path(thrown_away), free_port()
        name = str(folder)
        files = {"dir": name, "aclfile": f"{name}/users.acl", "logfile": f"{name}/log"}
        places = {"port": str(port), "bind": "127.0.0.1", **files}
        options = [part for key, value in places.items() for part in (f"--{key}", value)]
        shipped = DEPLOY / "redis"
        process = subprocess.Popen(
            [shipped / "start.sh", binary, shipped / "redis.conf", *options],
            env={
                **os.environ,
                "SERVICE_PASSWORD": "of-the-service",
                "OPERATOR_PASSWORD": "of-the-operator",
                "DRAGONHALL_ACL_TEMPLATE": str(shipped / "users.acl"),
                "DRAGONHALL_ACL": files["aclfile"],
            },
        )
        try:
            wait_for("the start of the store", lambda: _up(process, port, folder / "log"))
            at = f"127.0.0.1:{port}"
            yield SecuredStore(
                f"redis://dragonhall:of-the-service@{at}",
                f"redis://operator:of-the-operator@{at}",
                folder,
                port,
            )
        finally:
            process.terminate()
            process.wait()

"""The deployment on loopback: a store, servers, and a balancer under its shipped configuration."""

import asyncio
import contextlib
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

import grpc
import yaml

from dragonhall.sdk.retry import CHANNEL_OPTIONS
from dragonhall.sdk.tls import Tls, open_channel
from dragonhall.v1 import match_service_pb2
from tests.deploy.tls import DEPLOY as DEPLOY
from tests.deploy.tls import Certificates, placed
from tests.service.driver import SERVE, stub_of
from tests.service.scraping import MATCHES, Scrape

SERVERS = 3
_START_S = 60.0
_PORTS = cycle(random.SystemRandom().sample(range(20_000, 32_000), 12_000))
"""In an order of this process's own, each once a round: one is taken only after it was drawn."""


def free_port() -> int:
    """Return a port that nobody listens on now.

    It is none of those that the system lends to outgoing connections: one of them would be gone
    before its server starts.
    """
    for port in _PORTS:
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise AssertionError("there is no end of ports")


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
    settings: Mapping[str, str] = field(default_factory=dict)
    serve: str = SERVE
    port: int = field(default_factory=free_port)
    metrics_port: int = field(default_factory=free_port)
    process: Any = None

    @property
    def target(self) -> str:
        """Where clients connect to."""
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it; `ready` tells when it serves."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("DRAGONHALL_")}
        environment["DRAGONHALL_LOG_FORMAT"] = "json"
        environment["DRAGONHALL_METRICS_LISTEN"] = f"127.0.0.1:{self.metrics_port}"
        environment |= {f"DRAGONHALL_{name}": value for name, value in self.settings.items()}
        listen, store = f"127.0.0.1:{self.port}", self.store_url
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-c", self.serve, "serve", "--listen", listen, "--redis", store],
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


async def start_again(server: Server) -> None:
    """Start a server that has ended, and wait until it serves."""
    server.start()
    await asyncio.to_thread(wait_for, "the start of a server", server.ready)


@contextlib.contextmanager
def _folder(given: Path | None) -> Iterator[Path]:
    """Yield the folder given, or one that is thrown away."""
    with tempfile.TemporaryDirectory(prefix="dragonhall-") as thrown_away:
        yield given or Path(thrown_away)


@contextlib.contextmanager
def running_servers(
    *store_urls: str, folder: Path | None = None, serve: str = SERVE, **settings: str
) -> Iterator[list[Server]]:
    """Run a server, or a program around it, on each of these stores; its log is in `folder`."""
    with _folder(folder) as logs:
        named = enumerate(store_urls)
        servers = [Server(url, logs / f"server{n}.log", settings, serve) for n, url in named]
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
    """A running balancer: its kind, ports for clients and operators, what clients need for TLS."""

    kind: str
    port: int
    tls: Tls | None = None
    pid: int = 0
    admin: int = 0

    @property
    def target(self) -> str:
        """Where clients connect to."""
        return f"127.0.0.1:{self.port}"


def curl(*arguments: str, data: bytes = b"") -> bytes:
    """Run curl and return the answer with its headers."""
    done = subprocess.run(
        ["curl", "--silent", "--show-error", "--include", "--max-time", "20", *arguments],
        input=data,
        capture_output=True,
        check=True,
    )
    return done.stdout


def envoy_config(
    ports: list[int], port: int, admin: int, name: str, *, slow_down: bool = False
) -> str:
    """Return a shipped configuration with this machine's places, and nothing else changed.

    Args:
        slow_down: as for `running_balancer`.
    """
    config = yaml.safe_load((DEPLOY / "envoy" / name).read_text())
    if slow_down:
        config["layered_runtime"]["layers"][0]["static_layer"]["dragonhall.slow_down"] = 100
        (filters,) = config["static_resources"]["listeners"][0]["filter_chains"]
        filters["filters"][0]["typed_config"]["xff_num_trusted_hops"] = 1
    config["admin"]["address"]["socket_address"]["port_value"] = admin
    listeners = config["static_resources"]["listeners"]
    assert [each["name"] for each in listeners] in (["clients"], ["clients", "probes"])
    for listener, listening in zip(listeners, (port, free_port()), strict=False):
        listener["address"]["socket_address"] = {"address": "127.0.0.1", "port_value": listening}
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
    for pattern, place, times in (
        (r"bind :8080", f"bind 127.0.0.1:{port}", 2),
        (r"bind 127\.0\.0\.1:8404", f"bind 127.0.0.1:{admin}", 1),
        (r"    server-template .*", servers, 1),
    ):
        config, found = re.subn(pattern, place, config)
        assert found == times, pattern
    return config


def balancer_command(
    kind: str,
    ports: list[int],
    port: int,
    folder: Path,
    tls: Certificates | None,
    *,
    slow_down: bool = False,
    admin: int | None = None,
) -> list[str]:
    """Write a balancer's files into a folder, and return how to run it on a port."""
    path, admin = folder / kind, admin or free_port()
    if kind == "haproxy":
        path.write_text(placed(haproxy_config(ports, port, admin), folder, tls))
        return ["haproxy", "-db", "-f", str(path)]
    path = path.with_suffix(".json")
    name = "envoy-tls.yaml" if tls else "envoy.yaml"
    config = envoy_config(ports, port, admin, name, slow_down=slow_down)
    path.write_text(placed(config, folder, tls))
    for shipped in (DEPLOY / "envoy").glob("tls-*.yaml"):
        (folder / shipped.name).write_text(placed(shipped.read_text(), folder, tls))
    instance = ["--use-dynamic-base-id", "--concurrency", "1", "--log-level", "warn"]
    return ["envoy", "--config-path", str(path), *instance]


@contextlib.contextmanager
def running_balancer(
    kind: str,
    ports: list[int],
    folder: Path | None = None,
    tls: Certificates | None = None,
    *,
    slow_down: bool = False,
) -> Iterator[Balancer]:
    """Run `envoy` or `haproxy` before the servers on these ports; its log is in `folder`.

    Args:
        slow_down: whether Envoy limits addresses, which it takes from what clients say.
    """
    with _folder(folder) as place:
        port, admin, path = free_port(), free_port(), place / f"{kind}.log"
        command = balancer_command(kind, ports, port, place, tls, slow_down=slow_down, admin=admin)
        environment = os.environ | ({"TLS": "1"} if tls else {})
        with path.open("wb") as log:
            process = subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, env=environment
            )
        try:
            wait_for(f"the start of {kind}", lambda: _up(process, port, path))
            files = tls.files("client").tls if tls else None
            yield Balancer(kind, port, files, process.pid, admin)
        finally:
            process.terminate()
            process.wait()


@contextlib.asynccontextmanager
async def connected(target: str, tls: Tls | None = None) -> AsyncIterator[Any]:
    """Yield a stub over a connection of its own, which repeats nothing by itself."""
    options = (("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0))
    async with open_channel(target, tls, (*CHANNEL_OPTIONS, *options)) as channel:
        yield stub_of(channel)


async def until_all_answer(balancer: Balancer) -> None:
    """Wait for 30 answers in a row: there are none while a server is asked that is not ready."""
    in_a_row = 0
    async with connected(balancer.target, balancer.tls) as stub:
        for _ in range(500):
            try:
                await stub.ListMatches(match_service_pb2.ListMatchesRequest())
                in_a_row += 1
            except grpc.aio.AioRpcError:
                in_a_row = 0
                await asyncio.sleep(0.1)
            if in_a_row == 30:
                return
    raise AssertionError("servers that are not ready are still asked")


async def until_each_answers(balancer: Balancer, servers: list[Server]) -> None:
    """Wait until the balancer asks every server: it has found all of them well."""
    before = {server.port: server.calls("ListMatches") for server in servers}
    async with asyncio.timeout(_START_S):
        while any(server.calls("ListMatches") == before[server.port] for server in servers):
            await until_all_answer(balancer)


def _up(process: Any, port: int, log: Path) -> bool:
    assert process.poll() is None, log.read_text()
    return listens(port)


@dataclass
class SecuredStore:
    """A store under the shipped configuration and ACL, on loopback; started again it keeps all.

    Attributes:
        data: the folder of its files.
        options: settings that differ from the shipped ones, by name.
        environment: more of it for the process.
        tls: certificates, for a store that speaks TLS alone.
    """

    binary: str
    data: Path
    options: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    tls: Certificates | None = None
    port: int = field(default_factory=free_port)
    process: Any = None

    @property
    def service_url(self) -> str:
        """Where the service connects to."""
        return self._url("dragonhall:of-the-service")

    @property
    def operator_url(self) -> str:
        """Where we connect to."""
        return self._url("operator:of-the-operator")

    def _url(self, user: str) -> str:
        return f"redis{'s' if self.tls else ''}://{user}@127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it as Compose does, and wait until it takes connections."""
        files = {"dir": "", "aclfile": "/users.acl", "logfile": "/log"}
        places = {"port": str(self.port), "bind": "127.0.0.1"}
        places |= {name: f"{self.data}{file}" for name, file in files.items()} | self.options
        if self.tls:
            places["include"] = str(self.tls.store_config(self.data, self.port))
        options = [part for key, value in places.items() for part in (f"--{key}", value)]
        shipped = DEPLOY / "redis"
        self.process = subprocess.Popen(
            [shipped / "start.sh", self.binary, shipped / "redis.conf", *options],
            env={
                **os.environ,
                **self.environment,
                "SERVICE_PASSWORD": "of-the-service",
                "OPERATOR_PASSWORD": "of-the-operator",
                "DRAGONHALL_ACL_TEMPLATE": str(shipped / "users.acl"),
                "DRAGONHALL_ACL": places["aclfile"],
            },
        )
        log = self.data / "log"
        wait_for("the start of the store", lambda: _up(self.process, self.port, log))

    def end(self, number: signal.Signals) -> None:
        """Send a signal and wait for the end."""
        self.process.send_signal(number)
        self.process.wait()


@contextlib.contextmanager
def secured_store(
    binary: str,
    data: Path | None = None,
    tls: Certificates | None = None,
    environment: Mapping[str, str] | None = None,
    **options: str,
) -> Iterator[SecuredStore]:
    """Run a Redis or Valkey program, with its files in `data`."""
    with _folder(data) as folder:
        store = SecuredStore(binary, folder, options, dict(environment or {}), tls)
        try:
            store.start()
            yield store
        finally:
            if store.process is not None and store.process.poll() is None:
                store.end(signal.SIGTERM)

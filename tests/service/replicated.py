"""Stores of several servers on loopback, each of which can be hurt: a Sentinel set, a cluster."""

import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from redis import Redis
from redis.exceptions import RedisError

from dragonhall_service.embedded import server_binary
from tests.deploy.stack import free_port, wait_for

SERVICE = "dragonhall"
SLOTS = 16_384
SENTINEL_MS, CLUSTER_MS = 1_500, 2_000
"""So long without a word, and the others hold a server for dead; as in deploy/."""
SAFE = {"min-replicas-to-write": "1", "min-replicas-max-lag": "10"}
"""What the safe mode asks of its stores beyond `_PLAIN`."""
_PLAIN = {
    "bind": "127.0.0.1",
    "save": "",
    "appendonly": "yes",
    "maxmemory-policy": "noeviction",
    "repl-diskless-sync-delay": "0",
    "repl-ping-replica-period": "1",
}


@dataclass
class Member:
    """One Redis or Valkey process, with what it keeps in a folder of its own.

    Attributes:
        announced: the port under which the others know it.
    """

    binary: str
    folder: Path
    settings: dict[str, str]
    port: int = field(default_factory=free_port)
    announced: int = 0
    process: Any = None

    def __post_init__(self) -> None:
        self.announced = self.announced or self.port

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"127.0.0.1:{self.port}"

    def start(self, *mode: str) -> None:
        """Start it; `ready` tells when it answers."""
        self.folder.mkdir(exist_ok=True)
        options = {
            "port": str(self.port), "dir": str(self.folder), "logfile": str(self.folder / "log"),
            **self.settings,
        }  # fmt: skip
        config = self.folder / "server.conf"
        if not config.exists():  # a Sentinel writes into its own
            lines = (f'{name} "{value}"' for name, value in options.items())
            config.write_text("\n".join(lines) + "\n")
        self.process = subprocess.Popen([self.binary, str(config), *mode])

    def ask(self, *command: str) -> Any:
        """Send one command and return its answer."""
        with Redis(port=self.port, decode_responses=True, socket_timeout=2) as client:
            return client.execute_command(*command)

    def ready(self) -> bool:
        """Tell whether it answers."""
        assert self.process.poll() is None, (self.folder / "log").read_text()
        with contextlib.suppress(RedisError):
            return bool(self.ask("PING"))
        return False

    def hurt(self, number: signal.Signals) -> None:
        """Send a signal; SIGKILL is waited for."""
        os.kill(self.process.pid, number)
        if number is signal.SIGKILL:
            self.process.wait()

    def end(self) -> None:
        """End it, however it is."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def replication(self) -> Mapping[str, Any]:
        """Return what it says of its replication."""
        with Redis(port=self.port, socket_timeout=2) as client:
            told: Mapping[str, Any] = client.info("replication")
        return told


@dataclass
class SentinelSet:
    """A primary, its replicas, and the Sentinels that replace it."""

    stores: list[Member]
    sentinels: list[Member]

    @property
    def url(self) -> str:
        """Where a service finds it."""
        places = ",".join(sentinel.address for sentinel in self.sentinels)
        return f"redis+sentinel://{places}/{SERVICE}"

    def primary(self) -> Member:
        """Return whom the Sentinels name."""
        _, port = self.sentinels[0].ask("SENTINEL", "get-master-addr-by-name", SERVICE)
        return next(store for store in self.stores if store.announced == int(port))

    def replaced(self, dead: Member) -> bool:
        """Tell whether the Sentinels name another one than `dead`."""
        return self.primary() is not dead

    def whole(self) -> bool:
        """Tell whether all others follow the primary, and the Sentinels know it."""
        told = self.primary().replication()
        rows = [told.get(f"slave{n}", {}) for n in range(len(self.stores) - 1)]
        known = [len(each.ask("SENTINEL", "replicas", SERVICE)) for each in self.sentinels]
        online = all(row.get("state") == "online" for row in rows)
        return online and min(known) == len(rows) and self._quorum()

    def _quorum(self) -> bool:
        with contextlib.suppress(RedisError):
            return str(self.sentinels[0].ask("SENTINEL", "ckquorum", SERVICE)).startswith("OK")
        return False


@contextlib.contextmanager
def sentinel_set(
    settings: Mapping[str, str],
    *,
    replicas: int = 2,
    binary: str = "",
    announced: int = 0,
    port: int = 0,
) -> Iterator[SentinelSet]:
    """Run a set with three Sentinels while the context lasts.

    Args:
        settings: of the stores.
        announced: the port under which others know the first primary; 0: its own.
        port: of the first primary; 0: a free one.
    """
    binary = binary or server_binary()
    options = _PLAIN | dict(settings)
    with tempfile.TemporaryDirectory(prefix="dragonhall-") as name, contextlib.ExitStack() as stack:
        folder = Path(name)
        primary = Member(
            binary, folder / "store0", dict(options), port or free_port(), announced=announced
        )
        follow = {"replicaof": f"127.0.0.1 {primary.announced}"}
        stores = [primary]
        if announced:
            primary.settings["replica-announce-port"] = str(announced)
        for n in range(1, replicas + 1):
            stores.append(Member(binary, folder / f"store{n}", options | follow))
        for store in stores:
            stack.callback(store.end)
            store.start()
            wait_for("the start of a store", store.ready)
        sentinels = [_sentinel(binary, folder / f"sentinel{n}", primary) for n in range(3)]
        for sentinel in sentinels:
            stack.callback(sentinel.end)
            sentinel.start("--sentinel")
            wait_for("the start of a Sentinel", sentinel.ready)
        running = SentinelSet(stores, sentinels)
        wait_for("a set that is whole", running.whole)
        yield running


def _sentinel(binary: str, folder: Path, primary: Member) -> Member:
    watched = f"{SERVICE} 127.0.0.1 {primary.announced} 2"
    sentinel = Member(binary, folder, {"bind": "127.0.0.1"})
    folder.mkdir()
    (folder / "server.conf").write_text(
        f"port {sentinel.port}\nbind 127.0.0.1\ndir {folder}\nlogfile {folder / 'log'}\n"
        f"sentinel monitor {watched}\n"
        f"sentinel down-after-milliseconds {SERVICE} {SENTINEL_MS}\n"
        f"sentinel failover-timeout {SERVICE} 6000\n"
    )
    return sentinel


@dataclass
class Cluster:
    """Primaries and their replicas; node n + `primaries` follows node n at first."""

    nodes: list[Member]
    primaries: int

    @property
    def url(self) -> str:
        """Where a service finds it."""
        return f"redis+cluster://{','.join(node.address for node in self.nodes)}"

    def holder(self, slot: int) -> Member:
        """Return the primary of a slot."""
        for first, last, (_, port, *_), *_ in self._alive().ask("CLUSTER", "SLOTS"):
            if first <= slot <= last:
                return next(node for node in self.nodes if node.port == int(port))
        raise AssertionError(f"nobody has slot {slot}")

    def replaced(self, dead: Member) -> bool:
        """Tell whether no living node holds `dead` for a primary any more."""
        rows = self._alive(but=dead).ask("CLUSTER", "SLOTS")
        return all(int(primary[1]) != dead.port for _, _, primary, *_ in rows)

    def leads(self, node: Member) -> bool:
        """Tell whether a node is a primary."""
        return bool(node.replication()["role"] == "master")

    def begin_move(self, slot: int, source: Member, target: Member) -> None:
        """Say to both that a slot is on the move."""
        old, new = source.ask("CLUSTER", "MYID"), target.ask("CLUSTER", "MYID")
        target.ask("CLUSTER", "SETSLOT", str(slot), "IMPORTING", old)
        source.ask("CLUSTER", "SETSLOT", str(slot), "MIGRATING", new)

    def carry(self, slot: int, source: Member, target: Member, most: int) -> None:
        """Move some keys of a slot."""
        keys = source.ask("CLUSTER", "GETKEYSINSLOT", str(slot), str(most))
        if keys:
            source.ask("MIGRATE", "127.0.0.1", str(target.port), "", "0", "2000", "KEYS", *keys)

    def end_move(self, slot: int, target: Member) -> None:
        """Give a slot to a primary for good."""
        name = target.ask("CLUSTER", "MYID")
        for node in (target, *(node for node in self.nodes if self.leads(node))):
            node.ask("CLUSTER", "SETSLOT", str(slot), "NODE", name)

    def whole(self) -> bool:
        """Tell whether every node knows of all slots and all replicas."""
        return all(self._knows_all(node) for node in self.nodes)

    def _knows_all(self, node: Member) -> bool:
        rows = node.ask("CLUSTER", "SLOTS")  # each: first, last, primary, replicas
        each = len(self.nodes) // self.primaries
        covered = sum(last - first + 1 for first, last, *_ in rows) == SLOTS
        serves = "cluster_state:ok" in str(node.ask("CLUSTER", "INFO"))
        return serves and covered and all(len(holders) == each for _, _, *holders in rows)

    def _alive(self, but: Member | None = None) -> Member:
        alive = (node for node in self.nodes if node.process.poll() is None)
        return next(node for node in alive if node is not but)


@contextlib.contextmanager
def cluster(
    settings: Mapping[str, str],
    *,
    primaries: int = 3,
    replicas: int = 1,
    binary: str = "",
    formed: bool = True,
) -> Iterator[Cluster]:
    """Run a cluster while the context lasts.

    Args:
        settings: of all nodes.
        replicas: of each primary.
        formed: or its nodes wait for `form`.
    """
    binary = binary or server_binary()
    options = _PLAIN | {"cluster-enabled": "yes", "cluster-node-timeout": str(CLUSTER_MS)}
    options |= settings
    with tempfile.TemporaryDirectory(prefix="dragonhall-") as name, contextlib.ExitStack() as stack:
        nodes = []
        for n in range(primaries * (1 + replicas)):
            bus = {"cluster-port": str(free_port())}
            node = Member(binary, Path(name) / f"node{n}", options | bus)
            stack.callback(node.end)
            node.start()
            nodes.append(node)
        for node in nodes:
            wait_for("the start of a node", node.ready)
        running = Cluster(nodes, primaries)
        if formed:
            form(running)
        yield running


def form(running: Cluster) -> None:
    """Do what `redis-cli --cluster create` does; the wheel brings no such program."""
    first = running.nodes[0]
    bounds = [SLOTS * n // running.primaries for n in range(running.primaries + 1)]
    for n, node in enumerate(running.nodes):
        node.ask("CLUSTER", "SET-CONFIG-EPOCH", str(n + 1))
        if n < running.primaries:
            node.ask("CLUSTER", "ADDSLOTSRANGE", str(bounds[n]), str(bounds[n + 1] - 1))
        bus = first.settings["cluster-port"]
        node.ask("CLUSTER", "MEET", "127.0.0.1", str(first.port), bus)
    for n, node in enumerate(running.nodes[running.primaries :]):
        followed = running.nodes[n % running.primaries].ask("CLUSTER", "MYID")
        wait_for("a node that knows the others", lambda: _follows(node, followed))  # noqa: B023
    wait_for("a cluster that is whole", running.whole)


def _follows(node: Member, followed: str) -> bool:
    with contextlib.suppress(RedisError):
        return bool(node.ask("CLUSTER", "REPLICATE", followed))
    return False

"""What a store must be for its mode to hold, asked before anybody is promised anything.

A mode is a topology, which the address says, and a durability: what it loses at worst stands in
deploy/README.md. Every server of the store is asked, since each may become the primary.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from enum import Enum, unique
from typing import Any

from redis import exceptions as failures
from redis.asyncio import Redis

from dragonhall_service.store.address import Address, Topology
from dragonhall_service.store.connection import (
    connect_cluster,
    connect_node,
    connect_primary,
    sentinel_of,
    translated,
)

OLDEST = (7, 0)
MOST_LAG_S = 10
"""A replica that said nothing for longer must not count as one."""
_MARK_OF_SENTINEL = "sentinel_masters"
_CONFIG = ("appendfsync", "min-replicas-to-write", "min-replicas-max-lag")


@unique
class Durability(Enum):
    """What an acknowledged move survives."""

    SAFE = "safe"
    FAST = "fast"


@dataclass(frozen=True, slots=True)
class Promise:
    """A mode: what operators chose.

    Attributes:
        replicas: so many have a move before it is acknowledged; for `SAFE` with Sentinels or a
            cluster.
    """

    address: Address
    durability: Durability
    replicas: int

    @property
    def waits_for(self) -> int:
        """How many replicas a commit waits for."""
        alone = self.address.topology is Topology.SINGLE
        return 0 if alone or self.durability is Durability.FAST else self.replicas

    @property
    def wanted(self) -> int:
        """How many replicas each primary must have."""
        return self.waits_for or int(self.address.topology is not Topology.SINGLE)


@dataclass(frozen=True, slots=True)
class Lack:
    """Something that a store lacks.

    Attributes:
        text: which server must have what, and what it has.
        passing: it may come by itself, as a replica that is just being sent everything.
    """

    text: str
    passing: bool = False


@dataclass(frozen=True, slots=True)
class _Server:
    name: str
    client: Any
    primary: bool = True


async def shortcomings(promise: Promise) -> list[Lack]:
    """Say what the store lacks for what its mode promises; empty if nothing.

    Raises:
        StorageUnavailable: it cannot be asked now.
    """
    with translated(writes=False):
        async with _servers(promise.address) as servers:
            found = await asyncio.gather(*(_asked(promise, server) for server in servers))
    return [each for one in found for each in one]


async def _asked(promise: Promise, server: _Server) -> list[Lack]:
    try:
        told: Mapping[str, Any] = await server.client.info()
        config: Mapping[Any, Any] = {}
        if promise.durability is Durability.SAFE and _serves(told):
            config = await server.client.config_get(*_CONFIG)
    except failures.ResponseError as refused:
        is_hidden = "unknown command" in str(refused).lower()
        if not (is_hidden or isinstance(refused, failures.NoPermissionError)):
            raise
        return [Lack(f"{server.name} must let its user ask INFO and CONFIG GET ({refused})")]
    except (failures.ConnectionError, failures.TimeoutError):
        if server.primary:
            raise
        return []  # the primary counts its replicas
    found = [Lack(f"{server.name} {text}") for text in _lacking(promise, told, config)]
    if server.primary and (online := _online(told)) < promise.wanted:
        text = f"{server.name} must have {promise.wanted} replicas online, and has {online}"
        found.append(Lack(text, passing=True))
    return found


def _serves(told: Mapping[str, Any]) -> bool:
    """Tell whether it is a store, and new enough to be asked for more."""
    return _version(told) >= OLDEST and _MARK_OF_SENTINEL not in told


def _lacking(promise: Promise, told: Mapping[str, Any], config: Mapping[str, Any]) -> Iterator[str]:
    if _version(told) < OLDEST:
        yield f"must be Redis 7.0 or newer, or Valkey, and is {told['redis_version']}"
        return
    if _MARK_OF_SENTINEL in told:
        yield "is a Sentinel: begin the address with redis+sentinel:// and name the service"
        return
    if told.get("cluster_enabled") and promise.address.topology is not Topology.CLUSTER:
        yield "is a node of a cluster: begin the address with redis+cluster://"
        return
    if (policy := told["maxmemory_policy"]) != "noeviction":
        yield f"must have maxmemory-policy noeviction, and has {policy}: it would drop matches"
    if not told["aof_enabled"]:
        yield "must have appendonly yes: a restart would lose every match"
    if promise.durability is Durability.FAST:
        return
    sync, least, lag = (config.get(name) for name in _CONFIG)
    if promise.waits_for == 0:
        if sync != "always":
            yield f"must have appendfsync always, and has {sync}"
        return
    if int(least or 0) < promise.waits_for:
        yield f"must have min-replicas-to-write {promise.waits_for} or more, and has {least}"
    if not 0 < int(lag or 0) <= MOST_LAG_S:
        yield f"must have min-replicas-max-lag 1 to {MOST_LAG_S}, and has {lag}"


def _version(told: Mapping[str, Any]) -> tuple[int, ...]:
    return tuple(int(part) for part in str(told["redis_version"]).split(".")[:2])


def _online(told: Mapping[str, Any]) -> int:
    rows = (told.get(f"slave{n}", {}) for n in range(int(told.get("connected_slaves", 0))))
    return sum(row.get("state") == "online" for row in rows)


@asynccontextmanager
async def _servers(address: Address) -> AsyncIterator[list[_Server]]:
    """Find every server of a store that is there, with a client of each."""
    async with AsyncExitStack() as closing:
        found: list[_Server] = []

        def add(client: "Redis", name: str, *, primary: bool) -> None:
            closing.push_async_callback(client.aclose)
            found.append(_Server(name, client, primary))

        if address.topology is Topology.CLUSTER:
            cluster = connect_cluster(address, retries=0, connections=1)
            closing.push_async_callback(cluster.aclose)
            await cluster.initialize()
            for node in cluster.get_nodes():
                client = connect_node(address, node.host, int(node.port), retries=0)
                add(client, node.name, primary=node.server_type == "primary")
        else:
            primary = connect_primary(address, retries=0, connections=1)
            add(primary, "the store", primary=True)
            if address.topology is Topology.SENTINEL:
                sentinel = sentinel_of(address)
                closing.push_async_callback(sentinel.aclose)
                replicas: Any = await sentinel.discover_slaves(address.service)
                for host, port in replicas:
                    client = connect_node(address, host, port, retries=0)
                    add(client, f"{host}:{port}", primary=False)
        yield found

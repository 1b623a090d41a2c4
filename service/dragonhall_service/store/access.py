"""The ways to a store, whatever it consists of."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from redis.asyncio import Redis

from dragonhall_service.store.address import Address, Topology
from dragonhall_service.store.cluster import ClusterExchange, ClusterLines, ClusterMap
from dragonhall_service.store.connection import (
    FAILURES,
    SOCKET_TIMEOUT_S,
    connect_cluster,
    connect_node,
    connect_primary,
)
from dragonhall_service.store.doorbell import Exchange, OneExchange
from dragonhall_service.store.line import Line
from dragonhall_service.store.scripts import Store
from dragonhall_service.store.settling import Settling


class Lines(Store, Protocol):
    """What scripts are run on."""

    async def aclose(self) -> None:
        """Close the connections."""


@dataclass(frozen=True, slots=True)
class Access:
    """The ways to a store.

    Attributes:
        reads: a client that asks a second time where the first failed.
        writes: one that does not, for writes that may get lost.
        asks: for scripts that only read.
        commits: for what is answered to a caller as done.
        exchange: where bells ring.
        answers: asks whether the store answers.
        settled: `commits` answers once replicas have what was written.
        one_slot: a command may name keys of several buckets.
    """

    reads: Any
    writes: Any
    asks: Lines
    commits: Lines
    exchange: Exchange
    answers: Callable[[], Awaitable[bool]]
    settled: bool = False
    one_slot: bool = True

    async def aclose(self) -> None:
        """Close the lines; the clients are the caller's."""
        await self.asks.aclose()
        await self.commits.aclose()


def plain(reads: "Redis", writes: "Redis", *, replicas: int = 0) -> Access:
    """Make the ways to what two clients reach, the second one without retries.

    Args:
        replicas: so many must have what was written before a commit is answered.
    """
    asks, line = (Line(client, SOCKET_TIMEOUT_S) for client in (reads, writes))

    async def answers() -> bool:
        """Ask on both, so that no first commit has to wait for a connection."""
        try:
            return all([await each.execute_command("PING") for each in (asks, line)])
        except FAILURES:
            return False

    return Access(
        reads,
        writes,
        asks=asks,
        commits=_committing(line, replicas),
        exchange=OneExchange(reads),
        answers=answers,
        settled=replicas > 0,
    )


@asynccontextmanager
async def opened(address: Address, *, replicas: int, connections: int) -> AsyncIterator[Access]:
    """Reach a store while the context lasts; nothing is sent before the first command.

    Args:
        replicas: so many must have what was written before a commit is answered.
        connections: at most so many of each client at once.
    """
    async with AsyncExitStack() as closing:
        if address.topology is Topology.CLUSTER:
            access = await _of_cluster(closing, address, replicas, connections)
        else:
            clients = [connect_primary(address, retries=n, connections=connections) for n in (1, 0)]
            for client in clients:
                closing.push_async_callback(client.aclose)
            access = plain(*clients, replicas=replicas)
        closing.push_async_callback(access.aclose)
        yield access


async def _of_cluster(
    closing: AsyncExitStack, address: Address, replicas: int, connections: int
) -> Access:
    reads, writes = (connect_cluster(address, retries=n, connections=connections) for n in (1, 0))
    again, once = (
        ClusterMap(reads, lambda *place, n=n: connect_node(address, *place, retries=n))
        for n in (1, 0)
    )
    for each in (reads, writes, again, once):
        closing.push_async_callback(each.aclose)
    asks = ClusterLines(again, lambda client: Line(client, SOCKET_TIMEOUT_S))
    return Access(
        reads,
        writes,
        asks=asks,
        commits=ClusterLines(
            once, lambda client: _committing(Line(client, SOCKET_TIMEOUT_S), replicas)
        ),
        exchange=ClusterExchange(once),
        answers=asks.answer,
        settled=replicas > 0,
        one_slot=False,
    )


def _committing(line: Line, replicas: int) -> Line | Settling:
    return Settling(line, replicas) if replicas else line

"""A store of several primaries: which one a key is at, and a line to each."""

import asyncio
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from typing import Any, Protocol

from redis import exceptions as failures
from redis.asyncio import Redis
from redis.asyncio.cluster import RedisCluster

from dragonhall_service.store.connection import FAILURES, formed

_TRIES = 10
_PAUSE_S = 0.05
"""A slot that is on the move refuses what its two halves would have to answer together."""
_REFRESH_S = 0.2
"""Asking more often than this where everything is tells nothing new."""

Place = tuple[str, int]


class ClusterMap:
    """Which primary each key is at, as far as is known; a client of each."""

    def __init__(self, cluster: "RedisCluster", client: Callable[[str, int], "Redis"]) -> None:
        """Take a client that knows the nodes, and what makes one of a single node."""
        self._cluster = cluster
        self._client = client
        self._clients: dict[Place, Redis] = {}
        self._begun = False
        self._refreshed = 0.0

    async def place(self, key: str) -> Place:
        """Return the primary of a key.

        Raises:
            RedisClusterException: nobody knows, or no node answers.
        """
        await self._begin()
        node = self._cluster.get_node_from_key(key)
        assert node is not None
        return node.host, int(node.port)

    async def primaries(self) -> list[Place]:
        """List the primaries."""
        await self._begin()
        return [(node.host, int(node.port)) for node in self._cluster.get_primaries()]

    async def _begin(self) -> None:
        """Ask where everything is if that was never done.

        The cluster's client asks anew after each failure of any node. Nobody must wait for that
        who has nothing to do with the node.
        """
        if not self._begun:
            await self._cluster.initialize()
            self._begun = True

    async def refresh(self) -> None:
        """Ask again where everything is, unless that was done just now."""
        now = asyncio.get_running_loop().time()
        await self._begin()  # without it the client would take the nodes for all it needs
        if now - self._refreshed >= _REFRESH_S:
            self._refreshed = now
            with formed():
                await self._cluster.nodes_manager.initialize()

    def client(self, place: Place) -> "Redis":
        """Return the client of a node."""
        if place not in self._clients:
            self._clients[place] = self._client(*place)
        return self._clients[place]

    async def aclose(self) -> None:
        """Close the clients of single nodes."""
        for client in self._clients.values():
            await client.aclose()


class ClusterExchange:
    """Implements `doorbell.Exchange`: a bell rings at the primary that its bucket is at."""

    def __init__(self, where: ClusterMap) -> None:
        self._where = where

    async def refresh(self) -> None:
        """Ask again where everything is."""
        await self._where.refresh()

    async def nodes(self) -> Mapping[Hashable, "Redis"]:
        """Return the primaries."""
        return {place: self._where.client(place) for place in await self._where.primaries()}

    async def home(self, bell: str) -> Hashable:
        """Return the name of the primary at which a bell rings."""
        return await self._where.place(bell)


class NodeLine(Protocol):
    """A `Line` or a `Settling`."""

    async def execute_command(self, *command: Any, asking: bool = False) -> Any:
        """Send a command and return its answer."""

    async def aclose(self) -> None:
        """Close the connection."""


class ClusterLines:
    """A line to each primary: a command goes to where its first key is.

    redis-py's own client does not do: it gives every command any of its connections, so that
    `WAIT` and `ASKING` would speak for other commands than theirs.
    """

    def __init__(self, where: ClusterMap, line: Callable[["Redis"], NodeLine]) -> None:
        self._where = where
        self._line = line
        self._lines: dict[Place, NodeLine] = {}

    async def execute_command(self, *command: Any) -> Any:
        """Send a command and return its answer.

        Raises:
            RedisError: as a line raises it; TryAgainError and AskError: its slot is on the move.
        """
        key = command[3 if command[0] in ("EVAL", "EVALSHA") else 1]
        place, asking = await self._where.place(key), False
        for tries_left in reversed(range(_TRIES)):
            try:
                return await self._to(place).execute_command(*command, asking=asking)
            except (failures.AskError, failures.TryAgainError) as elsewhere:
                if not tries_left:
                    raise
                place, asking = await self._redirected(key, elsewhere)
            except (failures.ConnectionError, failures.TimeoutError, failures.ClusterDownError):
                await self._look_again()
                raise
        raise AssertionError("the last try returns or raises")

    async def answer(self) -> bool:
        """Ask whether any primary answers."""
        try:
            lines = [self._to(place) for place in await self._where.primaries()]
        except FAILURES:
            return False
        told = await asyncio.gather(
            *(line.execute_command("PING") for line in lines), return_exceptions=True
        )
        if not (found := any(not isinstance(each, BaseException) for each in told)):
            await self._look_again()
        return found

    async def _look_again(self) -> None:
        """Ask where the primaries are now; that nobody answers hides no earlier failure."""
        with suppress(*FAILURES):
            await self._where.refresh()

    async def aclose(self) -> None:
        """Close all lines."""
        for line in self._lines.values():
            await line.aclose()

    def _to(self, place: Place) -> NodeLine:
        if place not in self._lines:
            self._lines[place] = self._line(self._where.client(place))
        return self._lines[place]

    async def _redirected(self, key: str, elsewhere: Exception) -> tuple[Place, bool]:
        if isinstance(elsewhere, failures.AskError):
            for_good = isinstance(elsewhere, failures.MovedError)
            if for_good:
                await self._where.refresh()
            return (elsewhere.host, elsewhere.port), not for_good
        await asyncio.sleep(_PAUSE_S)
        return await self._where.place(key), False

"""Hints that something is new about a topic: one subscriber per process, for all who listen."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Protocol

from redis import exceptions as failures
from redis.asyncio import Redis
from redis.asyncio.client import PubSub

from dragonhall_service.ports import Ring
from dragonhall_service.store.connection import FAILURES
from dragonhall_service.store.keys import bell_of

_RETRY_S = 0.2
_SILENT_S = 2.0
"""So long without a word, and the store is asked whether it is there."""


class Exchange(Protocol):
    """Where bells ring."""

    async def refresh(self) -> None:
        """Find that out anew; something was not where it should be."""

    async def nodes(self) -> Mapping[Hashable, "Redis"]:
        """Return the servers to listen to, by name."""

    async def home(self, bell: str) -> Hashable:
        """Return the name of the server at which a bell rings."""


class OneExchange:
    """Implements `Exchange` for a store of one primary, whichever it is."""

    def __init__(self, client: "Redis") -> None:
        self._client = client

    async def refresh(self) -> None:
        """There is nothing to find."""

    async def nodes(self) -> Mapping[Hashable, "Redis"]:
        """Return the client."""
        return {"": self._client}

    async def home(self, bell: str) -> Hashable:
        """Return its name."""
        return ""


class RedisDoorbell:
    """Implements `ports.Doorbell`; `run` must run while it is used.

    It subscribes to the buckets of the topics that are listened to and to no others. While the
    store is away it tries again; each new subscription rings for everybody, since a ring may have
    been missed.
    """

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._rings: dict[str, set[Ring]] = defaultdict(set)
        self._wanted: dict[str, int] = defaultdict(int)
        self._wants_changed: dict[Hashable, asyncio.Event] = defaultdict(asyncio.Event)
        self._listening: dict[Hashable, asyncio.Task[None]] = {}
        self._lost = asyncio.Event()

    @contextmanager
    def listen(self, topic: str, ring: Ring) -> Iterator[None]:
        """Call `ring` at each hint for one topic while the context lasts."""
        bell = bell_of(topic)
        self._rings[topic].add(ring)
        self._wanted[bell] += 1
        self._change_wants()
        try:
            yield
        finally:
            self._rings[topic].discard(ring)
            if not self._rings[topic]:
                del self._rings[topic]
            self._wanted[bell] -= 1
            if not self._wanted[bell]:
                del self._wanted[bell]
            self._change_wants()

    def _change_wants(self) -> None:
        for changed in self._wants_changed.values():
            changed.set()

    async def run(self) -> None:
        """Listen until cancelled."""
        listening = self._listening
        try:
            while True:
                self._lost.clear()
                with suppress(*FAILURES):
                    for name in await self._exchange.nodes():
                        if name not in listening or listening[name].done():
                            listening[name] = asyncio.create_task(self._at(name))
                    await self._lost.wait()
                await asyncio.sleep(_RETRY_S)
        finally:
            await _end(listening.values())
            listening.clear()

    async def _at(self, name: Hashable) -> None:
        """Listen to one server, again and again, for as long as it is one of those to listen to."""
        while True:
            with suppress(*FAILURES):
                client = (await self._exchange.nodes()).get(name)
                if client is None:
                    return
                async with client.pubsub() as pubsub:
                    await self._listen(name, pubsub)
            await asyncio.sleep(_RETRY_S)
            with suppress(*FAILURES):
                await self._exchange.refresh()
            self._change_wants()  # a bell may ring elsewhere now
            self._lost.set()

    async def _listen(self, name: Hashable, pubsub: PubSub) -> None:
        await pubsub.connect()  # type: ignore[no-untyped-call]
        given_up: Counter[str] = Counter()
        following = asyncio.create_task(self._follow_wants(name, pubsub, given_up))
        asked = False
        try:
            while not following.done():
                message = await pubsub.get_message(timeout=_SILENT_S)
                if message is None and asked:
                    raise TimeoutError("the store says nothing")
                if message is None:
                    await pubsub.ping()
                else:
                    self._hear(message, given_up)
                asked = message is None
            following.result()
        finally:
            await _end([following])

    async def _follow_wants(self, name: Hashable, pubsub: PubSub, given_up: Counter[str]) -> None:
        """Subscribe to what is wanted; count what is given up, until that is confirmed."""
        changed, heard = self._wants_changed[name], set[str]()
        while True:
            changed.clear()
            bells = tuple(self._wanted)  # others may come while it is asked where these ring
            homes = {bell: await self._exchange.home(bell) for bell in bells}
            if not self._listening.keys() >= set(homes.values()):
                self._lost.set()  # a server has come
            wanted = {bell for bell, home in homes.items() if home == name}
            for bell in wanted - heard:  # one by one: a command may name keys of one slot alone
                heard.add(bell)
                await pubsub.ssubscribe(bell)
            for bell in heard - wanted:
                heard.discard(bell)
                given_up[bell] += 1
                await pubsub.sunsubscribe(bell)
            await changed.wait()

    def _hear(self, message: dict[str, object], given_up: Counter[str]) -> None:
        kind, data, channel = message["type"], message["data"], message["channel"]
        if kind == "smessage":
            assert isinstance(data, bytes)
            topic, _, version = data.decode().partition(" ")
            self._ring(self._rings.get(topic, ()), int(version or 0))
        elif kind == "ssubscribe":  # whoever listens looks once
            self._ring({ring for rings in self._rings.values() for ring in rings}, 0)
        elif kind == "sunsubscribe" and isinstance(channel, bytes):
            if not given_up[bell := channel.decode()]:
                raise failures.ConnectionError("this bell rings at another server now")
            given_up[bell] -= 1

    def _ring(self, rings: Iterable[Ring], version: int) -> None:
        for ring in tuple(rings):
            ring(version)


async def _end(tasks: "Iterable[asyncio.Task[None]]") -> None:
    """Cancel tasks until they are done: while a client connects, a cancellation can get lost."""
    running = set(tasks)
    while running:
        for task in running:
            task.cancel()
        with suppress(asyncio.CancelledError):
            _, running = await asyncio.wait(running, timeout=0.1)

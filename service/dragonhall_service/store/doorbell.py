"""Hints that something is new about a topic: one subscriber per process, for all who listen."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from redis.asyncio import Redis
from redis.asyncio.client import PubSub
from redis.exceptions import RedisError

from dragonhall_service.store.keys import bell_of

_RETRY_S = 0.2
_IDLE = bell_of("")


class RedisDoorbell:
    """Implements `ports.Doorbell`; `run` must run while it is used.

    It subscribes to the buckets of the topics that are listened to and to no others. While the
    store is away it tries again; after each new subscription everybody is rung, since a ring may
    have been missed.
    """

    def __init__(self, client: "Redis") -> None:
        self._client = client
        self._rings: dict[str, set[Callable[[], None]]] = defaultdict(set)
        self._wanted: dict[str, int] = defaultdict(int)
        self._wants_changed = asyncio.Event()

    @contextmanager
    def listen(self, topic: str, ring: Callable[[], None]) -> Iterator[None]:
        """Call `ring` at each hint for one topic while the context lasts."""
        bell = bell_of(topic)
        self._rings[topic].add(ring)
        self._wanted[bell] += 1
        self._wants_changed.set()
        try:
            yield
        finally:
            self._rings[topic].discard(ring)
            if not self._rings[topic]:
                del self._rings[topic]
            self._wanted[bell] -= 1
            if not self._wanted[bell]:
                del self._wanted[bell]
            self._wants_changed.set()

    async def run(self) -> None:
        """Listen until cancelled."""
        while True:
            with suppress(RedisError, OSError):
                async with self._client.pubsub() as pubsub:
                    await self._listen(pubsub)
            await asyncio.sleep(_RETRY_S)

    async def _listen(self, pubsub: PubSub) -> None:
        await pubsub.ssubscribe(_IDLE)  # a connection without a subscription cannot be read
        following = asyncio.create_task(self._follow_wants(pubsub))
        try:
            while not following.done():
                message = await pubsub.get_message(timeout=None)
                if message is not None:
                    self._hear(message)
            following.result()
        finally:
            following.cancel()

    async def _follow_wants(self, pubsub: PubSub) -> None:
        heard: set[str] = set()
        while True:
            self._wants_changed.clear()
            wanted = set(self._wanted)
            if wanted - heard:
                await pubsub.ssubscribe(*wanted - heard)
            if heard - wanted:
                await pubsub.sunsubscribe(*heard - wanted)
            heard = wanted
            await self._wants_changed.wait()

    def _hear(self, message: dict[str, object]) -> None:
        if message["type"] == "smessage":
            data = message["data"]
            assert isinstance(data, bytes)
            rung = [self._rings.get(data.decode(), set())]
        else:  # a subscription began or ended: whoever listens looks once
            rung = list(self._rings.values())
        for ring in [ring for rings in rung for ring in rings]:
            ring()

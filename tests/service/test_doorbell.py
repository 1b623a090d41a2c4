"""The doorbell hears what it is to hear, however often its listeners come and go."""

import asyncio
import random
from collections.abc import AsyncIterator, Hashable, Mapping

import pytest
from redis.asyncio import Redis

from dragonhall_service.store import doorbell as doorbells
from dragonhall_service.store.connection import connect
from dragonhall_service.store.doorbell import OneExchange, RedisDoorbell
from dragonhall_service.store.keys import bell_of


class Growing:
    """An exchange whose bells all ring at a server that came later; here it is the same store."""

    def __init__(self, client: "Redis") -> None:
        self.names = ["first"]
        self._client = client

    async def refresh(self) -> None:
        pass

    async def nodes(self) -> Mapping[Hashable, "Redis"]:
        return dict.fromkeys(self.names, self._client)

    async def home(self, bell: str) -> Hashable:
        return self.names[-1]


@pytest.fixture
async def store(one_store_url: str) -> AsyncIterator["Redis"]:
    client = connect(one_store_url, retries=1, connections=8)
    yield client
    await client.aclose()


async def test_listeners_that_come_and_go_silence_nobody(
    store: "Redis", monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, listen = [], RedisDoorbell._listen

    async def counted(self: RedisDoorbell, *given: object) -> None:
        begun.append(given)
        await listen(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(RedisDoorbell, "_listen", counted)
    chance, heard = random.Random(1), asyncio.Event()
    doorbell = RedisDoorbell(OneExchange(store))
    ringing = asyncio.create_task(doorbell.run())

    def ring(version: int) -> None:
        if version == 7:
            heard.set()

    with doorbell.listen("steady", ring):
        for _ in range(400):
            with doorbell.listen("fickle", lambda version: None):
                await asyncio.sleep(chance.choice((0, 0, 0.0005, 0.001)))
            await asyncio.sleep(chance.choice((0, 0, 0.0005, 0.001)))
        await asyncio.sleep(3 * doorbells._RETRY_S)
        await store.execute_command(  # type: ignore[no-untyped-call]
            "SPUBLISH", bell_of("steady"), "steady 7"
        )
        async with asyncio.timeout(10):
            await heard.wait()
    assert len(begun) == 1
    ringing.cancel()
    await asyncio.wait({ringing}, timeout=5)
    assert ringing.done()


async def test_a_server_that_came_later_is_listened_to(store: "Redis") -> None:
    exchange, heard = Growing(store), asyncio.Event()
    doorbell = RedisDoorbell(exchange)
    ringing = asyncio.create_task(doorbell.run())
    first = asyncio.Event()
    with doorbell.listen("early", lambda version: first.set()):
        async with asyncio.timeout(10):
            await first.wait()
    exchange.names.append("second")
    with doorbell.listen("late", lambda version: heard.set()):
        async with asyncio.timeout(10):
            await heard.wait()  # a subscription rings
    ringing.cancel()
    await asyncio.wait({ringing}, timeout=5)
    assert ringing.done()

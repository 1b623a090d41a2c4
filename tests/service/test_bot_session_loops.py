"""The loops of a bot's session: idle while the store is away, and ended by one cancellation."""

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from dragonhall_service.credentials import Caller
from dragonhall_service.ids import OsIds
from dragonhall_service.ports import BotRecord, Patience, Ports, Ring, StorageUnavailable
from dragonhall_service.usecases.feeds import Feeds
from dragonhall_service.usecases.play_items import Incoming, Pong, Resignation
from dragonhall_service.usecases.playing import Session


class Away:
    """A store of bots that does not answer."""

    def __init__(self) -> None:
        self.asked = 0

    async def stay(self, *_: Any, **__: Any) -> bool:
        self.asked += 1
        await asyncio.sleep(0)
        raise StorageUnavailable(False, "away")


class Connecting(Away):
    """One whose client swallows a cancellation while it connects, as redis-py does."""

    async def stay(self, *_: Any, **__: Any) -> bool:
        self.asked += 1
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(0.01)
        raise StorageUnavailable(False, "away")


class Rung:
    """A doorbell that has rung once."""

    @contextmanager
    def listen(self, topic: str, ring: Ring) -> Iterator[None]:
        ring(0)
        yield


def session(bots: Any, pace_s: Callable[[], float] = float) -> Session:
    none: Any = None
    ports = Ports({}, none, bots, OsIds(), Patience(0, 0, 0))
    bot = BotRecord("bot", b"t" * 32, ("dragonheart",))
    return Session(ports, Feeds(none, Rung()), Rung(), Caller(), bot, 0, lambda bug: None, pace_s)


async def test_while_the_store_is_away_a_session_does_not_spin() -> None:
    bots = Away()
    keeping = asyncio.create_task(session(bots)._keep())
    for _ in range(300):
        await asyncio.sleep(0)
    keeping.cancel()
    await asyncio.wait([keeping])
    assert 1 <= bots.asked <= 2


@pytest.mark.parametrize("pause_s", [0.0, 0.005])
async def test_one_cancellation_is_enough_even_if_it_is_swallowed(pause_s: float) -> None:
    bots = Connecting()
    keeping = asyncio.create_task(session(bots)._keep())
    while not bots.asked:
        await asyncio.sleep(0)
    await asyncio.sleep(pause_s)
    keeping.cancel()
    done, _ = await asyncio.wait([keeping], timeout=10)
    while not keeping.done():  # or this test would hang as its subject does
        keeping.cancel()
        await asyncio.wait([keeping], timeout=0.1)
    assert done


@pytest.mark.parametrize(("pings", "read"), [(0, 2), (1, 2), (2, 3)])
async def test_what_a_bot_says_beyond_its_pace_is_not_read_yet(pings: int, read: int) -> None:
    """A pong is free where a ping has asked for it."""
    waits, said = iter([0.0, 0.0, math.inf]), 0

    async def talking() -> AsyncIterator[Incoming]:
        nonlocal said
        while True:
            said += 1
            yield Pong()
            yield Resignation("a" * 26)

    listener = session(Away(), lambda: next(waits))
    listener._pings = pings
    listening = asyncio.create_task(listener._listen(talking()))
    for _ in range(300):
        await asyncio.sleep(0)
    listening.cancel()
    await asyncio.wait([listening])
    assert said == read

"""Nothing hidden leaks by view, event, error, size, order or id (P9); every planted leak is heard.

In bulk the handlers are called in this process: what they return is serialised as gRPC would send
it. A sample goes over a channel to a server on a store.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from itertools import islice
from typing import Any

import grpc
import pytest

from dragonhall_engine.registry import GAMES
from dragonhall_service import app
from dragonhall_service.app import running_server
from dragonhall_service.config import Settings
from dragonhall_service.embedded import embedded_store
from dragonhall_service.store.connection import connect
from tests.budget import cases
from tests.contract import leaks
from tests.contract.listening import Direct, differences
from tests.contract.wired import Wired
from tests.contract.worlds import Games, Pair, pairs

WORLDS: dict[str, Any] = {name: import_module(f"tests.contract.worlds_{name}") for name in GAMES}
SHARDS = 4
PAIRS = cases(ci=1_000, sweep=10_000) // SHARDS
WIRED = cases(ci=20, sweep=400)
MOST_UNTIL_HEARD = 400


async def heard(pair: Pair, games: Games) -> list[str]:
    one, two = pair.worlds
    return await differences(pair, (Direct(one, games), Direct(two, games)))


@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.parametrize("game", GAMES)
async def test_two_worlds_are_told_the_same(game: str, shard: int) -> None:
    for pair in islice(pairs(WORLDS[game], 1_000_000 * (shard + 1)), PAIRS):
        assert await heard(pair, GAMES) == []


@pytest.mark.parametrize(
    ("game", "leak"),
    [(name, leak) for name in GAMES for leak in (*leaks.LEAKS, *WORLDS[name].LEAKS)],
)
async def test_a_planted_leak_is_heard(
    game: str, leak: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = dict(GAMES)
    (leaks.LEAKS | WORLDS[game].LEAKS)[leak](monkeypatch, games)
    for pair in islice(pairs(WORLDS[game], 1), MOST_UNTIL_HEARD):
        if await heard(pair, games):
            return
    pytest.fail("nobody heard it")


@asynccontextmanager
async def wired() -> AsyncIterator[tuple[Any, Any]]:
    """A channel to a server, and a client of the store under it."""
    with embedded_store() as url:
        raw = connect(url, retries=0, connections=4)
        settings = Settings(redis_url=url, listen="127.0.0.1:0", drain_s=0, grace_s=1, quotas="off")
        async with (
            running_server(settings) as server,
            grpc.aio.insecure_channel(server.target) as channel,
        ):
            yield channel, raw
        await raw.aclose()


async def heard_over(wire: tuple[Any, Any], pair: Pair) -> list[str]:
    """List what is told differently over a channel; the seat to move may be a bot's."""
    one, two = (Wired(world, *wire) for world in pair.worlds)
    found = await differences(pair, (one, two))
    if pair.reader is not None and pair.reader == pair.worlds[0].record.seat_to_move:
        turns = [await line.turn(pair.reader) for line in (one, two)]
        found += [] if turns[0] == turns[1] else ["Play"]
    return found


@pytest.mark.parametrize("game", GAMES)
async def test_two_worlds_are_told_the_same_over_the_wire(game: str) -> None:
    async with wired() as wire:
        for pair in islice(pairs(WORLDS[game], 9_000_000), WIRED):
            assert await heard_over(wire, pair) == []


@pytest.mark.parametrize("leak", ["sizes", "an order that tells"])
@pytest.mark.parametrize("game", GAMES)
async def test_a_planted_leak_is_heard_over_the_wire(
    game: str, leak: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = dict(GAMES)
    leaks.LEAKS[leak](monkeypatch, games)
    monkeypatch.setattr(app, "GAMES", games)
    movers = (p for p in pairs(WORLDS[game], 1) if p.reader == p.worlds[0].record.seat_to_move)
    async with wired() as wire:
        found = [await heard_over(wire, pair) for pair in islice(movers, 5)]
    assert any("Play" in names and len(names) > 1 for names in found), found

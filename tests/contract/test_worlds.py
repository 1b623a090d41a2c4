"""Nothing hidden leaks by view, event, error, size, order or id (P9); every planted leak is heard.

In bulk the handlers are called in this process: what they return is serialised as gRPC would send
it. A sample goes over a channel to a server on a store.
"""

from importlib import import_module
from itertools import islice
from typing import Any

import pytest

from dragonhall_engine.registry import GAMES
from dragonhall_service.embedded import embedded_store
from dragonhall_service.store.connection import connect
from tests.budget import cases
from tests.contract import leaks
from tests.contract.listening import Direct, differences
from tests.contract.wired import Wired
from tests.contract.worlds import Games, Pair, pairs
from tests.service.driver import served

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


@pytest.mark.parametrize("game", GAMES)
async def test_two_worlds_are_told_the_same_over_the_wire(game: str) -> None:
    with embedded_store() as url:
        reads = connect(url, retries=0, connections=4)
        async with served(url) as stub:
            for pair in islice(pairs(WORLDS[game], 9_000_000), WIRED):
                one, two = (Wired(world, stub, reads) for world in pair.worlds)
                assert await differences(pair, (one, two)) == []
        await reads.aclose()


@pytest.mark.parametrize("game", GAMES)
async def test_a_planted_leak_is_heard_over_the_wire(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    leaks.LEAKS["instance ids"](monkeypatch, {})
    with embedded_store() as url:
        reads = connect(url, retries=0, connections=4)
        async with served(url) as stub:
            some = list(islice(pairs(WORLDS[game], 1), 5))
            lines = [[Wired(world, stub, reads) for world in pair.worlds] for pair in some]
            found = [await differences(p, (a, b)) for p, (a, b) in zip(some, lines, strict=True)]
        await reads.aclose()
    assert any(found)

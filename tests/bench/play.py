"""Whole matches between bots, over Play and by unary calls, in turns in one run."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from itertools import count
from random import Random

from dragonhall.bots.player import play_seat
from dragonhall.bots.random_bot import RandomBot
from dragonhall.sdk import Client, new_token
from dragonhall.v1 import bot_service_pb2 as pb
from dragonhall.v1 import match_pb2
from dragonhall_engine.core.game import Setup
from dragonhall_engine.core.rng import SEED_BYTES
from dragonhall_service.api.mapping.games import MAPPINGS
from tests.bench import processes
from tests.bench.figures import Bound, Report, Samples, ratio

HOW = (
    "Whole matches of Dragonheart between two random bots of the SDK in one client process, so "
    "many at once, from creating them to their ends: as bots over Play, and as players that watch, "
    "look, list and submit. The same deals, in turns in every repetition. CPU is the server "
    "process's own. Client, server and store share the machine."
)
RATE = Bound(1.0, at_least=True)
_OPTIONS = match_pb2.MatchOptions(
    setup=MAPPINGS["dragonheart"].setup_to_proto("standard", Setup("standard", 2, 0).seats),
    visibility=match_pb2.VISIBILITY_PUBLIC,
    start_seat=0,
)
Way = Callable[[Client, int, int], Awaitable[list[str]]]
"""Plays so many matches with deals from a number on; returns their ids."""


async def over_play(client: Client, matches: int, number: int) -> list[str]:
    """Play as two bots, each with one stream."""
    luck, over, left = Random(number), asyncio.Event(), 2 * matches

    def tell(response: pb.PlayResponse) -> None:
        nonlocal left
        if response.WhichOneof("body") == "ended":
            left -= 1
            if not left:
                over.set()

    names, playing = [f"bench-{number}-{seat}" for seat in range(2)], []
    for name in names:
        token = new_token()
        await client.register_bot(token, name, ["dragonheart"])
        choose = lambda turn: luck.randrange(len(turn.moves))  # noqa: E731
        playing.append(asyncio.create_task(client.play(token, choose, tell)))
    created = [
        await client.create_match(
            new_token(), _OPTIONS, seed=_seed(number + n), bots=dict(enumerate(names))
        )
        for n in range(matches)
    ]
    await over.wait()
    for task in playing:
        task.cancel()
    await asyncio.gather(*playing, return_exceptions=True)
    return [match.match_id for match in created]


async def by_calls(client: Client, matches: int, number: int) -> list[str]:
    """Play as two players a match, each with a watch of its own."""
    return await asyncio.gather(*(_by_calls(client, number + n) for n in range(matches)))


async def _by_calls(client: Client, number: int) -> str:
    match = await client.create_match(new_token(), _OPTIONS, seed=_seed(number))
    tokens = [new_token() for _ in range(2)]
    for token in tokens:
        await client.join_match(match.match_id, token)
    async with asyncio.TaskGroup() as players:
        for seat, token in enumerate(tokens):
            bot = RandomBot(number)
            players.create_task(play_seat(client, match.match_id, token, seat, bot))
    return match.match_id


def _seed(number: int) -> bytes:
    return Random(number).randbytes(SEED_BYTES)


WAYS: dict[str, Way] = {"Play": over_play, "unary calls": by_calls}


async def measure(repetitions: int, at_once: tuple[int, ...] = (1, 16)) -> Report:
    """Measure both ways on a server and a store of their own."""
    samples, numbers = Samples(), count(step=max(at_once))
    with (
        processes.store(processes.stores()["embedded"]) as url,
        processes.service(url) as server,
    ):
        async with Client(server.target) as client:
            await by_calls(client, 1, 1_000_000)  # warm
            for _ in range(repetitions):
                for matches in at_once:
                    number = next(numbers)
                    for name, way in WAYS.items():
                        await _sample(samples, name, way, server, client, matches, number)
    compared = []
    for matches in at_once:
        ours, theirs = (f"{name}, {matches} at once: " for name in WAYS)
        for what, unit, bound in (("moves", "/s", RATE), ("CPU per move", "µs", None)):
            rows = samples.row(ours + what, unit), samples.row(theirs + what, unit)
            compared.append(ratio(f"Play to unary calls, {matches} at once: {what}", *rows, bound))
    return Report("play", HOW, repetitions, [*samples.rows(), *compared])


async def _sample(
    samples: Samples,
    name: str,
    way: Way,
    server: processes.Running,
    client: Client,
    matches: int,
    number: int,
) -> None:
    cpu, begun = server.cpu_seconds(), time.perf_counter()
    played = await way(client, matches, number)
    spent, cpu = time.perf_counter() - begun, server.cpu_seconds() - cpu
    moves = 0
    for match_id in played:
        moves += (await client.get_match(match_id)).match.version
    samples.add(f"{name}, {matches} at once: moves", "/s", moves / spent)
    samples.add(f"{name}, {matches} at once: CPU per move", "µs", cpu / moves * 1e6)

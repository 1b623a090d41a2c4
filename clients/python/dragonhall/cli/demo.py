"""A whole match between bots over gRPC, the same again for the same seed."""

import asyncio
import functools
import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

from dragonhall.bots.bot import Bot
from dragonhall.bots.player import play_seat
from dragonhall.cli.choosing import choose_bot, choose_setup, find_game
from dragonhall.cli.mistakes import Mistake
from dragonhall.cli.replaying import tell_match
from dragonhall.cli.showing import event_lines, outcome_lines
from dragonhall.sdk import Client, new_token
from dragonhall.v1 import catalog_service_pb2, game_pb2, match_pb2
from dragonhall.v1.match_service_pb2 import WatchMatchResponse
from dragonhall_service.app import embedded_server

_DEFAULT_BOTS = ("greedy", "random")
"""The first seat's bot, and that of all others."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What somebody wants to see.

    Attributes:
        game: its name.
        edition: its name; empty: the game's first.
        seats: how many; None: one for each bot, or the fewest of the game.
        bots: one name for each seat, in seat order; empty: greedy, then random.
        boards: show the board after each event, which begins when the match is over.
    """

    game: str
    edition: str
    seats: int | None
    bots: tuple[str, ...]
    boards: bool


async def play_demo(seed: int, wanted: Wanted) -> None:
    """Play and print a match; stdout depends on the arguments alone.

    Raises:
        Mistake: there is no such game, edition, number of seats or bot.
    """
    async with embedded_server() as target, Client(target) as client:
        game = await find_game(client, wanted.game)
        seats = _seats(game, wanted)
        setup = choose_setup(game, wanted.edition, seats)
        first, others = _DEFAULT_BOTS
        names = wanted.bots or (first, *[others] * (seats - 1))
        if len(names) != seats:
            raise Mistake(f"--bots names {len(names)} for {seats} seats: name a bot for each")
        bots = [(name, choose_bot(game.name, name, seed + n)) for n, name in enumerate(names)]
        edition = wanted.edition or game.editions[0].name
        print(f"{game.name}, {edition}: {' against '.join(names)}, seed {seed}")
        match_id = await _play(client, setup, bots, seed, silent=wanted.boards)
        if wanted.boards:
            replay = await client.get_replay(match_id)
            await tell_match(replay, None, functools.partial(asyncio.sleep, 0))
        else:
            print("\n".join(outcome_lines((await client.get_match(match_id)).match)))


def _seats(game: catalog_service_pb2.Game, wanted: Wanted) -> int:
    if wanted.seats is not None:
        return wanted.seats
    return len(wanted.bots) or game.min_seats


async def _play(
    client: Client,
    setup: game_pb2.GameSetup,
    bots: list[tuple[str, Bot]],
    seed: int,
    *,
    silent: bool,
) -> str:
    """Play a match, tell what happens unless it is to be silent, and return its id."""
    options = match_pb2.MatchOptions(setup=setup, visibility=match_pb2.VISIBILITY_PUBLIC)
    luck = hashlib.sha512(f"dragonhall-demo {seed}".encode()).digest()
    match = await client.create_match(new_token(), options, deal_id=f"demo-{seed}", seed=luck)
    tokens = [new_token() for _ in bots]
    news = client.watch(match.match_id)
    await anext(news)  # the snapshot: from here on nothing is missed
    for token, (name, _) in zip(tokens, bots, strict=True):
        await client.join_match(match.match_id, token, player_name=name)
    async with asyncio.TaskGroup() as players:
        for seat, (token, (_, bot)) in enumerate(zip(tokens, bots, strict=True)):
            players.create_task(play_seat(client, match.match_id, token, seat, bot))
        if not silent:
            players.create_task(_print_match(news))
    return match.match_id


async def _print_match(news: AsyncIterator[WatchMatchResponse]) -> None:
    async for message in news:
        if message.WhichOneof("body") == "event":
            print("\n".join(event_lines(message.event)), flush=True)

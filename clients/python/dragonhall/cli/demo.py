"""A whole match between bots over gRPC, the same again for the same seed."""

import asyncio
import hashlib
from collections.abc import AsyncIterator

from dragonhall.bots.bot import Bot
from dragonhall.bots.player import play_seat
from dragonhall.bots.registry import make_bot
from dragonhall.cli.mistakes import Mistake
from dragonhall.cli.showing import event_lines, outcome_lines
from dragonhall.sdk import Client, new_token
from dragonhall.v1 import catalog_service_pb2, match_pb2
from dragonhall.v1.match_service_pb2 import WatchMatchResponse
from dragonhall_service.app import embedded_server


async def play_demo(seed: int, game: str, bots: list[str]) -> None:
    """Play and print a match; stdout depends on the arguments alone."""
    async with embedded_server() as target, Client(target) as client:
        known = {found.name: found for found in (await client.list_games()).games}
        if game not in known:
            raise Mistake(f"--game is one of {', '.join(known)}")
        seated = _make_bots(known[game], bots, seed)
        print(f"{game}: {' against '.join(bots)}, seed {seed}")
        await _play(client, known[game], list(zip(bots, seated, strict=True)), seed)


def _make_bots(game: catalog_service_pb2.Game, names: list[str], seed: int) -> list[Bot]:
    if not game.min_seats <= len(names) <= game.max_seats:
        raise Mistake(f"{game.name} has {game.min_seats} to {game.max_seats} seats, a bot for each")
    try:
        return [make_bot(game.name, name, seed + seat) for seat, name in enumerate(names)]
    except ValueError as wrong:
        raise Mistake(str(wrong)) from wrong


async def _play(
    client: Client, game: catalog_service_pb2.Game, bots: list[tuple[str, Bot]], seed: int
) -> None:
    options = match_pb2.MatchOptions(
        setup=game.editions[0].setup, visibility=match_pb2.VISIBILITY_PUBLIC
    )
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
        players.create_task(_print_match(news))
    print("\n".join(outcome_lines((await client.get_match(match.match_id)).match)))


async def _print_match(news: AsyncIterator[WatchMatchResponse]) -> None:
    async for message in news:
        if message.WhichOneof("body") == "event":
            print("\n".join(event_lines(message.event)), flush=True)

"""Plays a bot on a server: every match that it has a seat in, over one stream."""

import hashlib
from collections.abc import Callable, Collection
from functools import lru_cache

from dragonhall.bots.bot import Bot
from dragonhall.bots.clock import seconds_to_think
from dragonhall.sdk import Client
from dragonhall.v1 import bot_service_pb2 as pb

MakeBot = Callable[[str, int], Bot]
"""Takes the game's name and a seed, and makes the bot for one seat of one match."""
_KEPT = 256


async def host_bot(
    client: Client,
    name: str,
    token: str,
    games: Collection[str],
    make_bot: MakeBot,
    *,
    seed: int = 0,
    registration_key: str = "",
) -> None:
    """Register a bot and play until a newer stream of it takes over.

    Args:
        token: the bot's secret; the same one makes it the same bot after a restart.
        seed: of all its matches; each match gets one of its own made from it.

    Raises:
        DragonhallError: the name is taken, or the server refused the bot or is gone.
    """
    await client.register_bot(token, name, games, registration_key=registration_key)
    await play_bot(client, token, make_bot, seed=seed)


async def play_bot(client: Client, token: str, make_bot: MakeBot, *, seed: int = 0) -> None:
    """Play a bot that is registered until a newer stream of it takes over.

    Raises:
        DragonhallError: the server refused the bot or is gone.
    """

    # A bot is kept for its next turn as long as there is room: that a match has ended may be
    # missed. Another one made for the same match chooses no worse.
    @lru_cache(_KEPT)
    def bot_of(match_id: str, game: str, deal_id: str, seat: int) -> Bot:
        return make_bot(game, turn_seed(seed, deal_id, seat, 0))

    def choose(turn: pb.PlayTurn) -> int:
        match = turn.match
        game = match.options.setup.WhichOneof("game") or ""
        bot = bot_of(match.match_id, game, match.deal.deal_id, turn.seat)
        return bot.choose(turn.view, turn.moves, seconds_to_think(match, turn.seat))

    await client.play(token, choose)


def turn_seed(seed: int | str, deal_id: str, seat: int, version: int) -> int:
    """Make a bot's seed: the same deal, seat and version give the same, wherever it plays."""
    digest = hashlib.sha256(f"{seed} {deal_id} {seat} {version}".encode()).digest()
    return int.from_bytes(digest[:8], "big")

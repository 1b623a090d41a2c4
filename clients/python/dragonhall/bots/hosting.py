"""Plays a bot on a server: every match that it has a seat in, over one stream."""

import hashlib
from collections.abc import Callable, Collection

from dragonhall.bots.bot import Bot
from dragonhall.sdk import Client
from dragonhall.v1 import bot_service_pb2 as pb

MakeBot = Callable[[str, int], Bot]
"""Takes the game's name and a seed, and makes the bot for one seat of one match."""


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
    bots: dict[str, Bot] = {}

    def choose(turn: pb.PlayTurn) -> int:
        match = turn.match
        if match.match_id not in bots:
            game = match.options.setup.WhichOneof("game") or ""
            own = turn_seed(seed, match.deal.deal_id, turn.seat, 0)
            bots[match.match_id] = make_bot(game, own)
        return bots[match.match_id].choose(turn.view, turn.moves)

    def tell(response: pb.PlayResponse) -> None:
        if response.WhichOneof("body") == "ended":
            bots.pop(response.ended.match.match_id, None)

    await client.play(token, choose, tell)


def turn_seed(seed: int, deal_id: str, seat: int, version: int) -> int:
    """Make a bot's seed: the same deal, seat and version give the same, wherever it plays."""
    digest = hashlib.sha256(f"{seed} {deal_id} {seat} {version}".encode()).digest()
    return int.from_bytes(digest[:8], "big")

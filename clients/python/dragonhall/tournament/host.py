"""Hosts one shipped bot for a tournament: `python -m dragonhall.tournament.host`.

Each turn is chosen by a bot made anew, from a seed of its name, the deal, the seat and the turn:
what it plays depends on nothing that a restart would forget, and two equal bots have luck of their
own. The runner has registered it.
"""

import asyncio
import os
import sys
from collections.abc import Mapping

from dragonhall.bots.clock import seconds_to_think
from dragonhall.bots.hosting import turn_seed
from dragonhall.bots.registry import make_bot
from dragonhall.sdk import Client
from dragonhall.sdk.retry import Retry
from dragonhall.v1 import bot_service_pb2 as pb

SERVER, NAME, TOKEN, GAME = (
    f"DRAGONHALL_BOT_{part}" for part in ("SERVER", "NAME", "TOKEN", "GAME")
)
"""What the runner tells a bot's process, in its environment."""
PATIENCE_S = 600.0


async def host(how: str, environment: Mapping[str, str]) -> None:
    """Play until the runner ends this process."""
    game, token, name = environment[GAME], environment[TOKEN], environment[NAME]

    def choose(turn: pb.PlayTurn) -> int:
        match = turn.match
        seed = turn_seed(name, match.deal.deal_id, turn.seat, match.version)
        seconds = seconds_to_think(match, turn.seat)
        return make_bot(game, how, seed).choose(turn.view, turn.moves, seconds)

    async with Client(environment[SERVER], Retry(budget_s=PATIENCE_S)) as client:
        await client.play(token, choose)


if __name__ == "__main__":
    asyncio.run(host(sys.argv[1], os.environ))

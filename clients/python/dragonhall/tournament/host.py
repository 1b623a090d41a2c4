"""Hosts one shipped bot for a tournament: `python -m dragonhall.tournament.host`.

Each turn is chosen by a bot made anew, from a seed of its name, the deal, the seat and the turn:
what it plays depends on nothing that a restart would forget, and two equal bots have luck of their
own. The runner has registered it.
"""

import asyncio
import json
import os
import sys
from collections.abc import Mapping

from dragonhall.bots.clock import seconds_to_think
from dragonhall.bots.hosting import turn_seed
from dragonhall.bots.registry import make_bot
from dragonhall.sdk import Client
from dragonhall.sdk.retry import Retry
from dragonhall.sdk.tls import Tls
from dragonhall.v1 import bot_service_pb2 as pb

SERVER, NAME, TOKEN, GAME, TLS = (
    f"DRAGONHALL_BOT_{part}" for part in ("SERVER", "NAME", "TOKEN", "GAME", "TLS")
)
"""What the runner tells a bot's process, in its environment."""
PATIENCE_S = 600.0


def tls_to_text(tls: Tls) -> str:
    """Return a JSON object of PEM texts, as a bot finds it in its environment."""
    pems = {"ca": tls.ca, "cert": tls.cert, "key": tls.key}
    texts = {name: pem and pem.decode() for name, pem in pems.items()}
    return json.dumps({**texts, "server_name": tls.server_name})


def tls_from_text(text: str) -> Tls | None:
    """Read it again; "" for a server without TLS."""
    if not text:
        return None
    given = json.loads(text)
    ca, cert, key = (given[name] and given[name].encode() for name in ("ca", "cert", "key"))
    return Tls(ca, cert, key, given["server_name"])


async def host(how: str, environment: Mapping[str, str]) -> None:
    """Play until the runner ends this process."""
    game, token, name = environment[GAME], environment[TOKEN], environment[NAME]

    def choose(turn: pb.PlayTurn) -> int:
        match = turn.match
        seed = turn_seed(name, match.deal.deal_id, turn.seat, match.version)
        seconds = seconds_to_think(match, turn.seat)
        return make_bot(game, how, seed).choose(turn.view, turn.moves, seconds)

    tls = tls_from_text(environment.get(TLS, ""))
    async with Client(environment[SERVER], Retry(budget_s=PATIENCE_S), tls) as client:
        await client.play(token, choose)


if __name__ == "__main__":
    asyncio.run(host(sys.argv[1], os.environ))

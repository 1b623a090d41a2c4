"""The search bot of Dragonheart."""

from typing import Final

from dragonhall.bots.dragonheart.policy import DragonheartPolicy
from dragonhall.bots.dragonheart.reading import read_move, read_view
from dragonhall.bots.ismcts.bot import IsmctsBot, Reading
from dragonhall.bots.ismcts.limits import parse_limit
from dragonhall.bots.ismcts.search import Search
from dragonhall_engine import dragonheart

DEFAULT_LIMIT: Final = "400"
"""About 0.2 s a move on one core of 2020: strong, and nobody waits for it."""


def dragonheart_search(seed: int, detail: str) -> IsmctsBot:
    """Make the bot; `detail` is a limit as `parse_limit` reads it, or '' for the default.

    Raises:
        ValueError: it is no limit.
    """
    reading = Reading(
        view=lambda view: read_view(view.dragonheart, view.dragonheart.seat_to_move),
        move=lambda move: read_move(move.dragonheart),
    )
    search = Search(dragonheart, DragonheartPolicy())
    return IsmctsBot(search, reading, parse_limit(detail or DEFAULT_LIMIT), seed)

"""The search bot of Dragonkeepers."""

from typing import Final

from dragonhall.bots.dragonkeepers.policy import DragonkeepersPolicy
from dragonhall.bots.dragonkeepers.reading import read_move, read_view
from dragonhall.bots.ismcts.bot import IsmctsBot, Reading
from dragonhall.bots.ismcts.limits import parse_limit
from dragonhall.bots.ismcts.search import Search
from dragonhall_engine import dragonkeepers

DEFAULT_LIMIT: Final = "400"


def dragonkeepers_search(seed: int, detail: str) -> IsmctsBot:
    """Make the bot; `detail` is a limit as `parse_limit` reads it, or '' for the default.

    Raises:
        ValueError: it is no limit.
    """
    reading = Reading(
        view=lambda view: read_view(view.dragonkeepers, view.dragonkeepers.seat_to_move),
        move=lambda move: read_move(move.dragonkeepers),
    )
    search = Search(dragonkeepers, DragonkeepersPolicy())
    return IsmctsBot(search, reading, parse_limit(detail or DEFAULT_LIMIT), seed)

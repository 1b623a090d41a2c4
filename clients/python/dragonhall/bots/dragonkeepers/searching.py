"""The search bot of Dragonkeepers."""

from dragonhall.bots.dragonkeepers.policy import DragonkeepersPolicy
from dragonhall.bots.dragonkeepers.reading import read_move, read_view
from dragonhall.bots.ismcts.bot import Reading, search_bot
from dragonhall_engine import dragonkeepers

dragonkeepers_search = search_bot(
    dragonkeepers,
    DragonkeepersPolicy(),
    Reading(
        view=lambda view: read_view(view.dragonkeepers, view.dragonkeepers.seat_to_move),
        move=lambda move: read_move(move.dragonkeepers),
    ),
)
"""Makes the bot from a seed and a limit such as `400` or `0.5s`, '' for the default one."""

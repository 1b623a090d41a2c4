"""The search bot of Dragonheart."""

from dragonhall.bots.dragonheart.policy import DragonheartPolicy
from dragonhall.bots.dragonheart.reading import read_move, read_view
from dragonhall.bots.ismcts.bot import Reading, search_bot
from dragonhall_engine import dragonheart

dragonheart_search = search_bot(
    dragonheart,
    DragonheartPolicy(),
    Reading(
        view=lambda view: read_view(view.dragonheart, view.dragonheart.seat_to_move),
        move=lambda move: read_move(move.dragonheart),
    ),
)
"""Makes the bot from a seed and a limit such as `400` or `0.5s`, '' for the default one."""

"""The shipped bots by name. A further bot, or a bot's further game, is one line here."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from dragonhall.bots.bot import Bot
from dragonhall.bots.dragonheart.greedy import GreedyBot
from dragonhall.bots.random_bot import RandomBot

BOTS: Mapping[tuple[str, str], Callable[[int], Bot]] = MappingProxyType(
    {
        ("dragonheart", "greedy"): lambda seed: GreedyBot(),
        ("dragonheart", "random"): RandomBot,
    }
)
"""(game, bot) to a factory that takes the bot's seed."""


def bot_names(game: str) -> list[str]:
    """List the bots that play a game."""
    return sorted(bot for played, bot in BOTS if played == game)

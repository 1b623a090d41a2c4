"""The shipped bots by name. A further bot, or a bot's further game, is one line here."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from dragonhall.bots.bot import Bot
from dragonhall.bots.dragonheart.greedy import GreedyBot as GreedyHeart
from dragonhall.bots.dragonheart.searching import dragonheart_search
from dragonhall.bots.dragonkeepers.greedy import GreedyBot as GreedyKeeper
from dragonhall.bots.dragonkeepers.searching import dragonkeepers_search
from dragonhall.bots.random_bot import RandomBot

Maker = Callable[[int, str], Bot]
"""Makes a bot from its seed and from what stands behind the colon of its name, or ''.

Raises:
    ValueError: it takes nothing, or something else, behind a colon.
"""


def _plain(make: Callable[[int], Bot]) -> Maker:
    def maker(seed: int, detail: str) -> Bot:
        if detail:
            raise ValueError(f"this bot takes nothing behind a colon, such as {detail!r}")
        return make(seed)

    return maker


BOTS: Mapping[tuple[str, str], Maker] = MappingProxyType(
    {
        ("dragonheart", "greedy"): _plain(lambda seed: GreedyHeart()),
        ("dragonheart", "ismcts"): dragonheart_search,
        ("dragonheart", "random"): _plain(RandomBot),
        ("dragonkeepers", "greedy"): _plain(lambda seed: GreedyKeeper()),
        ("dragonkeepers", "ismcts"): dragonkeepers_search,
        ("dragonkeepers", "random"): _plain(RandomBot),
    }
)
"""(game, bot) to what makes it."""


def make_bot(game: str, text: str, seed: int) -> Bot:
    """Make a bot by its name, such as `greedy`, `ismcts` or `ismcts:800`.

    Raises:
        ValueError: no such bot plays the game, or not in this way; the text can be shown.
    """
    name, _, detail = text.partition(":")
    if (game, name) not in BOTS:
        raise ValueError(f"no bot {name!r} plays {game}: {', '.join(bot_names(game))}")
    return BOTS[game, name](seed, detail)


def bot_names(game: str) -> list[str]:
    """List the bots that play a game."""
    return sorted(bot for played, bot in BOTS if played == game)

"""The search as a bot: a view and moves from their protos, then a search."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Final

from dragonhall.bots.ismcts import limits
from dragonhall.bots.ismcts.limits import Limit, first, parse_limit
from dragonhall.bots.ismcts.luck import Luck
from dragonhall.bots.ismcts.policy import Policy
from dragonhall.bots.ismcts.search import Search
from dragonhall.v1 import game_pb2
from dragonhall_engine.core.game import Game

DEFAULT_LIMIT: Final = "400"
"""About 0.1 s of CPU a decision: strong, and nobody waits for it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How a game's protos become the engine's values.

    Attributes:
        view: the view of the seat to move.
        move: a move.
    """

    view: Callable[[game_pb2.View], Any]
    move: Callable[[game_pb2.Move], Any]


class IsmctsBot:
    """Implements `bots.bot.Bot` for every game.

    If the limit counts iterations, a choice depends on seed, view and moves alone: a bot that is
    asked twice, or was started again, answers the same. Time that runs out ends any search.
    """

    def __init__(
        self, search: Search[Any, Any, Any], reading: Reading, limit: Limit, seed: int
    ) -> None:
        self._search = search
        self._reading = reading
        self._limit = limit
        self._seed = seed

    def choose(
        self, view: game_pb2.View, moves: Sequence[game_pb2.Move], seconds: float = inf
    ) -> int:
        """Return the index of the move to make."""
        read = self._reading
        return self.best(read.view(view), [read.move(move) for move in moves], seconds)

    def best(self, view: Any, moves: Sequence[Any], seconds: float = inf) -> int:
        """Return the index of the move to make, from the engine's own view and moves."""
        limit = first(self._limit, limits.seconds(seconds))
        return self._search.choose(view, moves, limit, Luck(f"{self._seed} {view}"))


def search_bot(
    game: Game[Any, Any, Any, Any], policy: Policy[Any, Any], reading: Reading
) -> Callable[[int, str], IsmctsBot]:
    """Return what makes the bot of a game from a seed and a limit, '' for the default one.

    It raises ValueError for a text that `parse_limit` cannot read.
    """
    search = Search(game, policy)
    return lambda seed, detail: IsmctsBot(
        search, reading, parse_limit(detail or DEFAULT_LIMIT), seed
    )

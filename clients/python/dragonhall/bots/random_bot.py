"""Any legal move, each as likely as the others."""

import random
from collections.abc import Sequence
from math import inf

from dragonhall.v1 import game_pb2


class RandomBot:
    """Implements `bots.bot.Bot` for every game."""

    def __init__(self, seed: int) -> None:
        """Choose by a generator seeded with `seed`."""
        self._random = random.Random(seed)

    def choose(
        self, view: game_pb2.View, moves: Sequence[game_pb2.Move], seconds: float = inf
    ) -> int:
        """Return a random index."""
        return self._random.randrange(len(moves))

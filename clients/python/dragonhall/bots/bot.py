"""What a bot is: a choice among legal moves, from a view."""

from collections.abc import Sequence
from math import inf
from typing import Protocol

from dragonhall.v1 import game_pb2


class Bot(Protocol):
    """Chooses moves for one seat of one match."""

    def choose(
        self, view: game_pb2.View, moves: Sequence[game_pb2.Move], seconds: float = inf
    ) -> int:
        """Return the index of the move to make.

        Args:
            view: what the seat to move may know.
            moves: its legal moves, at least one.
            seconds: how long it may think; 0 or less: hardly at all.
        """

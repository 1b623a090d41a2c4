"""What a bot is: a choice among legal moves, from a view."""

from collections.abc import Sequence
from typing import Protocol

from dragonhall.v1 import game_pb2


class Bot(Protocol):
    """Chooses moves for one seat of one match."""

    def choose(self, view: game_pb2.View, moves: Sequence[game_pb2.Move]) -> int:
        """Return the index of the move to make; `moves` holds at least one."""

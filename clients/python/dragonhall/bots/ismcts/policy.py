"""What the search must be told about a game besides its rules."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from dragonhall.bots.ismcts.luck import Luck

S_contra = TypeVar("S_contra", contravariant=True)
M = TypeVar("M")


class Policy(Protocol[S_contra, M]):
    """How to play on from a state without thinking long, and what a state is worth.

    S is the game's state, M its move.
    """

    @property
    def exploration(self) -> float:
        """The constant of UCB1, in units of the reward: more looks at more moves."""

    @property
    def horizon(self) -> int:
        """How many moves a roll-out makes before the state it has come to is judged."""

    def pick(self, state: S_contra, moves: Sequence[M], luck: Luck) -> M:
        """Return one of the seat to move's legal moves; `moves` holds at least one."""

    def rewards(self, state: S_contra) -> Sequence[float]:
        """Return what a state, over or not, promises each seat: 0 is the worst, 1 the best."""

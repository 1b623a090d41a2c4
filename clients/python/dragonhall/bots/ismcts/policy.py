"""What the search must be told about a game besides its rules."""

from collections.abc import Sequence
from math import exp
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
    def widening(self) -> float:
        """How fast a place is given moves, the best by `pick` first.

        More than 0: n moves are compared after n**2 / widening visits; `inf`: all from the start.
        """

    def pick(self, state: S_contra, moves: Sequence[M], luck: Luck) -> M:
        """Return one of some legal moves of the seat to move; `moves` holds at least one."""

    def rewards(self, state: S_contra, luck: Luck) -> Sequence[float]:
        """Play on from a state, in place, and return what each seat may expect of the match.

        Returns:
            Per seat about its chance to win, 0-1.
        """


def shares(points: Sequence[float], unit: float) -> list[float]:
    """Share a win out: a seat that is ahead by `unit` points gets 2.7 times as much.

    >>> [round(share, 2) for share in shares([30, 20, 20], 10)]
    [0.58, 0.21, 0.21]
    """
    most = max(points)
    weights = [exp((mine - most) / unit) for mine in points]
    total = sum(weights)
    return [weight / total for weight in weights]

"""What one game is worth to its players."""

from collections.abc import Sequence


def shares(ranks: Sequence[int]) -> tuple[float, ...]:
    """Turn the ranks of a game's seats into scores between 0, last alone, and 1, first alone.

    A seat scores the part of the others that it beats, and half of those it ties with; so with two
    seats a win is 1 and a draw 0.5, and the mean over all seats is always 0.5.

    >>> shares([1, 2, 2, 4])
    (1.0, 0.5, 0.5, 0.0)
    """
    others = len(ranks) - 1
    return tuple(
        (sum(rank < other for other in ranks) + (ranks.count(rank) - 1) / 2) / others
        for rank in ranks
    )

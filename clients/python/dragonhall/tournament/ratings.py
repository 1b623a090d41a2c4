"""Ratings of all players together, with bootstrap intervals.

A game with more than two seats counts as one comparison for each pair of its seats; seats that tie
have half a win each against the other, so equals are treated equally whatever their number. The
comparisons are fitted by Bradley and Terry's model (1952), computed by choix.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import choix
import numpy as np
from numpy.typing import NDArray

ELO_PER_NAT = 400 / np.log(10)
PRIOR = 0.1
"""Comparisons that every pair is given beforehand, half won: whoever wins all stays finite."""
SAMPLES = 1_000
_LOW, _HIGH = 2.5, 97.5


@dataclass(frozen=True, slots=True)
class Comparison:
    """Wins of `winner` against `loser` on one deal: whole numbers and halves."""

    deal: int
    winner: int
    loser: int
    wins: float


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's rating in Elo points around a mean of 0, with its 95 % interval."""

    elo: float
    low: float
    high: float


def comparisons_of(deal: int, players: Sequence[int], ranks: Sequence[int]) -> list[Comparison]:
    """Take a game apart into pairs; a pair of seats of one player says nothing."""
    found = []
    for seat, player in enumerate(players):
        for other_seat, other in enumerate(players):
            if player != other and ranks[seat] < ranks[other_seat]:
                found.append(Comparison(deal, player, other, 1.0))
            elif player != other and ranks[seat] == ranks[other_seat]:
                found.append(Comparison(deal, player, other, 0.5))
    return found


def rate(players: int, comparisons: Sequence[Comparison], seed: int) -> list[Rating]:
    """Rate players 0 to `players` - 1; deals are drawn again with replacement for the intervals.

    Among the deals that are drawn is one more, in which all who met tie: else a player that won
    every game would have an interval without any width. The order of comparisons does not matter.
    """
    deals = sorted({comparison.deal for comparison in comparisons})
    place = {deal: n for n, deal in enumerate(deals)}
    wins = np.zeros((max(1, len(deals)), players, players))
    for each in comparisons:
        wins[place.get(each.deal, 0), each.winner, each.loser] += each.wins
    total = wins.sum(axis=0)
    fitted = _fit(total)
    chance = np.random.default_rng(seed)
    tied = (total + total.T) / (2 * len(wins))
    wins = np.concatenate([wins, tied[np.newaxis]])
    drawn = np.array(
        [_fit(wins[chance.integers(0, len(wins), len(wins))].sum(axis=0)) for _ in range(SAMPLES)]
    )
    low, high = np.percentile(drawn, [_LOW, _HIGH], axis=0)
    rows = zip(fitted, low, high, strict=True)
    return [Rating(float(elo), float(down), float(up)) for elo, down, up in rows]


def _fit(wins: NDArray[np.float64]) -> NDArray[np.float64]:
    prior = np.full(wins.shape, PRIOR / 2)
    np.fill_diagonal(prior, 0.0)
    fitted = choix.ilsr_pairwise_dense(wins + prior)
    return np.asarray((fitted - fitted.mean()) * ELO_PER_NAT)

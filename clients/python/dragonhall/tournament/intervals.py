"""Means of paired deals with their 95 % intervals.

The unit is a deal, not a game: all rotations of the players over the seats of one deal are one
number, their mean, so what the deal itself gave to a seat cancels out and only luck between deals
is left in the error. (Duplicate tournaments; Student 1908 for the interval.)
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

CONFIDENCE = 0.95
_SAME = 1e-9
"""Equal scores that were added up in another order differ by less."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean score with its interval.

    Attributes:
        deals: how many deals it rests on.
        superiority: how likely the true mean is above one half, 0-1.
    """

    mean: float
    low: float
    high: float
    deals: int
    superiority: float


def paired_interval(scores: Sequence[float]) -> Interval:
    """Return the mean of scores, one a deal, each between 0 and 1, with its 95 % interval.

    Where every deal gave the same, their spread says nothing; then the interval is as wide as that
    of as many equal coin tosses (Clopper and Pearson 1934). Without a deal it is 0 to 1.
    """
    deals = len(scores)
    if not deals:
        return Interval(0.5, 0.0, 1.0, 0, 0.5)
    values = np.asarray(scores, dtype=float)
    mean = float(values.mean())
    if float(np.ptp(values)) < _SAME:
        return _of_equal_scores(mean, deals)
    error = float(values.std(ddof=1)) / deals**0.5
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, deals - 1)) * error
    superiority = float(stats.t.cdf((mean - 0.5) / error, deals - 1))
    return Interval(mean, max(0.0, mean - half), min(1.0, mean + half), deals, superiority)


def _of_equal_scores(mean: float, deals: int) -> Interval:
    width = 1 - ((1 - CONFIDENCE) / 2) ** (1 / deals)
    low, high = max(0.0, mean - width), min(1.0, mean + width)
    unlikely = 0.5 ** (deals + 1)
    return Interval(mean, low, high, deals, _superiority(mean, unlikely))


def _superiority(mean: float, unlikely: float) -> float:
    if abs(mean - 0.5) < _SAME:
        return 0.5
    return 1 - unlikely if mean > 0.5 else unlikely

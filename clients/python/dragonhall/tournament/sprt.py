"""A sequential test between two bots, over paired deals.

H0: the first bot's mean score a deal is `low`; H1: it is `high`. Wald's sequential probability
ratio test (1945) with the generalised log-likelihood ratio of a normal mean whose variance is
estimated from the deals seen so far, as chess engines are tested: n (s1 - s0) (2 m - s0 - s1) / 2v.
It is decided when the ratio first leaves (log(beta / (1 - alpha)), log((1 - beta) / alpha)); deals
that were under way then, and are finished, change nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, unique
from math import log

LEAST_DEALS = 16
"""Before, the variance is not worth the name."""
LEAST_VARIANCE = 1e-3
"""A spread that has not shown yet must not decide the test."""


@unique
class Verdict(Enum):
    """What a sequential test says."""

    GOES_ON = "goes on"
    LOW = "the score is the lower one"
    HIGH = "the score is the higher one"


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """Two mean scores a deal, 0-1, and the error rates.

    Attributes:
        alpha: how often HIGH may be said where `low` is true.
        beta: how often LOW may be said where `high` is true.
    """

    low: float = 0.5
    high: float = 0.55
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        """Check the ranges.

        Raises:
            ValueError: not 0 <= low < high <= 1, or an error rate not between 0 and one half.
        """
        if not 0 <= self.low < self.high <= 1:
            raise ValueError("the hypotheses are two scores, 0 <= low < high <= 1")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError("error rates lie between 0 and 0.5")


@dataclass(frozen=True, slots=True)
class State:
    """How far a test has got.

    Attributes:
        deals: how many it has looked at; those that decided it, if it is decided.
        ratio: the log-likelihood ratio then, between the two bounds until it is decided.
    """

    verdict: Verdict
    deals: int
    ratio: float
    lower: float
    upper: float


def decide(scores: Sequence[float], hypotheses: Hypotheses) -> State:
    """Return the state of the test, given the first bot's score of each deal, deal by deal."""
    lower = log(hypotheses.beta / (1 - hypotheses.alpha))
    upper = log((1 - hypotheses.beta) / hypotheses.alpha)
    ratio, mean, squares = 0.0, 0.0, 0.0
    for deals, score in enumerate(scores, start=1):
        before, mean = mean, mean + (score - mean) / deals
        squares += (score - before) * (score - mean)  # of the deviations (Welford 1962)
        if deals < LEAST_DEALS:
            continue
        ratio = _ratio(deals, mean, squares / (deals - 1), hypotheses)
        if ratio >= upper:
            return State(Verdict.HIGH, deals, ratio, lower, upper)
        if ratio <= lower:
            return State(Verdict.LOW, deals, ratio, lower, upper)
    return State(Verdict.GOES_ON, len(scores), ratio, lower, upper)


def _ratio(deals: int, mean: float, variance: float, hypotheses: Hypotheses) -> float:
    low, high = hypotheses.low, hypotheses.high
    return deals * (high - low) * (2 * mean - low - high) / (2 * max(variance, LEAST_VARIANCE))

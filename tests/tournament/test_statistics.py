"""Intervals hold the truth, ratings are fair, the sequential test keeps its error rates."""

from collections.abc import Callable
from math import isfinite

import numpy as np
import pytest

from dragonhall.tournament.intervals import Interval, paired_interval
from dragonhall.tournament.ratings import Comparison, comparisons_of, rate
from dragonhall.tournament.scoring import shares
from dragonhall.tournament.sprt import Hypotheses, Verdict, decide
from tests.budget import cases

TOURNAMENTS = cases(ci=600, sweep=3_000)
DEALS = 100
EDGE, SWING = 0.3, 1.5
"""The better player's lead, and how much a deal favours one seat, in the model's units."""


def played(chance: np.random.Generator, deals: int, edge: float) -> np.ndarray:
    """Play each deal with both seatings and return the first player's scores, a row a deal.

    The deal favours a seat by the same amount in both games; both players have luck of their own.
    """
    favour = chance.normal(0, SWING, (deals, 1))
    seat = np.array([[1.0, -1.0]])
    lead = edge + favour * seat + chance.normal(0, 1, (deals, 2))
    return np.where(np.abs(lead) < 0.1, 0.5, (lead > 0).astype(float))


def truth(edge: float) -> float:
    return float(played(np.random.default_rng(99), 1_000_000, edge).mean())


def coverage(interval: Callable[[np.ndarray], Interval], edge: float) -> float:
    chance, right = np.random.default_rng(7), truth(edge)
    found = [interval(played(chance, DEALS, edge)) for _ in range(TOURNAMENTS)]
    return sum(each.low <= right <= each.high for each in found) / TOURNAMENTS


def paired(games: np.ndarray) -> Interval:
    return paired_interval(games.mean(axis=1).tolist())


def unpaired(games: np.ndarray) -> Interval:
    """The wrong formula: it takes the two games of a deal for independent ones."""
    return paired_interval(games.ravel().tolist())


def slack() -> float:
    """Three standard errors of a coverage of 95 %."""
    return float(3 * (0.95 * 0.05 / TOURNAMENTS) ** 0.5)


@pytest.mark.parametrize("edge", [0.0, EDGE, 1.0])
def test_the_interval_holds_the_truth(edge: float) -> None:
    found = coverage(paired, edge)
    print(f"edge {edge}: {found:.4f} of {TOURNAMENTS}")
    assert abs(found - 0.95) < max(0.01, slack())


def test_a_planted_wrong_interval_is_found() -> None:
    found = coverage(unpaired, EDGE)
    print(f"unpaired formula: {found:.4f}")
    assert abs(found - 0.95) > max(0.01, slack())


def test_pairing_shrinks_the_interval_of_equal_players() -> None:
    games = played(np.random.default_rng(1), 4_000, 0.0)
    widths = [each.high - each.low for each in (paired(games), unpaired(games))]
    print(f"factor {widths[1] / widths[0]:.2f}")
    assert widths[0] < widths[1] / 1.3


@pytest.mark.parametrize("scores", [[], [1.0], [0.5], [1.0] * 7, [0.0] * 7, [0.5] * 7, [0.0, 1.0]])
def test_edge_cases_are_finite_and_hold_their_mean(scores: list[float]) -> None:
    found = paired_interval(scores)
    assert 0 <= found.low <= found.mean <= found.high <= 1
    assert found.low < found.high
    assert 0 <= found.superiority <= 1
    assert found.deals == len(scores)


def test_equal_scores_are_equal_however_they_were_added_up() -> None:
    same = [(1 + 2 / 3 + 1 / 3 + 0) / 4, (2 / 3 + 1 / 3 + 0 + 1) / 4] * 5
    assert same[0] != same[1]
    found = paired_interval(same)
    assert found.superiority == 0.5
    assert found.high - found.low > 0.1
    third = paired_interval([(1 + 1 + 1 / 2) / 3] * 7)
    assert third.high - third.low > 0.1


def test_shares() -> None:
    assert shares([1, 2]) == (1.0, 0.0)
    assert shares([1, 1]) == (0.5, 0.5)
    assert shares([1, 2, 3, 4]) == pytest.approx((1, 2 / 3, 1 / 3, 0))
    assert shares([1, 1, 1, 1]) == (0.5,) * 4


# ---- ratings ------------------------------------------------------------------------------------


def test_ratings_order_players_and_their_intervals_hold_them() -> None:
    chance, strength = np.random.default_rng(3), [0.0, 1.0, 2.0]
    comparisons: list[Comparison] = []
    for deal in range(200):
        for one, other in ((0, 1), (1, 2), (0, 2)):
            wins = chance.random() < 1 / (1 + np.exp(strength[other] - strength[one]))
            ranks = (1, 2) if wins else (2, 1)
            comparisons += comparisons_of(deal, (one, other), ranks)
    ratings = rate(3, comparisons, seed=1)
    per_nat = 400 / np.log(10)
    for rating, nats in zip(ratings, strength, strict=True):
        assert rating.low < rating.elo < rating.high
        assert abs(rating.elo - (nats - 1) * per_nat) < rating.high - rating.low


def test_equals_are_treated_equally() -> None:
    comparisons = [c for deal in range(9) for c in comparisons_of(deal, (0, 1, 2), (1, 1, 1))]
    assert [rating.elo for rating in rate(3, comparisons, seed=1)] == pytest.approx([0, 0, 0])


def test_a_player_that_wins_all_or_never_played_is_finite() -> None:
    comparisons = [c for deal in range(5) for c in comparisons_of(deal, (0, 1), (1, 2))]
    ratings = rate(3, comparisons, seed=1)
    for rating in (*ratings, *rate(2, [], seed=1)):
        assert all(isfinite(value) for value in (rating.elo, rating.low, rating.high))
    assert ratings[0].low < ratings[0].elo - 50
    assert ratings[1].high > ratings[1].elo + 50


def test_the_order_of_games_does_not_matter() -> None:
    comparisons = [c for d in range(20) for c in comparisons_of(d, (d % 3, (d + 1) % 3), (1, 2))]
    assert rate(3, comparisons, seed=1) == rate(3, comparisons[::-1], seed=1)


def test_two_seats_of_one_player_are_no_comparison() -> None:
    assert comparisons_of(0, (0, 0), (1, 2)) == []


# ---- the sequential test ------------------------------------------------------------------------


def verdicts(edge: float, hypotheses: Hypotheses) -> dict[Verdict, float]:
    chance = np.random.default_rng(11)
    runs = max(200, TOURNAMENTS // 3)
    counts = dict.fromkeys(Verdict, 0.0)
    for _ in range(runs):
        scores = played(chance, 3_000, edge).mean(axis=1).tolist()
        counts[decide(scores, hypotheses).verdict] += 1 / runs
    return counts


def test_false_decisions_stay_within_their_rates() -> None:
    equal, better = truth(0.0), truth(EDGE)
    hypotheses = Hypotheses(equal, better)
    of_equals, of_better = verdicts(0.0, hypotheses), verdicts(EDGE, hypotheses)
    print(of_equals, of_better)
    bound = 3 * (0.05 * 0.95 / max(200, TOURNAMENTS // 3)) ** 0.5
    assert of_equals[Verdict.HIGH] <= hypotheses.alpha + bound
    assert of_better[Verdict.LOW] <= hypotheses.beta + bound
    assert of_equals[Verdict.LOW] > 0.9
    assert of_better[Verdict.HIGH] > 0.9


@pytest.mark.parametrize(
    "wrong", [{"low": 0.6}, {"high": 1.1}, {"alpha": 0.0}, {"beta": 0.5}, {"low": -0.1}]
)
def test_hypotheses_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError):
        Hypotheses(**wrong)


def test_a_deal_that_was_under_way_does_not_undo_a_decision() -> None:
    scores = [1.0] * 9 + [0.5] * 7
    decided = decide(scores, Hypotheses())
    assert (decided.verdict, decided.deals) == (Verdict.HIGH, 16)
    assert decide([*scores, 0.0, 0.0], Hypotheses()) == decided


def test_all_wins_are_decided_and_a_few_are_not() -> None:
    assert decide([1.0] * 15, Hypotheses()).verdict is Verdict.GOES_ON
    assert decide([1.0] * 100, Hypotheses()).verdict is Verdict.HIGH
    assert decide([0.0] * 100, Hypotheses()).verdict is Verdict.LOW

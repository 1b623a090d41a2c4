"""Ranks and winners."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragonhall_engine.core.outcome import Cause, Outcome, SeatResult, ranked

KEYS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=2, max_size=6)


@pytest.mark.parametrize(
    ("keys", "ranks"),
    [
        ([(5,), (3,)], (1, 2)),
        ([(3,), (5,)], (2, 1)),
        ([(4,), (4,)], (1, 1)),
        ([(9,), (9,), (2,)], (1, 1, 3)),  # equals share a rank, the next one skips
        ([(9,), (4,), (4,), (1,)], (1, 2, 2, 4)),
        ([(75, 13), (75, 14)], (2, 1)),  # a tie broken by the second part of the key
        ([(0, 99), (-5, 0)], (1, 2)),
        ([(7,)], (1,)),
        ([], ()),
    ],
)
def test_ranks(keys: list[tuple[int, ...]], ranks: tuple[int, ...]) -> None:
    assert ranked(keys) == ranks


@given(KEYS)
def test_ranks_agree_with_the_sorted_keys(keys: list[tuple[int, ...]]) -> None:
    order = sorted(keys, reverse=True)
    assert ranked(keys) == tuple(1 + order.index(key) for key in keys)


@pytest.mark.parametrize(
    ("ranks", "winners"),
    [((1, 2), (0,)), ((2, 1), (1,)), ((1, 1), (0, 1)), ((3, 1, 1), (1, 2)), ((2, 4, 2, 1), (3,))],
)
def test_winners_are_the_seats_of_rank_1(ranks: tuple[int, ...], winners: tuple[int, ...]) -> None:
    seats = tuple(SeatResult(rank, score=10) for rank in ranks)
    assert Outcome(Cause.COMPLETED, seats).winners == winners


def test_a_seat_plays_on_unless_said_otherwise() -> None:
    assert SeatResult(rank=1, score=0).cause is Cause.COMPLETED

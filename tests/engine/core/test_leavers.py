"""Ranks of seats that left (design, life of a match)."""

import pytest

from dragonhall_engine.core.outcome import Cause, Leaver, Outcome, SeatResult, with_leavers


def played(*ranks: int) -> Outcome:
    results = (SeatResult(rank, 100 - rank) for rank in ranks)
    return Outcome(Cause.COMPLETED, tuple(results))


def test_with_two_seats_the_other_wins() -> None:
    outcome = with_leavers(None, 2, [Leaver(0, Cause.RESIGNED)])
    assert outcome == Outcome(
        Cause.RESIGNED, (SeatResult(2, 0, Cause.RESIGNED), SeatResult(1, 0, Cause.COMPLETED))
    )


def test_who_left_later_ranks_higher() -> None:
    leavers = [Leaver(2, Cause.TIMED_OUT), Leaver(0, Cause.RESIGNED), Leaver(3, Cause.LEFT)]
    outcome = with_leavers(None, 4, leavers)
    assert [seat.rank for seat in outcome.seats] == [3, 1, 4, 2]
    assert outcome.cause is Cause.LEFT
    assert [seat.cause for seat in outcome.seats] == [
        Cause.RESIGNED,
        Cause.COMPLETED,
        Cause.TIMED_OUT,
        Cause.LEFT,
    ]


@pytest.mark.parametrize(
    ("ranks", "leavers", "expected"),
    [
        ((1, 2, 3, 4), [0], (4, 1, 2, 3)),
        ((1, 2, 2, 4), [0], (4, 1, 1, 3)),
        ((1, 1, 1, 1), [3, 1], (1, 3, 1, 4)),
        ((2, 1, 3), [], (2, 1, 3)),
    ],
)
def test_those_who_played_on_are_ranked_by_the_game(
    ranks: tuple[int, ...], leavers: list[int], expected: tuple[int, ...]
) -> None:
    left = [Leaver(seat, Cause.RESIGNED) for seat in leavers]
    outcome = with_leavers(played(*ranks), len(ranks), left)
    assert tuple(seat.rank for seat in outcome.seats) == expected
    assert outcome.cause is Cause.COMPLETED
    assert [seat.score for seat in outcome.seats] == [100 - rank for rank in ranks]

"""Who won. Rules: DH-6.4, DH-6.5."""

from dragonhall_engine.core.game import Seat
from dragonhall_engine.core.outcome import Cause, Outcome, SeatResult, ranked
from dragonhall_engine.dragonheart.cards import DRAGON_POINTS, value
from dragonhall_engine.dragonheart.state import State


def points(state: State, seat: Seat) -> int:
    """Return the values of a seat's pile, plus 3 for the Great Dragon (DH-6.4). Public."""
    return sum(map(value, state.piles[seat])) + (DRAGON_POINTS if state.dragon == seat else 0)


def outcome(state: State) -> Outcome | None:
    """Return the outcome, or None while the match runs: a tie goes to the dragon's owner."""
    if not state.over:
        return None
    scores = [points(state, seat) for seat in range(len(state.piles))]
    ranks = ranked([(score, int(state.dragon == seat)) for seat, score in enumerate(scores)])
    return Outcome(
        Cause.COMPLETED,
        tuple(SeatResult(rank, score) for rank, score in zip(ranks, scores, strict=True)),
    )

"""How a match ended: one result per seat, and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, unique


@unique
class Cause(Enum):
    """Why a match, or a seat's part in it, ended."""

    COMPLETED = "completed"
    RESIGNED = "resigned"
    TIMED_OUT = "timed_out"
    LEFT = "left"
    SILENT = "silent"
    CRASHED = "crashed"
    ILLEGAL = "illegal"


@dataclass(frozen=True, slots=True)
class SeatResult:
    """What one seat reached.

    Attributes:
        rank: 1 is best; equals share a rank and the next rank skips (1, 1, 3).
        score: final points; 0 for a match that ended before scoring.
        cause: COMPLETED for a seat that played on to the end, else how it left.
    """

    rank: int
    score: int
    cause: Cause = Cause.COMPLETED


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a match.

    Attributes:
        cause: COMPLETED, or what ended the match before its rules did.
        seats: one result per seat, in seat order.
    """

    cause: Cause
    seats: tuple[SeatResult, ...]

    @property
    def winners(self) -> tuple[int, ...]:
        """Seats of rank 1; all of them if every seat is tied."""
        return tuple(seat for seat, result in enumerate(self.seats) if result.rank == 1)


def ranked(keys: list[tuple[int, ...]]) -> tuple[int, ...]:
    """Rank seats by their keys, higher first; equals share the better rank.

    >>> ranked([(3,), (5,), (3,)])
    (2, 1, 2)
    """
    return tuple(1 + sum(other > key for other in keys) for key in keys)


@dataclass(frozen=True, slots=True)
class Leaver:
    """A seat that left before the end, and how: anything but COMPLETED."""

    seat: int
    cause: Cause


def with_leavers(played: Outcome | None, seats: int, leavers: Sequence[Leaver]) -> Outcome:
    """Rank seats that left below all that played on; who left later ranks higher.

    Args:
        played: the outcome by the game's rules; None if so many left that it was not played out.
        leavers: in the order in which they left; not empty if `played` is None.
    """
    left = {leaver.seat: place for place, leaver in enumerate(leavers)}
    stayed = [seat for seat in range(seats) if seat not in left]
    places = ranked([(-played.seats[seat].rank if played else 0,) for seat in stayed])
    ranks = dict(zip(stayed, places, strict=True))
    results = tuple(
        SeatResult(
            rank=seats - left[seat] if seat in left else ranks[seat],
            score=played.seats[seat].score if played else 0,
            cause=leavers[left[seat]].cause if seat in left else Cause.COMPLETED,
        )
        for seat in range(seats)
    )
    return Outcome(played.cause if played else leavers[-1].cause, results)

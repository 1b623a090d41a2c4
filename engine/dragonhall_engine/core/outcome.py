"""How a match ended: one result per seat, and why."""

from dataclasses import dataclass
from enum import Enum, unique


@unique
class Cause(Enum):
    """Why a match, or a seat's part in it, ended."""

    COMPLETED = "completed"
    RESIGNED = "resigned"
    TIMED_OUT = "timed_out"
    LEFT = "left"


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

"""Who sits where: what a drawing needs besides the view."""

from collections.abc import Sequence
from dataclasses import dataclass

from dragonhall.v1 import match_pb2

SEAT_LETTERS = "ABCD"
"""How every game's notation names its seats."""


@dataclass(frozen=True, slots=True)
class Table:
    """The players around a board.

    Attributes:
        names: one per seat, in seat order.
        reader: the seat that looks, whose hand is drawn; None for a spectator.
    """

    names: tuple[str, ...]
    reader: int | None

    def title(self, seat: int) -> str:
        """Return a seat as `A Ada`, the reader's own as `A Ada (you)`."""
        you = " (you)" if seat == self.reader else ""
        return f"{SEAT_LETTERS[seat]} {self.names[seat]}{you}"


def table_of(seats: Sequence[match_pb2.Seat], reader: int | None) -> Table:
    """Return the table of a match's seats; who gave no name is a player."""
    return Table(tuple(seat.player_name or "player" for seat in seats), reader)

"""What a call's line in the log tells of it, added where it becomes known."""

from contextvars import ContextVar

from dragonhall_engine.core.game import Seat

Line = dict[str, str | int]

_line: ContextVar[Line | None] = ContextVar("line", default=None)


def begin_line(line: Line) -> None:
    """Make a line that of the call which is being handled."""
    _line.set(line)


def tell_seat(seat: Seat | None) -> None:
    """Add the caller's seat, if it has one, and if a line is being written."""
    line = _line.get()
    if line is not None and seat is not None:
        line["seat"] = seat

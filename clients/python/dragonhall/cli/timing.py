"""What clocks show."""

from dragonhall.cli.boards.table import SEAT_LETTERS, Table
from dragonhall.v1 import match_pb2


def seconds_left(match: match_pb2.Match) -> float | None:
    """Return how long the seat to move may think, bank included; None without a clock."""
    if not match.options.HasField("clock") or not match.HasField("clock"):
        return None
    reading = match.clock
    return reading.due_time.ToNanoseconds() / 1e9 - reading.as_of.ToNanoseconds() / 1e9


def time_text(seconds: float) -> str:
    """Return a time as minutes and seconds, such as `2:05`, or hours too, such as `1:02:05`."""
    minutes, rest = divmod(max(0, int(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def clock_line(match: match_pb2.Match, table: Table) -> list[str]:
    """Return a line with the banks of all seats; none in a match without them."""
    if not match.options.clock.HasField("bank"):
        return []
    banks = [bank.ToMilliseconds() / 1000 for bank in match.clock.banks]
    if not any(banks):
        return []
    texts = [f"{SEAT_LETTERS[seat]} {time_text(bank)}" for seat, bank in enumerate(banks)]
    return [f" Banks of time: {', '.join(texts)}"]

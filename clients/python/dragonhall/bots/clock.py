"""How long a bot may think by the clock of its match."""

from math import inf
from typing import Final

from dragonhall.v1 import match_pb2

MARGIN_S: Final = 0.5
"""Kept for the way there and back, and for other turns that this process thinks about."""
DECISIONS: Final = 40
"""A decision may use one part in so many of what is left in the bank."""


def seconds_to_think(match: match_pb2.Match, seat: int) -> float:
    """Return how long the seat to move should think at most; `inf` in a match without a clock.

    A margin is kept back: half of what is left, if that is less than `MARGIN_S`.
    """
    if not match.options.HasField("clock"):
        return inf
    reading = match.clock
    left = (reading.due_time.ToNanoseconds() - reading.as_of.ToNanoseconds()) / 1e9
    bank = reading.banks[seat].ToNanoseconds() / 1e9 if reading.banks else 0.0
    free = max(0.0, left - bank) + bank / DECISIONS
    return max(0.0, min(free, left - min(MARGIN_S, left / 2)))

"""When a search stops: after so many iterations, so much CPU time, or at a time of the clock."""

import re
import time
from collections.abc import Callable, Iterable, Iterator

Limit = Callable[[], Iterable[object]]
"""Begins a search: an item for every iteration that it may make, at least one."""
Clock = Callable[[], float]
"""Tells seconds since some fixed time, never going back."""

_TEXT = re.compile(r"(?P<count>[1-9][0-9]{0,8})|(?P<seconds>[0-9]+(\.[0-9]+)?)(?P<unit>s|cpu)")


def iterations(count: int) -> Limit:
    """Allow `count` iterations, 1 or more: such a search is repeatable.

    Raises:
        ValueError: less than one.
    """
    if count < 1:
        raise ValueError("a search makes at least one iteration")
    return lambda: range(count)


def seconds(budget: float, clock: Clock = time.monotonic) -> Limit:
    """Allow one iteration, and more until `budget` seconds of a clock have passed; `inf`: any."""
    return lambda: _until(clock() + budget, clock)


def cpu_seconds(budget: float) -> Limit:
    """Allow iterations until the searching thread has used `budget` seconds of CPU time."""
    return seconds(budget, time.thread_time)


def first(*limits: Limit) -> Limit:
    """Stop at whichever limit is reached first."""
    return lambda: zip(*(limit() for limit in limits), strict=False)


def parse_limit(text: str) -> Limit:
    """Read a limit: `400` iterations, `0.5s` seconds of the clock, `0.5cpu` seconds of CPU time.

    Raises:
        ValueError: the text is none of these.
    """
    if (found := _TEXT.fullmatch(text)) is None:
        raise ValueError(f"a limit is like 400, 0.5s or 0.5cpu, not {text!r}")
    if found["count"]:
        return iterations(int(found["count"]))
    return _OF_UNIT[found["unit"]](float(found["seconds"]))


_OF_UNIT = {"s": seconds, "cpu": cpu_seconds}


def _until(end: float, clock: Clock) -> Iterator[None]:
    yield None
    while clock() < end:
        yield None

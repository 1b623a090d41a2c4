"""A search stops when it should; the clock is the test's own."""

import itertools
from collections.abc import Callable
from math import inf

import pytest

from dragonhall.bots.ismcts.limits import (
    Limit,
    cpu_seconds,
    first,
    iterations,
    parse_limit,
    seconds,
)


def ticking(step: float) -> Callable[[], float]:
    """Return a clock that moves by `step` seconds each time it is read; it shows 100 first."""
    return itertools.count(100.0, step).__next__


def allowed(limit: Limit) -> int:
    """Count the iterations of one search."""
    return sum(1 for _ in limit())


@pytest.mark.parametrize(
    ("limit", "count"),
    [
        (iterations(1), 1),
        (iterations(400), 400),
        (seconds(5.0, ticking(1.0)), 5),
        (seconds(5.0, ticking(2.5)), 2),
        (seconds(0.0, ticking(1.0)), 1),
        (seconds(-1.0, ticking(1.0)), 1),
        (first(iterations(3), seconds(inf)), 3),
        (first(iterations(3), seconds(5.0, ticking(1.0))), 3),
        (first(iterations(9), seconds(5.0, ticking(1.0))), 5),
    ],
)
def test_a_limit_allows_so_many_iterations(limit: Limit, count: int) -> None:
    assert allowed(limit) == count


def test_a_limit_serves_any_number_of_searches() -> None:
    counted, timed = iterations(7), seconds(5.0, ticking(1.0))
    assert [allowed(counted), allowed(counted)] == [7, 7]
    assert [allowed(timed), allowed(timed)] == [5, 5]


def test_cpu_time_is_what_this_thread_used() -> None:
    assert sum(len(range(50)) > 0 for _ in cpu_seconds(0.01)()) > 1


@pytest.mark.parametrize(("text", "count"), [("1", 1), ("400", 400), ("0s", 1), ("0.0cpu", 1)])
def test_a_limit_is_read(text: str, count: int) -> None:
    assert allowed(parse_limit(text)) == count


@pytest.mark.parametrize("text", ["", "0", "-1", "1e3", "4 00", "s", "1.s", "1m", "0400", "٣"])
def test_no_limit_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="a limit is like"):
        parse_limit(text)


def test_no_iteration_is_no_search() -> None:
    with pytest.raises(ValueError, match="at least one"):
        iterations(0)

"""Draws are uniform; the usual ways to spoil them are noticed.

All streams are seeded, so these tests give the same result every time.
"""

from collections.abc import Callable

import pytest

from dragonhall_engine.core.rng import Stream
from tests.budget import cases
from tests.engine.core.uniformity import (
    LIMIT,
    Below,
    below_deviation,
    order_deviation,
    position_deviation,
)

DRAWS = cases(ci=60_000, sweep=1_000_000)
SHUFFLES = cases(ci=6_000, sweep=100_000)
WORD = 2**32


def stream(purpose: str) -> Stream:
    return Stream(bytes(64), f"uniform:{purpose}")


def modulo(bits: int) -> Below:
    """Return the classic mistake: a word of `bits` modulo n, nothing refused."""
    words = stream(f"modulo {bits}")
    return lambda n: words.below(WORD) % 2**bits % n


def scaled() -> Below:
    """Return a draw from n - 1 values stretched over n: the last never comes."""
    words = stream("scaled")
    return lambda n: words.below(n - 1)


@pytest.mark.parametrize("n", [2, 3, 6, 10, 45, 50, 100, 40_000, 2**31 + 1, 3 * 2**30, WORD])
def test_below_is_uniform(n: int) -> None:
    assert abs(below_deviation(stream(f"below {n}").below, n, DRAWS)) < LIMIT


@pytest.mark.parametrize(
    ("below", "n"),
    [
        (modulo(8), 45),
        (modulo(8), 100),
        (modulo(16), 40_000),
        (modulo(32), 5 * 2**29),
        (modulo(32), 3 * 2**30),
        (scaled(), 6),
    ],
    ids=["8 bits, 45", "8 bits, 100", "16 bits", "32 bits, 5/8", "32 bits, 3/4", "last missing"],
)
def test_a_biased_below_is_noticed(below: Below, n: int) -> None:
    assert below_deviation(below, n, draws=100_000) > LIMIT


@pytest.mark.parametrize("size", [2, 5, 8, 15])
def test_every_card_comes_to_every_position(size: int) -> None:
    assert abs(position_deviation(stream(f"positions {size}").shuffle, size, SHUFFLES)) < LIMIT


@pytest.mark.parametrize("size", [3, 4, 5])
def test_every_order_comes(size: int) -> None:
    assert abs(order_deviation(stream(f"orders {size}").shuffle, size, SHUFFLES)) < LIMIT


Draw = Callable[[int, int], int]
"""Which position is swapped with position i of n, as the upper bound of a draw."""

FAULTY_SHUFFLES: dict[str, tuple[Callable[[int], range], Draw]] = {
    "whole list each time": (lambda n: range(n), lambda _, n: n),
    "never stays": (lambda n: range(n - 1, 0, -1), lambda i, _: i),
    "stops one early": (lambda n: range(n - 1, 1, -1), lambda i, _: i + 1),
    "skips the last": (lambda n: range(n - 2, 0, -1), lambda i, _: i + 1),
}


def faulty_shuffle(name: str, below: Below) -> Callable[[list[int]], None]:
    steps, bound = FAULTY_SHUFFLES[name]

    def shuffle(items: list[int]) -> None:
        for i in steps(len(items)):
            j = below(bound(i, len(items)))
            items[i], items[j] = items[j], items[i]

    return shuffle


@pytest.mark.parametrize("name", FAULTY_SHUFFLES)
def test_a_faulty_shuffle_is_noticed(name: str) -> None:
    assert position_deviation(faulty_shuffle(name, stream(name).below), 8, 6_000) > LIMIT
    assert order_deviation(faulty_shuffle(name, stream(name).below), 4, 6_000) > LIMIT

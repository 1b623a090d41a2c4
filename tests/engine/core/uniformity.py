"""Chi-square checks of drawing functions, without any threshold left to taste.

Everything is seeded by the caller, so a result never changes between runs.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import sqrt

Below = Callable[[int], int]
Shuffle = Callable[[list[int]], None]

LIMIT = 4.5
"""Standard deviations; a fair source exceeds them in 1 of 150,000 checks."""


def deviation(observed: Iterable[int], expected: Sequence[float]) -> float:
    """Return chi-square as standard deviations above its mean (Wilson and Hilferty)."""
    chi = sum((o - e) ** 2 / e for o, e in zip(observed, expected, strict=True))
    freedom = len(expected) - 1
    spread = 2 / (9 * freedom)
    return float(((chi / freedom) ** (1 / 3) - (1 - spread)) / sqrt(spread))


def below_deviation(below: Below, n: int, draws: int, bins: int = 64) -> float:
    """Draw `below(n)` and compare the counts of at most `bins` equal ranges of results."""
    bins = min(bins, n)
    counts = Counter(below(n) * bins // n for _ in range(draws))
    edges = [-(-n * index // bins) for index in range(bins + 1)]
    expected = [draws * (edges[i + 1] - edges[i]) / n for i in range(bins)]
    return deviation((counts[index] for index in range(bins)), expected)


def position_deviation(shuffle: Shuffle, size: int, draws: int) -> float:
    """Shuffle 0 … size - 1 and return the worst item's deviation over the positions."""
    counts = [[0] * size for _ in range(size)]
    for order in _orders(shuffle, size, draws):
        for position, item in enumerate(order):
            counts[item][position] += 1
    return max(deviation(row, [draws / size] * size) for row in counts)


def order_deviation(shuffle: Shuffle, size: int, draws: int) -> float:
    """Shuffle a short list and compare how often each of its orders comes."""
    counts = Counter(tuple(order) for order in _orders(shuffle, size, draws))
    orders = 1
    for factor in range(2, size + 1):
        orders *= factor
    observed = [*counts.values(), *([0] * (orders - len(counts)))]
    return deviation(observed, [draws / orders] * orders)


def _orders(shuffle: Shuffle, size: int, draws: int) -> Iterable[list[int]]:
    for _ in range(draws):
        order = list(range(size))
        shuffle(order)
        yield order

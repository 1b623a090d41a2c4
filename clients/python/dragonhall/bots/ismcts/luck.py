"""The random numbers of a search: repeatable, and cheaper than those of a deal."""

import random


class Luck:
    """Implements the engine's `Chance`; uniform to within 2**-21, which no search can notice."""

    __slots__ = ("random",)

    def __init__(self, seed: str) -> None:
        """Draw the same numbers for the same text, on every machine."""
        self.random = random.Random(seed).random

    def below(self, n: int) -> int:
        """Draw an integer, 0 <= result < n, for 1 <= n <= 2**32."""
        return int(self.random() * n)

    def shuffle(self, items: list[int]) -> None:
        """Permute a list in place: sorting by random keys is twice as fast as swapping."""
        number = self.random
        items.sort(key=lambda _: number())

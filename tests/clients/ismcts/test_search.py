"""The search itself, on a game small enough to know: take 1 or 2, whoever takes the last wins."""

from collections.abc import Sequence
from math import inf
from typing import Any, cast

import pytest

from dragonhall.bots.ismcts.limits import iterations
from dragonhall.bots.ismcts.luck import Luck
from dragonhall.bots.ismcts.search import Search

Pile = list[int]
"""What lies there, and whose turn it is."""


class Nim:
    """The verbs of a game that a search uses; everybody sees everything."""

    def resample(self, view: tuple[int, int], chance: Luck) -> Pile:
        return list(view)

    def seat_to_move(self, pile: Pile) -> int | None:
        return pile[1] if pile[0] else None

    def legal_moves(self, pile: Pile, seat: int) -> tuple[int, ...]:
        return (1, 2)[: pile[0]]

    def advance(self, pile: Pile, move: int) -> None:
        pile[:] = [pile[0] - move, 1 - pile[1]]


class Anyhow:
    """Any move, played to the end; it offers the first legal move first."""

    exploration = 0.7

    def __init__(self, widening: float) -> None:
        self.widening = widening

    def pick(self, pile: Pile, moves: Sequence[int], luck: Luck) -> int:
        return moves[0]

    def rewards(self, pile: Pile, luck: Luck) -> Sequence[float]:
        while pile[0]:
            Nim().advance(pile, 1 + luck.below(min(2, pile[0])))
        return (1.0, 0.0) if pile[1] else (0.0, 1.0)


def searching(widening: float = inf) -> Search[Pile, int, tuple[int, int]]:
    return Search(cast(Any, Nim()), Anyhow(widening))


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("widening", [inf, 0.25])
@pytest.mark.parametrize("pile", [2, 4, 5, 7, 8])
def test_a_won_position_is_won(pile: int, widening: float, seat: int) -> None:
    search = searching(widening)
    index = search.choose((pile, seat), (1, 2), iterations(400), Luck("1"))
    assert (pile - (1, 2)[index]) % 3 == 0


def test_one_iteration_is_enough_for_an_answer() -> None:
    assert searching().choose((5, 0), (1, 2), iterations(1), Luck("1")) == 0


@pytest.mark.parametrize(("widening", "seen"), [(inf, 2), (0.25, 1)])
def test_a_place_is_given_moves_by_and_by(widening: float, seen: int) -> None:
    asked = []

    class Counting(Anyhow):
        def pick(self, pile: Pile, moves: Sequence[int], luck: Luck) -> int:
            if pile[0] == 5:
                asked.append(moves[0])
            return moves[0]

    search: Search[Pile, int, tuple[int, int]] = Search(cast(Any, Nim()), Counting(widening))
    search.choose((5, 0), (1, 2), iterations(3), Luck("1"))
    assert len(asked) == seen

"""Two worlds: states that one reader cannot tell apart must give it the same of everything.

The functions that speak to a reader are parameters of the checker, so that a test can pass ones
that leak and see them caught.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dragonhall_engine import dragonheart
from dragonhall_engine.core.errors import Violation
from dragonhall_engine.dragonheart import CardType, Fact, Move, State
from dragonhall_engine.dragonheart.cards import CARD_CODES
from tests.engine.dragonheart.matches import Dice


@dataclass(frozen=True)
class Mouth:
    """Everything of the engine that reaches a reader."""

    view: Callable[[State, int | None], Any] = dragonheart.view
    project: Callable[[Fact, int | None], Any] = dragonheart.project
    legal_moves: Callable[[State, int], tuple[Move, ...]] = dragonheart.legal_moves
    check: Callable[[State, int, Move], Violation | None] = dragonheart.check
    public_pass: Callable[[State], Move | None] = dragonheart.public_pass
    outcome: Callable[[State], Any] = dragonheart.outcome


def other_world(state: State, reader: int | None, number: int) -> State:
    """Swap what a reader may not know: other hidden cards, another order, another root.

    Independent of `resample`: the hidden cards of each seat change places.
    """
    chance = random.Random(number)
    twin = state.copy()
    twin.root = chance.randbytes(len(state.root))
    for seat in (0, 1):
        hand, deck = twin.hands[seat], twin.decks[seat]
        top = [deck.pop()] if seat == reader and twin.knows_top[seat] else []
        hidden = deck if seat == reader else hand + deck
        chance.shuffle(hidden)
        if seat != reader:
            twin.hands[seat] = sorted(hidden[: len(hand)])
            hidden = hidden[len(hand) :]
        twin.decks[seat] = hidden + top
    return twin


def assert_same_to_reader(
    state: State, twin: State, reader: int | None, number: int, mouth: Mouth
) -> None:
    """Compare all that a reader can receive now and about the next move.

    Raises:
        AssertionError: the reader can tell the two worlds apart.
    """
    assert _now(state, reader, number, mouth) == _now(twin, reader, number, mouth)
    assert repr(state) == repr(twin)
    for move in _moves_in_both(state, twin):
        assert _told(state, reader, move, mouth) == _told(twin, reader, move, mouth)


def _now(state: State, reader: int | None, number: int, mouth: Mouth) -> list[Any]:
    """Texts, so that types, order and size are compared too."""
    received: list[Any] = [mouth.view(state, reader), mouth.outcome(state)]
    received += [] if state.over else [mouth.public_pass(state)]
    if reader is not None:
        received.append(mouth.legal_moves(state, reader))
        received += [mouth.check(state, reader, move) for move in _attempts(number)]
    return list(map(repr, received))


def _attempts(number: int) -> list[Move]:
    chance = Dice(number)
    cards = [tuple(chance.below(CARD_CODES) for _ in range(1 + chance.below(2))) for _ in "1234"]
    return [Move(some, target) for some in cards for target in (None, CardType.TROLL)]


def _moves_in_both(state: State, twin: State) -> list[Move]:
    possible = dragonheart.legal_moves(twin, twin.to_move)
    return [move for move in dragonheart.legal_moves(state, state.to_move) if move in possible]


def _told(state: State, reader: int | None, move: Move, mouth: Mouth) -> list[str]:
    """What a reader is told of a move, up to the cards that it draws for itself."""
    _, facts = dragonheart.apply(state, state.to_move, move)
    own = {id(f) for f in facts if _is_new_to_its_reader(f, reader)}
    told = [repr(mouth.project(f, reader)) for f in facts if id(f) not in own]
    counts = [repr(mouth.project(f, None)) for f in facts if id(f) in own]
    return told + counts


def _is_new_to_its_reader(fact: Fact, reader: int | None) -> bool:
    """Say whether a fact rightly tells this reader a card that it did not know before."""
    private = dragonheart.facts.CardsDrawn, dragonheart.facts.CardSentBack
    return isinstance(fact, private) and fact.seat == reader

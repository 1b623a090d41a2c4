"""Random matches, and states reached by them, from small numbers."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hypothesis import strategies as st

from dragonhall_engine import dragonheart
from dragonhall_engine.core.game import Setup
from dragonhall_engine.core.rng import SEED_BYTES, Deal
from dragonhall_engine.dragonheart import Fact, Move, State
from dragonhall_engine.dragonheart.cards import CARD_CODES, CardType

SETUP: Final = Setup("standard", 2)
READERS: Final = (0, 1, None)
LONGEST_MATCH: Final = 100
"""Every turn plays a card for good, and there are 100."""


@dataclass(frozen=True)
class Turn:
    """One turn of a match: the state before, the move, the state after, and what happened."""

    before: State
    move: Move
    after: State
    facts: tuple[Fact, ...]


class Dice:
    """A `Chance` for searches and tests."""

    def __init__(self, seed: int) -> None:
        """Start a sequence of its own."""
        self._random = random.Random(seed)

    def below(self, n: int) -> int:
        return self._random.randrange(n)

    def shuffle(self, items: list[int]) -> None:
        self._random.shuffle(items)


def deal(number: int) -> Deal:
    """Return the deal of a number."""
    seed = random.Random(number).randbytes(SEED_BYTES)
    return Deal(seed, f"deal-{number}", (b"", b""))


def dealt(number: int) -> State:
    """Return the dealt match of a number; the start seat is drawn."""
    return dragonheart.new_match(SETUP, deal(number))


def turns(number: int) -> Iterator[Turn]:
    """Play the match of a number with uniformly random distinct moves."""
    chance = random.Random(number)
    state = dealt(number)
    while not state.over:
        move = chance.choice(dragonheart.legal_moves(state, state.to_move))
        after, facts = dragonheart.apply(state, state.to_move, move)
        yield Turn(state, move, after, facts)
        state = after


def playout(state: State, chance: random.Random) -> State:
    """Play a state to its end in place, as fast as searches do."""
    while not state.over:
        moves = dragonheart.legal_moves(state, state.to_move)
        dragonheart.advance(state, moves[int(chance.random() * len(moves))])
    return state


def reached(number: int, steps: int) -> State:
    """Return the state after some turns of the match of a number, at most its last one."""
    state = dealt(number)
    for turn, _ in zip(turns(number), range(steps), strict=False):
        state = turn.after
    return state


numbers = st.integers(0, 2**32)
"""Numbers of matches."""

states = st.builds(reached, numbers, st.integers(0, LONGEST_MATCH))
"""Reachable states, ends included."""

moves = st.builds(
    Move,
    st.lists(st.integers(-1, CARD_CODES), max_size=4).map(tuple),
    st.none() | st.sampled_from(CardType),
)
"""Moves of all kinds, most of them illegal."""


@st.composite
def near_moves(draw: st.DrawFn, state: State) -> Move:
    """Draw a move that is legal or nearly so: cards of a hand with any target."""
    hand = state.hands[draw(st.sampled_from((0, 1)))]
    cards = draw(st.lists(st.sampled_from(hand), max_size=6)) if hand else []
    if draw(st.booleans()) and cards:
        cards = [card for card in cards if card // 5 == cards[0] // 5]
    return Move(tuple(cards), draw(st.none() | st.sampled_from(CardType)))

"""Random matches, and states reached by them, from small numbers."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from hypothesis import strategies as st

from dragonhall_engine import dragonkeepers
from dragonhall_engine.core.game import Setup
from dragonhall_engine.core.rng import SEED_BYTES, Deal
from dragonhall_engine.dragonkeepers import Fact, Move, Play, State, Take
from dragonhall_engine.dragonkeepers.cards import FRONT, MAX_ROUNDS, SEATS

SETUPS: Final = [Setup(edition, seats) for edition in dragonkeepers.EDITIONS for seats in SEATS]
"""Every edition with every number of seats."""
MOVES_PER_TURN: Final = 5 + 3
"""Four takes and two books with their ends; each seat adds one decision to play or pass."""


@dataclass(frozen=True)
class Decision:
    """One decision of a match: the state before, the move, the state after, and what happened."""

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


def setup_of(number: int) -> Setup:
    """Return the setup of a match: each kind comes once in six numbers."""
    return SETUPS[number % len(SETUPS)]


def deal(number: int, seats: int) -> Deal:
    """Return the deal of a number."""
    seed = random.Random(number).randbytes(SEED_BYTES)
    return Deal(seed, f"deal-{number}", (b"",) * seats)


def dealt(number: int) -> State:
    """Return the dealt match of a number; the start seat is drawn."""
    setup = setup_of(number)
    return dragonkeepers.new_match(setup, deal(number, setup.seats))


Choose = Callable[[State, tuple[Move, ...], random.Random], Move]


def any_move(_: State, legal: tuple[Move, ...], chance: random.Random) -> Move:
    """Choose a distinct legal move uniformly."""
    return legal[int(chance.random() * len(legal))]


def eager_move(state: State, legal: tuple[Move, ...], chance: random.Random) -> Move:
    """Take all one may, change the book now and then, and play whenever one can."""
    good = [move for move in legal if isinstance(move, Take | Play)]
    return chance.choice(good) if good else any_move(state, legal, chance)


def hoarding_move(state: State, legal: tuple[Move, ...], chance: random.Random) -> Move:
    """Take all one may and play seldom: hands grow, and with them the lists of sets."""
    keep = [move for move in legal if not isinstance(move, Play)]
    takes = [move for move in keep if isinstance(move, Take)]
    return chance.choice(takes or (legal if chance.random() < 0.1 else keep))


STYLES: Final[tuple[Choose, ...]] = (any_move, eager_move, hoarding_move)


def decisions(number: int) -> Iterator[Decision]:
    """Play the match of a number, in one of three styles."""
    chance = random.Random(number)
    choose = STYLES[number // len(SETUPS) % len(STYLES)]
    state = dealt(number)
    while (seat := dragonkeepers.seat_to_move(state)) is not None:
        move = choose(state, dragonkeepers.legal_moves(state, seat), chance)
        after, facts = dragonkeepers.apply(state, seat, move)
        yield Decision(state, move, after, facts)
        state = after


def playout(state: State, chance: random.Random, choose: Choose = any_move) -> State:
    """Play a state to its end in place, as fast as searches do."""
    while state.ending is None:
        legal = dragonkeepers.legal_moves(state, state.to_move)
        dragonkeepers.advance(state, choose(state, legal, chance))
    return state


def reached(number: int, steps: int) -> State:
    """Return the state after some moves of the match of a number, at most its last one."""
    state = dealt(number)
    for decision, _ in zip(decisions(number), range(steps), strict=False):
        state = decision.after
    return state


def longest_match(seats: int) -> int:
    """Return more moves than any match has (DK-7.2)."""
    return MAX_ROUNDS * seats * (MOVES_PER_TURN + seats)


def readers(state: State) -> tuple[int | None, ...]:
    """Return everybody who may look at a match."""
    return (None, *range(state.seats))


numbers = st.integers(0, 2**32)
"""Numbers of matches."""

states = st.builds(reached, numbers, st.integers(0, 400))
"""Reachable states of all kinds of matches, ends included."""


def near_plays(state: State, seed: int) -> list[Play]:
    """Draw sets that are legal or nearly so: some cards of one colour and shadows, any side."""
    chance = random.Random(seed)
    hand = state.areas[max(state.to_move, 0)].hand
    colour = chance.choice((state.requirement[1], chance.randrange(4)))
    fitting = [card for card in hand if FRONT[card] in (colour, 4)] or hand
    size = min(len(fitting), chance.choice((state.requirement[0], chance.randrange(8))))
    cards = tuple(chance.sample(fitting, size))
    return [Play(cards, side) for side in (None, 0, 1, 2)]

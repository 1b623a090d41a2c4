"""Nothing hidden leaks; and every leak we could think of would be caught."""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragonhall_engine import dragonkeepers
from dragonhall_engine.core.errors import Violation
from dragonhall_engine.core.game import Setup
from dragonhall_engine.dragonkeepers import Fact, Move, Pass, Phase, State, View, facts
from dragonhall_engine.dragonkeepers.cards import FRONT
from dragonhall_engine.dragonkeepers.notation import format_cards
from tests.budget import cases
from tests.engine.dragonkeepers.matches import (
    SETUPS,
    decisions,
    numbers,
    readers,
    setup_of,
    states,
)
from tests.engine.dragonkeepers.two_worlds import Mouth, assert_same_to_reader, pair

PAIRS = cases(ci=500, sweep=10_000)


@settings(max_examples=PAIRS, deadline=None)
@given(states, st.integers(-1, 3), numbers)
def test_a_reader_cannot_tell_two_worlds_apart(state: State, who: int, number: int) -> None:
    reader = readers(state)[who % (state.seats + 1)]
    assert_same_to_reader(pair(state, reader, number), Mouth())


def test_every_phase_is_compared_at_every_table_for_every_kind_of_reader() -> None:
    compared: Counter[tuple[Setup, Phase, str]] = Counter()
    for number in range(cases(ci=len(SETUPS), sweep=50 * len(SETUPS))):
        for at, (state, reader) in enumerate(_sights(number)):
            assert_same_to_reader(pair(state, reader, number + at), Mouth())
            compared[setup_of(number), state.phase, _kind(state, reader)] += 1
    kinds = ("mover", "other", "spectator")
    wanted = {(s, phase, kind) for s in SETUPS for phase in Phase for kind in kinds}
    assert set(compared) == wanted - {(s, Phase.OVER, "mover") for s in SETUPS}


def _sights(number: int) -> Iterator[tuple[State, int | None]]:
    """Yield a reader at a quarter of a match's decisions, and every reader at its end."""
    chance = random.Random(number)
    for decision in decisions(number):
        if chance.random() < 0.25:
            yield decision.before, chance.choice(readers(decision.before))
    yield from ((decision.after, reader) for reader in readers(decision.after))


def _kind(state: State, reader: int | None) -> str:
    if reader is None:
        return "spectator"
    return "mover" if reader == state.to_move else "other"


@settings(max_examples=PAIRS // 10, deadline=None)
@given(numbers)
def test_a_pass_is_public_exactly_if_no_possible_hand_can_play(number: int) -> None:
    for decision in decisions(number):
        state = decision.before
        if state.phase == Phase.FOLLOW:
            public = dragonkeepers.public_pass(state)
            assert public == (None if _some_hand_can_play(state) else Pass())


def _some_hand_can_play(state: State) -> bool:
    """Try every hand that a spectator thinks possible."""
    spectator = dragonkeepers.view(state, None)
    seat = spectator.seats[state.to_move]
    for starters in combinations(spectator.unseen_starters, seat.unknown):
        world = state.copy()
        world.areas[state.to_move].hand = sorted(seat.known + starters)
        if len(dragonkeepers.legal_moves(world, state.to_move)) > 1:
            return True
    return False


def _leaky_view(leak: Callable[[State, int | None], Any]) -> Mouth:
    def view(state: State, reader: int | None) -> tuple[View, Any]:
        return dragonkeepers.view(state, reader), leak(state, reader)

    return Mouth(view=view)


def _hands_of_all(state: State, _: int | None) -> Any:
    return [area.hand for area in state.areas]


def _colours_in_hand(state: State, _: int | None) -> Any:
    return [len({FRONT[card] for card in area.hand}) for area in state.areas]


def _places_in_hand(state: State, _: int | None) -> Any:
    """The order of a hand: where among its other cards the unseen ones are."""
    return [[card in area.starters for card in area.hand] for area in state.areas]


def _next_card(state: State, _: int | None) -> Any:
    return [deck[-1] for deck in state.decks]


def _page_after_next(state: State, _: int | None) -> Any:
    return [deck[0] for deck in state.decks]


def _pearls_of_all(state: State, _: int | None) -> Any:
    return dragonkeepers.scores(state)


def _next_pearl(state: State, _: int | None) -> Any:
    return state.pearls[:1]


def _starters_out(state: State, _: int | None) -> Any:
    return format_cards(state.starters_out)


def _number_of_moves(state: State, _: int | None) -> Any:
    return len(dragonkeepers.legal_moves(state, max(0, state.to_move)))


def _size_of_state(state: State, _: int | None) -> Any:
    return [sum(area.hand) for area in state.areas]


def _starters_to_all(fact: Fact, reader: int | None) -> Fact:
    return fact if isinstance(fact, facts.StartersDealt) else dragonkeepers.project(fact, reader)


def _pearls_to_all(fact: Fact, reader: int | None) -> Fact:
    return fact if isinstance(fact, facts.PearlDrawn) else dragonkeepers.project(fact, reader)


def _talkative_check(state: State, seat: int, move: Move) -> Violation | None:
    violation = dragonkeepers.check(state, seat, move)
    hand = format_cards(state.areas[1 - min(seat, 1)].hand)
    return violation and replace(violation, message=f"{violation.message}; they hold {hand}")


def _check_before_turn(state: State, seat: int, move: Move) -> Violation | None:
    """Answers for a seat that is not to move from the hand of the seat that is."""
    return dragonkeepers.check(state, max(0, state.to_move), move)


def _moves_of_the_other(state: State, _: int) -> tuple[Move, ...]:
    return dragonkeepers.legal_moves(state, max(0, state.to_move))


def _only_move(state: State) -> Move | None:
    """Tells everybody that a follower can only pass, where only its hidden starters say so."""
    moves = dragonkeepers.legal_moves(state, state.to_move)
    return Pass() if moves == (Pass(),) else None


LEAKS = {
    "all hands": _leaky_view(_hands_of_all),
    "how many colours a hand has": _leaky_view(_colours_in_hand),
    "the order of a hand": _leaky_view(_places_in_hand),
    "the front of the next card": _leaky_view(_next_card),
    "the last card of a deck": _leaky_view(_page_after_next),
    "points with pearls before the end": _leaky_view(_pearls_of_all),
    "a pearl of the supply": _leaky_view(_next_pearl),
    "the starters that left": _leaky_view(_starters_out),
    "how many moves another has": _leaky_view(_number_of_moves),
    "a checksum of the hands": _leaky_view(_size_of_state),
    "starters dealt, to all": Mouth(project=_starters_to_all),
    "a pearl drawn, to all": Mouth(project=_pearls_to_all),
    "a hand in a violation": Mouth(check=_talkative_check),
    "check before the turn": Mouth(check=_check_before_turn),
    "legal moves of another": Mouth(legal_moves=_moves_of_the_other),
    "a pass that is not public": Mouth(public_pass=_only_move),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_a_planted_leak_is_caught(leak: str) -> None:
    assert any(_catches(LEAKS[leak], number) for number in range(60))


def _catches(mouth: Mouth, number: int) -> bool:
    for at, decision in enumerate(decisions(number)):
        for reader in readers(decision.before):
            try:
                assert_same_to_reader(pair(decision.before, reader, number + at), mouth)
            except AssertionError:
                return True
    return False


class _UnlistedFact:
    """A kind of fact that somebody adds and forgets in `project`."""


def test_a_fact_without_listed_readers_is_told_to_nobody() -> None:
    with pytest.raises(TypeError):
        dragonkeepers.project(_UnlistedFact(), 0)  # type: ignore[arg-type]

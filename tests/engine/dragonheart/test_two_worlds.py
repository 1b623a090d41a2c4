"""Nothing hidden leaks; and every leak we could think of would be caught."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragonhall_engine import dragonheart
from dragonhall_engine.core.errors import Violation
from dragonhall_engine.dragonheart import Fact, Move, State, View
from dragonhall_engine.dragonheart.facts import CardsDrawn, CardSentBack
from dragonhall_engine.dragonheart.notation import format_cards
from tests.budget import cases
from tests.engine.dragonheart.matches import READERS, numbers, states, turns
from tests.engine.dragonheart.two_worlds import Mouth, assert_same_to_reader, other_world

PAIRS = cases(ci=500, sweep=10_000)


@settings(max_examples=PAIRS)
@given(states, st.sampled_from(READERS), numbers)
def test_a_reader_cannot_tell_two_worlds_apart(
    state: State, reader: int | None, number: int
) -> None:
    assert_same_to_reader(state, other_world(state, reader, number), reader, number, Mouth())


def _leaky_view(leak: Callable[[State, int | None], Any]) -> Mouth:
    def view(state: State, reader: int | None) -> tuple[View, Any]:
        return dragonheart.view(state, reader), leak(state, reader)

    return Mouth(view=view)


def _hands_of_all(state: State, _: int | None) -> Any:
    return state.hands


def _next_card(state: State, reader: int | None) -> Any:
    return None if reader is None else state.decks[reader][-1:]


def _known_top_of_all(state: State, _: int | None) -> Any:
    return [state.decks[seat][-1] for seat in (0, 1) if state.knows_top[seat]]


def _types_in_hand(state: State, _: int | None) -> Any:
    return [len({card // 5 for card in hand}) for hand in state.hands]


def _root(state: State, _: int | None) -> Any:
    return state.root[:1]


def _size_of_hands(state: State, _: int | None) -> Any:
    return [len(format_cards(hand)) for hand in state.hands]


def _number_of_moves(state: State, _: int | None) -> Any:
    return len(dragonheart.legal_moves(state, state.to_move))


def _drawn_cards(fact: Fact, reader: int | None) -> Fact:
    return fact if isinstance(fact, CardsDrawn) else dragonheart.project(fact, reader)


def _sent_back_to_all(fact: Fact, reader: int | None) -> Fact:
    return fact if isinstance(fact, CardSentBack) else dragonheart.project(fact, reader)


def _talkative_check(state: State, seat: int, move: Move) -> Violation | None:
    violation = dragonheart.check(state, seat, move)
    hand = format_cards(state.hands[1 - seat])
    return violation and replace(violation, message=f"{violation.message}; they hold {hand}")


def _check_before_turn(state: State, seat: int, move: Move) -> Violation | None:
    """Answers for a seat that is not to move from the hand of the seat that is."""
    return dragonheart.check(state, state.to_move, move)


def _moves_of_the_other(state: State, _: int) -> tuple[Move, ...]:
    return dragonheart.legal_moves(state, state.to_move)


def _only_move(state: State) -> Move | None:
    """Tells everybody that a seat has one move, where only its hidden hand says so."""
    moves = dragonheart.legal_moves(state, state.to_move)
    return moves[0] if len(moves) < 6 else None


LEAKS = {
    "all hands": _leaky_view(_hands_of_all),
    "one's own next card": _leaky_view(_next_card),
    "the known top card, to all": _leaky_view(_known_top_of_all),
    "how many types a hand has": _leaky_view(_types_in_hand),
    "a byte of the root": _leaky_view(_root),
    "the size of the hands in notation": _leaky_view(_size_of_hands),
    "how many moves the other has": _leaky_view(_number_of_moves),
    "drawn cards, to all": Mouth(project=_drawn_cards),
    "the card sent back, to all": Mouth(project=_sent_back_to_all),
    "a hand in a violation": Mouth(check=_talkative_check),
    "check before the turn": Mouth(check=_check_before_turn),
    "legal moves of the other": Mouth(legal_moves=_moves_of_the_other),
    "a public move that is not": Mouth(public_pass=_only_move),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_a_planted_leak_is_caught(leak: str) -> None:
    assert any(_catches(LEAKS[leak], number) for number in range(20))


def _catches(mouth: Mouth, number: int) -> bool:
    for turn in turns(number):
        for reader in READERS:
            twin = other_world(turn.before, reader, number)
            try:
                assert_same_to_reader(turn.before, twin, reader, number, mouth)
            except AssertionError:
                return True
    return False


class _UnlistedFact:
    """A kind of fact that somebody adds and forgets in `project`."""


def test_a_fact_without_listed_readers_is_told_to_nobody() -> None:
    with pytest.raises(TypeError):
        dragonheart.project(_UnlistedFact(), 0)  # type: ignore[arg-type]

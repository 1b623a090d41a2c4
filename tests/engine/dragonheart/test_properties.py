"""What is true of every match: nothing is lost, nothing is changed, everything is told."""

from collections import Counter

import pytest
from hypothesis import given, settings

from dragonhall_engine import dragonheart
from dragonhall_engine.core.errors import InvalidSetup
from dragonhall_engine.core.game import Game, Setup
from dragonhall_engine.core.replay import replay
from dragonhall_engine.core.rng import Deal
from dragonhall_engine.dragonheart import Fact, Move, State, Trigger, View
from dragonhall_engine.dragonheart.cards import DECK
from dragonhall_engine.dragonheart.facts import CardsPlayed
from tests.budget import cases
from tests.engine.dragonheart.fold import FoldedView
from tests.engine.dragonheart.matches import (
    LONGEST_MATCH,
    READERS,
    SETUP,
    deal,
    dealt,
    numbers,
    turns,
)

MATCHES = cases(ci=60, sweep=5000)

AS_A_GAME: Game[State, Move, Fact, View] = dragonheart
"""The package itself is a game: mypy looks at this line."""


def _assert_conserved(state: State) -> None:
    """100 cards: in hands, decks, piles, on the board, under the ship, or sailed."""
    lying = [*state.hands, *state.decks, *state.piles, *state.board, state.under_ship]
    ships = [dragonheart.parse_move("V").cards[0]] * (3 * state.sailings)
    assert Counter(card for cards in [*lying, ships] for card in cards) == Counter(DECK * 2)


def _assert_start_of_turn(state: State) -> None:
    for seat, hand in enumerate(state.hands):
        limit = 6 if state.dragon == seat else 5
        assert hand == sorted(hand)
        if seat == state.to_move:
            assert len(hand) == limit
        else:
            assert len(hand) == limit or (len(hand) < limit and Trigger.DECK in state.triggers)


@settings(max_examples=MATCHES)
@given(numbers)
def test_every_state_of_a_match_keeps_the_invariants(number: int) -> None:
    played = [Counter[int](), Counter[int]()]
    for turn in turns(number):
        _assert_start_of_turn(turn.before)
        played[turn.before.to_move].update(turn.move.cards)
        _assert_conserved(turn.after)
        for seat in (0, 1):
            own = Counter(turn.after.hands[seat] + turn.after.decks[seat])
            assert own + played[seat] == Counter(DECK)


@settings(max_examples=MATCHES)
@given(numbers)
def test_every_match_ends_within_its_bound_after_one_final_turn(number: int) -> None:
    match = list(turns(number))
    assert len(match) <= LONGEST_MATCH
    assert match[-1].after.over and match[-1].before.triggers
    assert not any(turn.before.triggers for turn in match[:-1])
    assert dragonheart.outcome(match[-1].after) is not None
    assert all(dragonheart.outcome(turn.before) is None for turn in match)


@settings(max_examples=MATCHES)
@given(numbers)
def test_apply_never_changes_its_argument(number: int) -> None:
    for turn in turns(number):
        before = dragonheart.encode(turn.before)
        dragonheart.apply(turn.before, turn.before.to_move, turn.move)
        assert dragonheart.encode(turn.before) == before


@settings(max_examples=MATCHES)
@given(numbers)
def test_advance_does_what_apply_does(number: int) -> None:
    state = dealt(number)
    for turn in turns(number):
        dragonheart.advance(state, turn.move)
        assert state == turn.after


@settings(max_examples=MATCHES)
@given(numbers)
def test_replay_gives_the_same_bytes(number: int) -> None:
    match = list(turns(number))
    moves = [(turn.before.to_move, turn.move) for turn in match]
    again = list(replay(dragonheart, SETUP, deal(number), moves))
    first = [match[0].before, *(turn.after for turn in match)]
    assert list(map(dragonheart.encode, again)) == list(map(dragonheart.encode, first))


@settings(max_examples=MATCHES)
@given(numbers)
def test_folding_the_facts_gives_the_view_of_every_reader(number: int) -> None:
    state = dealt(number)
    folded = [FoldedView(reader) for reader in READERS]
    for one in folded:
        one.opening(dragonheart.project(f, one.reader) for f in dragonheart.opening(state))
    for turn in turns(number):
        for one in folded:
            assert one.view() == dragonheart.view(turn.before, one.reader)
            one.move(dragonheart.project(fact, one.reader) for fact in turn.facts)
            assert one.view() == dragonheart.view(turn.after, one.reader)


@settings(max_examples=MATCHES)
@given(numbers)
def test_the_facts_name_the_move_in_canonical_form(number: int) -> None:
    for turn in turns(number):
        seat, move = turn.before.to_move, turn.move
        written = Move(tuple(reversed(move.cards)), move.target)
        _, facts = dragonheart.apply(turn.before, seat, written)
        assert facts == turn.facts
        assert facts[0] == CardsPlayed(seat, move.cards, move.target)


def test_the_start_seat_is_drawn_unless_chosen() -> None:
    drawn = Counter(dealt(number).to_move for number in range(cases(ci=400, sweep=4000)))
    assert set(drawn) == {0, 1} and abs(drawn[0] - drawn[1]) < 0.2 * drawn.total()
    for seat in (0, 1):
        chosen = dragonheart.new_match(Setup("standard", 2, seat), deal(1))
        assert chosen.to_move == chosen.start_seat == seat
        assert chosen.decks == dealt(1).decks


@pytest.mark.parametrize(
    "setup",
    [
        Setup("", 2),
        Setup("Standard", 2),
        Setup("standard", 1),
        Setup("standard", 3),
        Setup("standard", 2, -1),
        Setup("standard", 2, 2),
    ],
)
def test_a_setup_that_is_none_is_refused(setup: Setup) -> None:
    with pytest.raises(InvalidSetup):
        dragonheart.new_match(setup, deal(1))


@pytest.mark.parametrize("contributions", [(), (b"",), (b"", b"", b"")])
def test_a_deal_for_other_seats_is_refused(contributions: tuple[bytes, ...]) -> None:
    with pytest.raises(InvalidSetup):
        dragonheart.new_match(SETUP, Deal(bytes(64), "deal", contributions))


def test_a_state_names_nothing_hidden_when_it_is_printed() -> None:
    assert repr(dealt(1)) == "<dragonheart state, turn 1>"

"""Text of cards, moves, states, facts and views."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragonhall_engine import dragonheart
from dragonhall_engine.core.errors import NotationError
from dragonhall_engine.dragonheart import State
from dragonhall_engine.dragonheart.cards import DECK
from dragonhall_engine.dragonheart.notation import format_card, parse_card
from tests.budget import cases
from tests.engine.dragonheart.matches import READERS, numbers, states, turns

EXAMPLES = cases(ci=200, sweep=10_000)


def test_every_card_comes_back_equal() -> None:
    assert [parse_card(format_card(card)) for card in DECK] == list(DECK)


@settings(max_examples=EXAMPLES)
@given(states)
def test_states_and_legal_moves_come_back_equal(state: State) -> None:
    assert dragonheart.parse_state(dragonheart.format_state(state)) == state
    for move in dragonheart.legal_moves(state, state.to_move):
        assert dragonheart.parse_move(dragonheart.format_move(move)) == move


@pytest.mark.parametrize(
    ("read", "written"),
    [
        ("D3 D2", "D2 D3"),
        ("V", "V"),
        ("  V   V ", "V V"),
        ("K2>troll", "K2 > troll"),
        ("S2 S1 > petrified_dragon", "S1 S2 > petrified_dragon"),
        ("D1 T3", "D1 T3"),  # legality is not looked at
    ],
)
def test_a_move_is_read_in_any_order_and_written_in_one(read: str, written: str) -> None:
    assert dragonheart.format_move(dragonheart.parse_move(read)) == written


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "> troll", "D", "D0", "D5", "d3", "V0", "V1", "X1", "D33", "D3,D2", "D٣"),
        *("K1 >", "K1 > Troll", "K1 > trolls", "K1 > troll > troll", "K1 troll", "D3 > "),
    ],
)
def test_a_text_that_is_no_move_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        dragonheart.parse_move(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "move C", "move", "turn -1", "turn x", "turn ²", "turn 99999", "A.hand D9"),
        *("C.hand D1", "dwarf D1; dwarf D2", "root 0g", "root é", "over yes", "triggers fire"),
        *("dragon AB", "D1"),
    ],
)
def test_a_text_that_is_no_state_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        dragonheart.parse_state(text)


@settings(max_examples=EXAMPLES)
@given(st.text(max_size=20))
def test_any_text_is_read_or_refused(text: str) -> None:
    for parse in (dragonheart.parse_move, dragonheart.parse_state):
        with suppress(NotationError):
            parse(text)


def test_a_refused_text_is_not_echoed() -> None:
    with pytest.raises(NotationError) as raised:
        dragonheart.parse_state("A.hand secret")
    assert "secret" not in str(raised.value)


@settings(max_examples=EXAMPLES // 10)
@given(numbers)
def test_facts_and_views_are_one_line_and_tell_what_their_reader_may_know(number: int) -> None:
    for turn in turns(number):
        for reader in READERS:
            lines = [dragonheart.format_fact(dragonheart.project(f, reader)) for f in turn.facts]
            lines.append(dragonheart.format_view(dragonheart.view(turn.after, reader)))
            assert all(line and "\n" not in line for line in lines)


def test_a_view_is_a_line() -> None:
    state = dragonheart.parse_state(
        "move B; turn 4; A.hand D1 V; A.deck K1 K2; A.knows_top; A.pile T3; B.hand C1; dragon A"
    )
    assert dragonheart.format_view(dragonheart.view(state, 0)) == (
        "reader A; move B; turn 4; A.hand D1 V; A.deck 2; A.pile T3; A.knows_top K1; A.points 6;"
        " B.hand 1; B.deck 0; B.points 0; dragon A"
    )
    assert dragonheart.format_view(dragonheart.view(state, None)) == (
        "spectator; move B; turn 4; A.hand 2; A.deck 2; A.pile T3; A.knows_top ?; A.points 6;"
        " B.hand 1; B.deck 0; B.points 0; dragon A"
    )

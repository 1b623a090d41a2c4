"""Text of cards, moves, states, facts and views."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragonhall_engine import dragonkeepers
from dragonhall_engine.core.errors import NotationError
from dragonhall_engine.dragonkeepers import State
from dragonhall_engine.dragonkeepers.cards import LEFT_DECK, RIGHT_DECK, SHADOW
from dragonhall_engine.dragonkeepers.notation import format_card, parse_card
from tests.budget import cases
from tests.engine.dragonkeepers.matches import dealt, decisions, numbers, readers, states

EXAMPLES = cases(ci=200, sweep=5000)


def test_every_card_comes_back_equal() -> None:
    every = [*LEFT_DECK, *RIGHT_DECK, SHADOW]
    assert [parse_card(format_card(card)) for card in every] == every
    assert [format_card(card) for card in sorted(set(every))][:9:4] == ["R|1", "R|5", "W|1"]


@settings(max_examples=EXAMPLES, deadline=None)
@given(states)
def test_states_and_legal_moves_come_back_equal(state: State) -> None:
    assert dragonkeepers.parse_state(dragonkeepers.format_state(state)) == state
    for seat in range(state.seats):
        for move in dragonkeepers.legal_moves(state, seat):
            assert dragonkeepers.parse_move(dragonkeepers.format_move(move)) == move


@pytest.mark.parametrize(
    ("read", "written"),
    [
        ("take L1", "take L1"),
        (" take  R2  with crystal", "take R2 with crystal"),
        ("end take", "end take"),
        ("book left R|3", "book left R|3"),
        ("book left G>W", "book left G>W"),  # legality is not looked at
        ("end book", "end book"),
        ("play S|6 B|2 B|1 left", "play B|1 B|2 S|6 left"),
        ("play G>W R|1", "play R|1 G>W"),
        ("pass", "pass"),
    ],
)
def test_a_move_is_read_in_any_order_and_written_in_one(read: str, written: str) -> None:
    assert dragonkeepers.format_move(dragonkeepers.parse_move(read)) == written


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "take", "take L3", "take l1", "take L1 with", "take L1 with pearl", "end"),
        *("end pass", "book", "book left", "book up R|3", "book left R|6", "book left R>R"),
        *("play", "play left", "play R|1 up", "play left R|1", "play S|5", "play R1", "pass pass"),
        *("Pass", "play R|1,R|2", "play R|١"),
    ],
)
def test_a_text_that_is_no_move_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        dragonkeepers.parse_move(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "source", "seats 2", "source; seats 1", "source; seats 5", "old; seats 2"),
        *("source; seats 2; seats 2", "source; seats 2; move C", "source; seats 2; C.hand R|1"),
        *("source; seats 2; move AB", "source; seats 2; move", "source; seats 2; round -1"),
        *("source; seats 2; round ²", "source; seats 2; L1 R|9", "source; seats 2; L3 R|1"),
        *("source; seats 2; L1 R|1; L1 R|1", "source; seats 2; step go", "source; seats 2; R|1"),
        *("source; seats 2; pieces 5x1", "source; seats 2; pieces 4", "source; seats 2; pearls 5"),
        *("source; seats 2; A.row S|6", "source; seats 2; A.row R|1, R|2"),
        *("source; seats 2; set_played no", "source; seats 2; trigger luck", "source; seats 2; L1"),
        *("source; seats 2; changed up", "source; seats 2; A.pieces 5", "source; seats 2; left W"),
    ],
)
def test_a_text_that_is_no_state_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        dragonkeepers.parse_state(text)


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.text(max_size=20))
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (text, f"source; seats 2; {text}"):
        for parse in (dragonkeepers.parse_move, dragonkeepers.parse_state):
            with suppress(NotationError):
                parse(read)


def test_a_refused_text_is_not_echoed() -> None:
    for parse in (dragonkeepers.parse_move, dragonkeepers.parse_state):
        with pytest.raises(NotationError) as raised:
            parse("tok-4711")
        assert "4711" not in str(raised.value)


@settings(max_examples=EXAMPLES // 10, deadline=None)
@given(numbers)
def test_facts_and_views_are_lines(number: int) -> None:
    every = [(dealt(number), dragonkeepers.opening(dealt(number)))]
    every += [(decision.after, decision.facts) for decision in decisions(number)]
    for state, facts in every:
        for reader in readers(state):
            lines = [dragonkeepers.format_fact(dragonkeepers.project(f, reader)) for f in facts]
            lines.append(dragonkeepers.format_view(dragonkeepers.view(state, reader)))
            assert all(line and "\n" not in line for line in lines)


def test_a_view_is_a_line() -> None:
    state = dragonkeepers.parse_state(
        "published; seats 2; active B; step book; taken 2; L1 R|1; left W|4 B|2; left.booked S|6;"
        " right G>B W>R; starters_out R>B; shadows 9; crystals 9; eggs 9; crests 3; pieces 4x2;"
        " pearls 3 9; A.hand R|1 G>W; A.starters G>W; A.row R|2 S|6, W|1; A.crystals 1; A.pieces 1;"
        " A.pearls 8"
    )
    assert dragonkeepers.format_view(dragonkeepers.view(state, 0)) == (
        "reader A; published; seats 2; start A; round 1; active B; step book; move B; taken 2;"
        " L1 R|1; left 4 (W|4 B|2); left.booked S|6; right B (W>R G>B); unseen_starters R>B;"
        " shadows 9; crystals 9; eggs 9; crests 3; pieces 4x2; pearls ? ?; A.known R|1;"
        " A.starters G>W; A.row R|2 S|6, W|1; A.crystals 1; A.pieces 1; A.pearls 8"
    )
    assert dragonkeepers.format_view(dragonkeepers.view(state, None)) == (
        "spectator; published; seats 2; start A; round 1; active B; step book; move B; taken 2;"
        " L1 R|1; left 4 (W|4 B|2); left.booked S|6; right B (W>R G>B); unseen_starters R>B G>W;"
        " shadows 9; crystals 9; eggs 9; crests 3; pieces 4x2; pearls ? ?; A.known R|1;"
        " A.starters ?; A.row R|2 S|6, W|1; A.crystals 1; A.pieces 1; A.pearls ?"
    )

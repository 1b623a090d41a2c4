"""No rule of the page without a row, no row without a rule of the page."""

import re
from collections import Counter

import pytest

from dragonhall_engine.dragonkeepers import cards
from dragonhall_engine.dragonkeepers.cards import PIECE_COPIES, STARTERS
from dragonhall_engine.dragonkeepers.notation import format_card, format_cards, format_piles
from tests.engine.dragonkeepers import (
    test_examples,
    test_rules_end_and_knowledge,
    test_rules_play,
    test_rules_setup,
    test_rules_take_and_book,
)
from tests.engine.dragonkeepers.rules_page import read_rules_page, rule_numbers
from tests.engine.dragonkeepers.tables import Row, verify

_TABLES = (
    test_examples,
    test_rules_end_and_knowledge,
    test_rules_play,
    test_rules_setup,
    test_rules_take_and_book,
)
_REWARD_TABLE = "DK-6"
"""The table of rewards has no number of its own besides its section's."""


def test_every_rule_is_cited_by_a_row() -> None:
    cited = {rule for table in _TABLES for row in table.ROWS for rule in row.rule.split()}
    assert cited == rule_numbers(read_rules_page()) | {_REWARD_TABLE}


def test_a_rule_without_a_row_would_be_found() -> None:
    page = "## 4 (DK-4)\n- DK-4.1 Book.\n- DK-4.2 Kind.\n## 6 (DK-9)"
    assert rule_numbers(page) == {"DK-4.1", "DK-4.2", "DK-9"}


def test_number_cards_are_those_of_the_page() -> None:
    line = re.search(r"\*\*DK-1.2\*\*.*?: ([^,]+(?:, \d×\d)*),", read_rules_page())
    assert line
    on_page = {int(n): int(copies) for n, copies in re.findall(r"(\d)×(\d)", line[1])}
    assert on_page == cards.NUMBER_COPIES


def test_colour_cards_are_those_of_the_page() -> None:
    table = re.findall(r"^ *\| ([RWBG]) \| (.) \| (.) \| (.) \| (.) \|$", read_rules_page(), re.M)
    on_page = {
        f"{front}>{back}": int(copies)
        for front, *row in table
        for back, copies in zip("RWBG", row, strict=True)
        if copies != "–"
    }
    assert on_page == Counter(map(format_card, cards.RIGHT_DECK))


def test_starters_pieces_and_pearls_are_those_of_the_page() -> None:
    page = read_rules_page()
    assert format_cards(STARTERS) in page
    assert format_piles(tuple(PIECE_COPIES.values())).replace("x", "×").replace(" ", ", ") in page
    pearls = Counter(cards.PEARLS)
    assert all(f"{value}×{copies}" in page for value, copies in pearls.items())


@pytest.mark.parametrize(
    ("when", "then"),
    [
        ("play R|1", "A.pieces 4"),
        ("play R|1", "A.row -"),
        ("play R|1", "refused DK-5.1 WRONG_COUNT"),
        ("play W|1", "A.hand R|1"),
        ("play R|1", "match over"),
        ("play R|1", "ranks 1 2"),
        ("play R|1", "scores 2 0"),
        ("play R|1", "legal play R|1"),
        ("play R|1", "event A passed"),
        ("play R|1", "events A got a crystal > A got piece 1"),
        ("play R|1", "no_event got"),
        ("play R|1", "sees A.row W|1"),
        ("play R|1", "told A passed"),
        ("play R|1", "need 2 R"),
    ],
)
def test_a_row_that_is_wrong_fails(when: str, then: str) -> None:
    with pytest.raises(AssertionError):
        verify(Row("DK-5.1", "a planted mistake", "need 1 R; A.hand R|1", when, then))

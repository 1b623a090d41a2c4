"""No rule of the page without a row, no row without a rule of the page."""

import re

import pytest

from dragonhall_engine.dragonheart.cards import DECK, CardType, card_type, value
from tests.engine.dragonheart import (
    test_examples,
    test_rules_board,
    test_rules_deal_and_knowledge,
    test_rules_dragon_and_end,
    test_rules_turn,
)
from tests.engine.dragonheart.rules_page import read_rules_page, rule_numbers
from tests.engine.dragonheart.tables import Row, verify

_TABLES = (
    test_examples,
    test_rules_board,
    test_rules_deal_and_knowledge,
    test_rules_dragon_and_end,
    test_rules_turn,
)


def test_every_rule_is_cited_by_a_row() -> None:
    cited = {rule for table in _TABLES for row in table.ROWS for rule in row.rule.split()}
    assert cited == rule_numbers(read_rules_page())


def test_a_rule_without_a_row_would_be_found() -> None:
    page = "## 4 (DH-4)\n- DH-4.1 Play.\n- DH-4.2 Fit.\n## 8 (DH-7)"
    assert rule_numbers(page) == {"DH-4.1", "DH-4.2", "DH-7"}


def test_the_deck_is_the_table_of_the_page() -> None:
    section = read_rules_page().split("## 2.")[1].split("## 3.")[0]
    rows = re.findall(r"^\| ([a-z ]+) \| (\d+) \| .* \| (\d+) \|$", section, re.MULTILINE)
    on_page = [(int(count), int(points)) for _, count, points in rows]
    ours = [[value(card) for card in DECK if card_type(card) == type_] for type_ in CardType]
    assert on_page == [(len(values), sum(values)) for values in ours]


@pytest.mark.parametrize(
    ("when", "then"),
    [
        ("D1", "A.pile +1"),
        ("D1", "dwarf -"),
        ("D1", "A.hand 6"),
        ("D1", "refused DH-4.2 TOO_MANY"),
        ("D1", "move A"),
        ("D1", "match over"),
        ("D1", "wins A"),
        ("D1", "event A played D2"),
        ("D1", "no_event played"),
        ("D1", "B.sees A.hand D1 D1 D1 D1 D1"),
        ("D1", "told A drew D1, 19 left"),
        ("T1", "move A"),
    ],
)
def test_a_row_that_is_wrong_fails(when: str, then: str) -> None:
    with pytest.raises(AssertionError):
        verify(Row("DH-4.1", "a planted mistake", "A.hand +5", when, then))

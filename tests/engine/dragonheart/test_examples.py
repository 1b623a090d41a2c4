"""The worked examples of section 11 of the rules page, by their numbers."""

import re

from tests.engine.dragonheart.rules_page import read_rules_page
from tests.engine.dragonheart.tables import Row, rows, verify

ROWS = [
    Row(
        "DH-3.1 DH-4.8",
        "completing the dwarves with two cards",
        given="dwarf D1 D1; A.hand D3 D2 F2 T1 V; A.deck K1 C2 +18",
        when="D3 D2",
        then="A.pile +7; dwarf -; A.hand F2 C2 T1 K1 V; A.deck 18",
        example=1,
    ),
    Row(
        "DH-4.2",
        "too many dwarves are refused",
        given="dwarf D1 D1 D1; A.hand D2 D2 F3 P2 S1",
        when="D2 D2",
        then="refused DH-4.2 TOO_MANY",
        example=2,
    ),
    Row(
        "DH-4.2",
        "one dwarf fits",
        given="dwarf D1 D1 D1; A.hand D2 D2 F3 P2 S1",
        when="D2",
        then="A.pile +5; dwarf -",
        example=2,
    ),
    Row(
        "DH-4.3",
        "one firing",
        given="fire_dragon F3; treasure C4 C1; A.hand F2 F4 D1 D1 H1; A.deck T1 T2 +18",
        when="F2 F4",
        then="A.pile +5; fire_dragon F3 F2 F4; A.hand D1 D1 H1 T1 T2",
        example=3,
    ),
    Row(
        "DH-4.6",
        "third huntress, no fire dragons",
        given="huntress H1 H2; under_ship K1 K1; A.hand H1 +4",
        when="H1",
        then="A.pile +0; huntress -; under_ship K1 K1 H1 H2 H1",
        example=4,
    ),
    Row(
        "DH-4.4",
        "knight without a target",
        given="knight K1; sorceress S2 S1; troll T3; A.hand K2 +4",
        when="K2",
        then="refused DH-4.4 TARGET_REQUIRED",
        example=5,
    ),
    Row(
        "DH-3.6",
        "knight takes the troll",
        given="knight K1; sorceress S2 S1; troll T3; A.hand K2 +4",
        when="K2 > troll",
        then="A.pile +3; sorceress S2 S1; troll -; under_ship K1 K2",
        example=5,
    ),
    Row(
        "DH-4.5",
        "knight with no sorceress takes the troll",
        given="knight K1; troll T3; A.hand K2 +4",
        when="K2",
        then="A.pile +3; troll -",
        example=5,
    ),
    Row(
        "DH-4.5",
        "knight may not name the empty pile",
        given="knight K1; troll T3; A.hand K2 +4",
        when="K2 > sorceress",
        then="refused DH-4.5 TARGET_INVALID",
        example=5,
    ),
    Row(
        "DH-4.6",
        "knight with both piles empty",
        given="knight K1; A.hand K2 +4",
        when="K2",
        then="A.pile +0; under_ship K1 K2",
        example=5,
    ),
    Row(
        "DH-5.1 DH-5.2",
        "first dragon",
        given="petrified_dragon P2 P2; treasure C4; A.hand S1 +4; A.deck T1 T2 +18",
        when="S1 > petrified_dragon",
        then="A.pile +4; dragon A; A.hand 6; event A drew T1 T2, 18 left",
        example=6,
    ),
    Row(
        "DH-5.3",
        "dragon from the opponent",
        given="dragon B; B.hand D1 D2 H1 T2 V C3; petrified_dragon P2; pick T2;"
        "A.hand S2 S1 D1 K1 F3",
        when="S2 S1",
        then="A.pile +2; B.hand D1 D2 H1 C3 V; B.deck 21; B.top T2; A.hand 6; A.deck 17;"
        "A.told B lost ? to the top of its deck",
        example=7,
    ),
    Row(
        "DH-5.4",
        "already owner",
        given="dragon A; A.hand S1 +5; petrified_dragon P2; A.deck T1 +19",
        when="S1",
        then="A.pile +2; A.hand 6; B.hand 5; B.deck 20; event A drew T1, 19 left",
        example=8,
    ),
    Row(
        "DH-3.9",
        "second sailing",
        given="sailings 1; ship V; under_ship K1 K1 H2 H1 H1; huntress H1; A.hand V V +3",
        when="V V",
        then="A.pile +6; sailings 2; huntress H1; under_ship -",
        example=9,
    ),
    Row(
        "DH-6.1 DH-6.4",
        "end by ships",
        given="sailings 2; ship V V; sorceress S2; dragon A; A.hand V +5; B.hand T1 +4;"
        "A.pile C4 C4 C4 C4 C4 C4 C4 P2; B.pile C4 C4 C4 C4 C4 C4 C4 T1",
        when="V / T1",
        then="match over; B.points 31; A.points 33; wins A",
        example=10,
    ),
    Row(
        "DH-6.2",
        "end by deck",
        given="A.deck T1 T2; A.hand C1 C2 C3 D1 D1",
        when="C1 C2 C3",
        then="A.hand D1 D1 T1 T2; A.deck 0; match final turn; move B",
        example=11,
    ),
    Row(
        "DH-6.2",
        "end by deck with a full hand",
        given="A.deck T1; A.hand C1 +4",
        when="C1",
        then="A.hand 5; A.deck 0; match final turn",
        example=11,
    ),
    Row(
        "DH-6.5",
        "40 and the dragon against 43",
        given="triggers ships; dragon A; A.hand +6; A.pile C4 C4 C4 C4 C4 C4 C4 C4 C4 C4;"
        "B.pile C4 C4 C4 C4 C4 C4 C4 C4 C4 C4 T3",
        when="D1",
        then="A.points 43; B.points 43; wins A",
        example=12,
    ),
    Row(
        "DH-6.5",
        "41 against 41, unowned",
        given="triggers ships; A.pile C4 C4 C4 C4 C4 C4 C4 C4 C4 C4 K1;"
        "B.pile C4 C4 C4 C4 C4 C4 C4 C4 C4 C4 T1",
        when="D1",
        then="A.points 41; B.points 41; wins A B",
        example=12,
    ),
    *(
        Row(rule, f"refused, state unchanged: {sentence}", given, when, f"refused {then}", 13)
        for rule, sentence, given, when, then in [
            ("DH-4.1", "no cards", "A.hand +5", "nothing", "DH-4.1 NO_CARDS"),
            ("DH-4.1", "two types", "A.hand D1 V +3", "D1 V", "DH-4.1 MIXED_TYPES"),
            ("DH-4.9", "not in hand", "A.hand +5", "T1", "DH-4.9 NOT_IN_HAND"),
            ("DH-4.9", "more copies", "A.hand T1 +4", "T1 T1", "DH-4.9 NOT_IN_HAND"),
            ("DH-4.9", "not the seat's turn", "move B", "A: D1", "DH-4.9 NOT_YOUR_TURN"),
            ("DH-4.5", "no choice", "dwarf D1", "D1 > dwarf", "DH-4.5 TARGET_INVALID"),
            ("DH-4.9", "after the end", "triggers deck; over", "D1", "DH-4.9 MATCH_OVER"),
        ]
    ),
]


@rows(ROWS)
def test_example(row: Row) -> None:
    verify(row)


def test_every_worked_example_is_a_row() -> None:
    section = read_rules_page().split("## 11.")[1]
    on_page = {int(number) for number in re.findall(r"^(\d+)\. ", section, re.MULTILINE)}
    assert on_page == {row.example for row in ROWS}

"""The worked examples of section 9 of the rules page, by their numbers."""

import re

from tests.engine.dragonkeepers.rules_page import read_rules_page
from tests.engine.dragonkeepers.tables import Row, rows, verify

_TAKING = (
    "step take; L1 R|1; R1 R>B; left W|5 B|2 G|4 G|4; right R>G W>R W>R W>R; A.crystals 1;"
    " crystals 7"
)
_BOOK = "step book; need 4 B; A.hand R|3 G>W S|6"
_SIX = "need 3 W; step book; A.hand S|6 S|6 S|6 W|1 W|1 W>R W>G; A.row R|1, W|2"
_SIX_BOTH = f"{_SIX}; B.hand S|6 W|2 W|2 W>R W>G W>G; pieces 4x1 20x3; left R|2 W|3 W|4 W|5"
_FOURTH = (
    "seats 4; need 2 G; A.hand G|1 G|2; A.row R|1, W|1, B|1; A.pieces 1 4; pieces 4x8 6x5;"
    " B.hand G>R G>R; B.row R|2, W|2, B|2"
)
_SIX_AMULETS = (
    "need 1 R; A.hand R|1; B.hand R|2; A.pieces 1 1 1 1 1 1 1 1 4 4 4 4; B.pieces 6 6 6 6 6 8 8 8;"
    " pieces 10x8 12x4"
)
_RICH = "A.pieces 1 4 10 20; A.pearls 9; A.crest 16; B.pieces 6 6 8; B.pearls 4; B.crest 10"
_TIED = "step over; A.pieces 20 20 20 12; A.pearls 3; A.row {a}; B.pieces 20 20 20 12; B.pearls 3"
_FOURTEEN = "R|1 R|1 R|2 R|2 R|2 R|3 R|3 R|3 R|4 R|4 R|4 R|5 R|5 S|6"

ROWS = [
    Row(
        "DK-2.2 DK-2.4 DK-2.5",
        "set-up for three players, published",
        given="deal published; seats 3; start A",
        when="",
        then="deck_sizes 51 51; L2 -; R2 -; starter_counts 0 1 2; out_count 5; piece_count 33;"
        " cards 123",
        example=1,
    ),
    Row(
        "DK-2.4",
        "set-up for three players, source",
        given="deal source; seats 3; start A",
        when="",
        then="deck_sizes 50 50; starter_counts 0 1 2; out_count 5; piece_count 33; cards 123",
        example=1,
    ),
    Row(
        "DK-3.1",
        "the first take",
        given=_TAKING,
        when="take L1",
        then="A.hand R|1; L1 W|5; need 2 G",
        example=2,
    ),
    Row(
        "DK-3.1",
        "the second take; the take may end, or a third follow",
        given=_TAKING,
        when="take L1 / take L1",
        then="A.hand R|1 W|5; L1 B|2; need 4 G; legal take L1, take R1, end take",
        example=2,
    ),
    Row(
        "DK-3.2",
        "a fourth only with a crystal",
        given=_TAKING,
        when="take L1 / take L1 / take R1 / take R1",
        then="refused DK-3.1 TAKE_LIMIT",
        example=2,
    ),
    Row(
        "DK-3.2",
        "a crystal pays for the fourth card",
        given=_TAKING,
        when="take R1 / take L1 / take L1 / take R1 with crystal",
        then="A.crystals -; crystals 8; taken 4; legal end take",
        example=3,
    ),
    Row(
        "DK-3.2",
        "no fifth card",
        given=_TAKING + "; taken 4",
        when="take R1",
        then="refused DK-3.1 TAKE_LIMIT",
        example=3,
    ),
    Row(
        "DK-3.2",
        "no crystal before three cards are taken",
        given=_TAKING,
        when="take L1 / take L1 / take R1 with crystal",
        then="refused DK-3.2 CRYSTAL_TOO_EARLY",
        example=3,
    ),
    Row(
        "DK-4.2",
        "a colour card on the left page",
        given=_BOOK,
        when="book left G>W",
        then="refused DK-4.2 WRONG_KIND",
        example=4,
    ),
    Row("DK-4.1", "a number card left", _BOOK, "book left R|3", "need 3 B", example=4),
    Row(
        "DK-4.1",
        "a second card on the same page",
        given=_BOOK,
        when="book left R|3 / book left S|6",
        then="refused DK-4.1 PAGE_CHANGED",
        example=4,
    ),
    Row(
        "DK-4.1",
        "and one right",
        given=_BOOK,
        when="book left R|3 / book right G>W",
        then="need 3 W; A.hand S|6",
        example=4,
    ),
    Row(
        "DK-5.1",
        "two of three",
        given="need 3 G; A.hand G|1 G|2 G|3 G>R G>B",
        when="play G|1 G|2",
        then="refused DK-5.1 WRONG_COUNT",
        example=5,
    ),
    Row(
        "DK-5.1",
        "four of three",
        given="need 3 G; A.hand G|1 G|2 G|3 G>R G>B",
        when="play G|1 G|2 G|3 G>R",
        then="refused DK-5.1 WRONG_COUNT",
        example=5,
    ),
    Row(
        "DK-5.1",
        "three of three",
        given="need 3 G; A.hand G|1 G|2 G|3 G>R G>B",
        when="play G|1 G|2 G>B",
        then="A.row G|1 G|2 G>B; A.pieces 1; A.eggs 1; A.hand G|3 G>R",
        example=5,
    ),
    Row(
        "DK-5.2",
        "G S S",
        given="need 3 G; A.hand G|1 S|6 S|6 S|6 R|1",
        when="play G|1 S|6 S|6",
        then="A.row G|1 S|6 S|6",
        example=6,
    ),
    Row(
        "DK-5.2",
        "S S S",
        given="need 3 G; A.hand G|1 S|6 S|6 S|6 R|1",
        when="play S|6 S|6 S|6",
        then="refused DK-5.2 ALL_SHADOWS",
        example=6,
    ),
    Row(
        "DK-5.1",
        "G G R",
        given="need 3 G; A.hand G|1 G|2 R|1",
        when="play G|1 G|2 R|1",
        then="refused DK-5.1 WRONG_COLOUR",
        example=6,
    ),
    Row(
        "DK-5.2",
        "one shadow alone",
        given="need 1 G; A.hand S|6",
        when="play S|6",
        then="refused DK-5.2 ALL_SHADOWS",
        example=6,
    ),
    Row(
        "DK-5.3",
        "B B right",
        given="need 2 B; A.hand B|1 B|2; A.row R|1, W|1",
        when="play B|1 B|2 right",
        then="A.stacks R1 W1 B2",
        example=7,
    ),
    Row(
        "DK-5.4",
        "now W is closed",
        given="need 1 W; A.hand W|1 R|2; A.row R|1, W|1, B|1 B|2",
        when="play W|1",
        then="refused DK-5.4 STACK_CLOSED",
        example=7,
    ),
    Row(
        "DK-5.4",
        "and R is open",
        given="need 1 R; A.hand W|1 R|2; A.row R|1, W|1, B|1 B|2",
        when="play R|2",
        then="A.stacks R2 W1 B2",
        example=7,
    ),
    Row(
        "DK-5.3",
        "B B left",
        given="need 2 B; A.hand B|1 B|2; A.row R|1, W|1",
        when="play B|1 B|2 left",
        then="A.stacks B2 R1 W1",
        example=7,
    ),
    Row(
        "DK-5.4",
        "then R is closed",
        given="need 1 R; A.hand R|2; A.row B|1 B|2, R|1, W|1",
        when="play R|2",
        then="refused DK-5.4 STACK_CLOSED",
        example=7,
    ),
    Row(
        "DK-5.3",
        "a new colour without a side",
        given="need 2 B; A.hand B|1 B|2; A.row R|1, W|1",
        when="play B|1 B|2",
        then="refused DK-5.3 SIDE_REQUIRED",
        example=7,
    ),
    Row(
        "DK-6.1",
        "the reward of one card",
        given="need 1 R; A.hand R|1; pieces 4x3 6x5 10x8",
        when="play R|1",
        then="A.pieces 4; A.crystals 1; pieces 4x2 6x5 10x8; crystals 9",
        example=8,
    ),
    Row(
        "DK-6.1",
        "with no crystal left, the piece alone",
        given="need 1 R; A.hand R|1; pieces 4x3 6x5 10x8; crystals -",
        when="play R|1",
        then="A.pieces 4; A.crystals -; crystals -",
        example=8,
    ),
    Row(
        "DK-6.5",
        "followers get what is lowest then",
        given="seats 3; need 1 W; pieces 1x1 4x6; A.hand W|1; B.hand W|2; C.hand R|1",
        when="play W|1 / play W|2",
        then="A.pieces 1; A.crystals 1; B.pieces 4; B.crystals 1; move C; legal pass; public pass",
        example=9,
    ),
    Row(
        "DK-6.5",
        "a follower plays once",
        given="seats 3; need 1 W; pieces 1x1 4x6; A.hand W|1; B.hand W|2 W|3; C.hand R|1",
        when="play W|1 / play W|2 / B: play W|3",
        then="refused DK-11.1 NOT_YOUR_TURN",
        example=9,
    ),
    Row(
        "DK-6",
        "six cards bring the highest piece",
        given=_SIX,
        when="book left S|6 / end book / play W|1 W|1 W>R W>G S|6 S|6",
        then="need 6 W; A.stacks R1 W7; A.pieces 20; event A got piece 20; no_event got a",
        example=10,
    ),
    Row(
        "DK-6.5 DK-4.3",
        "a follower gets another, and the shadow on the book is turned up",
        given=_SIX_BOTH,
        when="book left S|6 / end book / play W|1 W|1 W>R W>G S|6 S|6"
        " / play S|6 W|2 W|2 W>R W>G W>G / take L1",
        then="B.pieces 20; pieces 4x1 20x1; L1 S|6",
        example=10,
    ),
    Row(
        "DK-6.1 DK-6.2 DK-6.3 DK-6.4",
        "crest, piece, ring, pearl, shadow",
        given=_FOURTH,
        when="play G|1 G|2 left",
        then="A.stacks G2 R1 W1 B1; A.completed 1; shadows 10; A.hand S|6;"
        " events A got crest 16 > A got piece 4 > A completed amulet 1"
        " > A got pearl 3 > A got a shadow",
        example=11,
    ),
    Row(
        "DK-6.2",
        "the second crest",
        given=_FOURTH,
        when="play G|1 G|2 left / play G>R G>R right",
        then="B.crest 10; crests 1",
        example=11,
    ),
    Row(
        "DK-7.1",
        "a follower triggers the end, source: B still has a turn",
        given="source; " + _SIX_AMULETS,
        when="play R|1 / play R|2",
        then="event the end was triggered by amulets; match triggered; active B; step take",
        example=12,
    ),
    Row(
        "DK-7.1",
        "in which the start seat may follow",
        given="source; " + _SIX_AMULETS,
        when="play R|1 / play R|2 / take L1 / end take / end book / pass / pass",
        then="event A passed; match over; ending amulets",
        example=12,
    ),
    Row(
        "DK-7.1",
        "a follower triggers the end, published: over",
        given=_SIX_AMULETS,
        when="play R|1 / play R|2",
        then="match over; ending amulets",
        example=12,
    ),
    Row(
        "DK-8.1 DK-8.2",
        "most eggs, tied",
        given=f"step over; {_RICH}; A.eggs 2; B.eggs 2",
        when="",
        then="scores 80 54",
        example=13,
    ),
    Row(
        "DK-8.2",
        "B with one egg",
        given=f"step over; {_RICH}; A.eggs 2; B.eggs 1",
        when="",
        then="scores 80 38",
        example=13,
    ),
    Row("DK-8.2", "no eggs", f"step over; {_RICH}", "", "scores 60 34", example=13),
    Row(
        "DK-8.3 DK-1.7",
        "the source edition scores played cards",
        given="source; step over; A.row R|5 R>W S|6, W>R",
        when="",
        then="scores 9 0",
        example=13,
    ),
    Row(
        "DK-8.4",
        "14 cards beat 13",
        given=_TIED.format(a=_FOURTEEN) + f"; B.row {_FOURTEEN[4:]}",
        when="",
        then="scores 75 75; ranks 1 2",
        example=14,
    ),
    Row(
        "DK-8.4",
        "14 : 14 is shared",
        given=_TIED.format(a=_FOURTEEN) + f"; B.row {_FOURTEEN}",
        when="",
        then="scores 75 75; ranks 1 1",
        example=14,
    ),
    Row(
        "DK-3.4",
        "the deck's last card but one",
        given="step take; L1 B|3; left R|2 W|4",
        when="take L1",
        then="L1 R|2; left W|4; need 4 R",
        example=15,
    ),
    Row(
        "DK-3.4",
        "the last card stays",
        given="step take; L1 B|3; left R|2 W|4",
        when="take L1 / take L1",
        then="L1 -; left W|4; need 4 R",
        example=15,
    ),
    Row(
        "DK-4.3",
        "a card on the last page",
        given="step take; L1 B|3; left R|2 W|4; A.hand G|1",
        when="take L1 / take L1 / end take / book left G|1",
        then="left_deck G|1 W|4; need 1 R; L1 -",
        example=15,
    ),
    Row(
        "DK-3.4",
        "is turned up when the next turn begins",
        given="step take; L1 B|3; left R|2 W|4; A.hand G|1",
        when="take L1 / take L1 / end take / book left G|1 / end book / pass / pass",
        then="active B; L1 G|1; left_deck W|4; need 4 R",
        example=15,
    ),
]


@rows(ROWS)
def test_an_example_of_the_rules_page_holds(row: Row) -> None:
    verify(row)


def test_every_example_of_the_rules_page_is_here() -> None:
    examples = read_rules_page().split("## 9.")[1].split("## 10.")[0]
    numbers = {int(number) for number in re.findall(r"^(\d+)\. ", examples, re.MULTILINE)}
    assert {row.example for row in ROWS} == numbers

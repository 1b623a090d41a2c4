"""DK-5 and DK-6: playing a set, its reward, and following."""

from tests.engine.dragonkeepers.tables import Row, rows, verify

_GREEN = "A.hand G|1 G|2 G|3 G>R G>B S|6"
_PIECES = "pieces 4x3 6x5 20x2"
_FOURTH = "need 1 G; A.hand G|1; A.row R|1, W|1, B|1"

ROWS = [
    Row(
        "DK-5.1",
        "another colour",
        given="need 1 R; " + _GREEN,
        when="play G|1",
        then="refused DK-5.1 WRONG_COLOUR; legal pass",
    ),
    Row(
        "DK-5.1",
        "one set only",
        given="need 1 G; " + _GREEN,
        when="play G|1 / A: play G|2",
        then="refused DK-11.1 NOT_YOUR_TURN",
    ),
    Row(
        "DK-5.1",
        "the order in which the cards are named does not matter",
        given="need 3 G; " + _GREEN,
        when="play G>B G|3 G|1",
        then="event A played G|1 G|3 G>B as G",
    ),
    Row(
        "DK-5.2",
        "shadows stand for the colour",
        given="need 2 R; A.hand R|1 S|6",
        when="play R|1 S|6",
        then="A.row R|1 S|6; event A played R|1 S|6 as R",
    ),
    Row(
        "DK-5.2",
        "but not for all cards",
        given="need 2 R; A.hand R|1 S|6 S|6",
        when="play S|6 S|6",
        then="refused DK-5.2 ALL_SHADOWS; legal play R|1 S|6, pass",
    ),
    Row(
        "DK-5.3",
        "the first stack has no side: one is ignored and not logged",
        given="need 1 R; A.hand R|1",
        when="play R|1 left",
        then="event A played R|1 as R; A.row R|1",
    ),
    Row(
        "DK-5.3",
        "nor has a colour that is in the row",
        given="need 1 R; A.hand R|2; A.row R|1, W|1",
        when="play R|2 right",
        then="event A played R|2 as R; A.row R|1 R|2, W|1",
    ),
    Row(
        "DK-5.3",
        "a new colour at the left end",
        given="need 1 R; A.hand R|2; A.row W|1",
        when="play R|2 left",
        then="event A played R|2 as R at the left end; A.row R|2, W|1",
    ),
    Row(
        "DK-5.3",
        "or at the right end",
        given="need 1 R; A.hand R|2; A.row W|1",
        when="play R|2 right",
        then="event A played R|2 as R at the right end; A.row W|1, R|2",
    ),
    Row(
        "DK-5.3",
        "the side is the player's to name",
        given="need 1 R; A.hand R|2; A.row W|1",
        when="play R|2",
        then="refused DK-5.3 SIDE_REQUIRED; legal play R|2 left, play R|2 right, pass",
    ),
    Row(
        "DK-5.4",
        "the middle one of three stacks is closed",
        given="need 1 W; A.hand W|2; A.row R|1, W|1, B|1",
        when="play W|2",
        then="refused DK-5.4 STACK_CLOSED; legal pass",
    ),
    Row(
        "DK-5.4",
        "the inner two of four stacks are closed",
        given="need 1 B; A.hand B|2; A.row R|1, W|1, B|1, G|1",
        when="play B|2",
        then="refused DK-5.4 STACK_CLOSED",
    ),
    Row(
        "DK-5.4",
        "the outer two of four are open",
        given="need 1 G; A.hand G|2; A.row R|1, W|1, B|1, G|1",
        when="play G|2",
        then="A.stacks R1 W1 B1 G2",
    ),
    Row(
        "DK-5.5",
        "passing is always allowed",
        given="need 1 R; A.hand R|1",
        when="pass",
        then="A.hand R|1; event A passed; move B; step follow",
    ),
    Row(
        "DK-5.6",
        "the player names the very cards",
        given="need 2 G; A.hand G|1 G|1 G|2 G>R S|6",
        when="",
        then="legal play G|1 G|1, play G|1 G|2, play G|1 G>R, play G|1 S|6, play G|2 G>R,"
        " play G|2 S|6, play G>R S|6, pass",
    ),
    Row(
        "DK-5.6",
        "only cards that are in the hand",
        given="need 2 G; A.hand G|1 G|2",
        when="play G|1 G|1",
        then="refused DK-5.6 CARD_NOT_IN_HAND",
    ),
    Row(
        "DK-6",
        "one card: a lowest piece and a crystal",
        given=f"need 1 G; {_GREEN}; {_PIECES}",
        when="play G|1",
        then="A.pieces 4; A.crystals 1; crystals 9; A.eggs -; A.cards 5",
    ),
    Row(
        "DK-6",
        "two: a shadow, to the hand",
        given=f"need 2 G; {_GREEN}; {_PIECES}",
        when="play G|1 G|2",
        then="A.pieces 4; A.hand G|3 G>R G>B S|6 S|6; shadows 10; A.crystals -; A.eggs -",
    ),
    Row(
        "DK-6",
        "three: a golden egg",
        given=f"need 3 G; {_GREEN}; {_PIECES}",
        when="play G|1 G|2 G|3",
        then="A.pieces 4; A.eggs 1; eggs 8; A.crystals -; A.cards 3",
    ),
    Row(
        "DK-6",
        "four: a crystal and an egg",
        given=f"need 4 G; {_GREEN}; {_PIECES}",
        when="play G|1 G|2 G|3 G>R",
        then="A.pieces 4; A.eggs 1; A.crystals 1; A.cards 2",
    ),
    Row(
        "DK-6",
        "five: a shadow and an egg",
        given=f"need 5 G; {_GREEN}; {_PIECES}",
        when="play G|1 G|2 G|3 G>R G>B",
        then="A.pieces 4; A.eggs 1; A.crystals -; A.hand S|6 S|6",
    ),
    Row(
        "DK-6",
        "six: a highest piece, nothing else",
        given=f"need 6 G; {_GREEN}; {_PIECES}",
        when="play G|1 G|2 G|3 G>R G>B S|6",
        then="A.pieces 20; pieces 4x3 6x5 20x1; A.eggs -; A.crystals -; A.hand -",
    ),
    Row(
        "DK-6.1",
        "crest, piece, pearl, bonus",
        given=_FOURTH + "; A.pieces 1 1; pearls 8 3",
        when="play G|1 right",
        then="events A got crest 16 > A got piece 1 > A completed amulet 1 > A got pearl 8"
        " > A got a crystal",
    ),
    Row(
        "DK-6.1",
        "what the supply lacks is lost, the rest is given",
        given="need 4 G; " + _GREEN + "; crystals -; pieces -",
        when="play G|1 G|2 G|3 G>R",
        then="A.pieces -; A.crystals -; A.eggs 1",
    ),
    Row(
        "DK-6.1",
        "no shadow left, no egg left",
        given="need 5 G; " + _GREEN + "; shadows -; eggs -",
        when="play G|1 G|2 G|3 G>R G>B",
        then="A.pieces 1; A.hand S|6; A.eggs -",
    ),
    Row(
        "DK-6.2",
        "the fourth colour brings the highest crest left",
        given=_FOURTH + "; crests 2; B.crest 16",
        when="play G|1 left",
        then="A.crest 10; crests 1; event A got crest 10",
    ),
    Row(
        "DK-6.2",
        "a fourth player finds none",
        given="seats 4; " + _FOURTH + "; crests -",
        when="play G|1 left",
        then="A.crest -; no_event crest",
    ),
    Row(
        "DK-6.2",
        "one per player",
        given="need 1 G; A.hand G|2; A.row G|1, R|1, W|1, B|1; A.crest 16; crests 2",
        when="play G|2",
        then="A.crest 16; crests 2; no_event crest",
    ),
    Row(
        "DK-6.2",
        "a shadow is of no colour",
        given="need 2 B; A.hand B|1 S|6; A.row R|1, W|1 S|6",
        when="play B|1 S|6 right",
        then="A.crest -; A.stacks R1 W2 B2",
    ),
    Row(
        "DK-6.3",
        "two pieces are no ring",
        given="need 1 G; A.hand G|1; A.pieces 4",
        when="play G|1",
        then="A.completed 0; no_event pearl; A.pieces 4 1",
    ),
    Row(
        "DK-6.3",
        "the sixth piece completes the second amulet",
        given="need 1 G; A.hand G|1; A.pieces 1 1 1 1 4; pearls 9 3",
        when="play G|1",
        then="A.completed 2; event A completed amulet 2",
    ),
    Row(
        "DK-6.4 DK-9",
        "the pearl is drawn unseen; its owner alone sees it",
        given="need 1 G; A.hand G|1; A.pieces 1 1; pearls 9 3",
        when="play G|1",
        then="A.pearls 9; pearls 3; A.told A got pearl 9; B.told A got pearl ?; told A got pearl ?;"
        " A.sees A.pearls 9; B.sees A.pearls ?; sees pearls ?",
    ),
    Row(
        "DK-6.4",
        "a supply without pearls gives none",
        given="need 1 G; A.hand G|1; A.pieces 1 1; pearls -",
        when="play G|1",
        then="A.completed 1; A.pearls -; no_event pearl; A.crystals 1",
    ),
    Row(
        "DK-6.5",
        "clockwise, each other player once",
        given="seats 4; active C; move C; need 1 G; D.hand G|1; A.hand G|2; B.hand G|3",
        when="C: pass / D: play G|1 / A: play G|2 / B: play G|3",
        then="active D; step take; A.row G|2; B.row G|3; D.row G|1",
    ),
    Row(
        "DK-6.5",
        "also when the active player passed, for the same reward",
        given="need 3 G; B.hand G|1 G|2 G|3",
        when="pass / play G|1 G|2 G|3",
        then="B.eggs 1; B.pieces 1",
    ),
    Row(
        "DK-6.5",
        "the rules of DK-5 hold",
        given="need 1 G; B.hand G|2; B.row R|1, G|1, W|1",
        when="pass / play G|2",
        then="refused DK-5.4 STACK_CLOSED; public pass",
    ),
    Row(
        "DK-6.5",
        "a follower does not take",
        given="need 1 G; B.crystals 1",
        when="pass / take L1",
        then="refused DK-11.1 WRONG_STEP",
    ),
]


@rows(ROWS)
def test_sets_are_played_and_rewarded_as_the_rules_say(row: Row) -> None:
    verify(row)

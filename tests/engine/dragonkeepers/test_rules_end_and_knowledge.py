"""DK-7 to DK-10: the end, points, who knows what, and seats that are gone."""

from tests.engine.dragonkeepers.tables import Row, rows, verify

_SIX = "A.pieces 1 1 1 1 1 1 1 1 4 4 4 4 4 4; B.pieces 4 4 6 6 6 6; pieces 8x4 10x8"
_EIGHT = (
    "seats 4; A.pieces 1 1 1 1 1 1 1 1; B.pieces 4 4 4 4 4 4 4 4 6; C.pieces 6 6 6 6 8 8;"
    " D.pieces 8 8 10; pieces 10x4 12x4; need 1 R"
)
_PLAY_ONE = "need 1 R; A.hand R|1; B.hand R|2"
_SECRET = (
    "seats 3; step book; A.hand R|1 W>R; A.starters W>R; B.hand W>R G>W; B.starters G>W;"
    " C.hand B>G; C.starters B>G; starters_out R>B; A.pearls 9; B.pearls 3 8; pearls 4 4"
)

ROWS = [
    Row(
        "DK-7.1",
        "the seventh amulet of two players triggers, published: after the follow step it is over",
        given=f"start B; {_PLAY_ONE}; {_SIX}",
        when="play R|1",
        then="match triggered; move B; step follow; event the end was triggered by amulets",
    ),
    Row(
        "DK-7.1",
        "followers still play",
        given=f"start B; {_PLAY_ONE}; {_SIX}",
        when="play R|1 / play R|2",
        then="match over; B.pieces 4 4 6 6 6 6 8",
    ),
    Row(
        "DK-7.1",
        "published: the turn ends it",
        given=f"start A; {_PLAY_ONE}; {_SIX}",
        when="play R|1 / pass",
        then="match over; ending amulets; no_event round",
    ),
    Row(
        "DK-7.1",
        "source: the round is finished",
        given=f"source; start A; {_PLAY_ONE}; {_SIX}",
        when="play R|1 / pass",
        then="match triggered; active B; step take",
    ),
    Row(
        "DK-7.1",
        "source: a trigger in the last seat's turn ends it after the follow step",
        given=f"source; start B; {_PLAY_ONE}; {_SIX}",
        when="play R|1 / pass",
        then="match over; ending amulets; event round 1 ended, 0 in a row without a set",
    ),
    Row(
        "DK-7.1",
        "loose pieces of several players are no ring",
        given="need 1 R; A.hand R|1; A.pieces 1 1 1 1 1 1 1; B.pieces 4 4 4 4 4 4 4 4 6 6 6 6 8",
        when="play R|1 / pass",
        then="match running; A.completed 2",
    ),
    Row(
        "DK-7.1",
        "four players need nine",
        given=_EIGHT + "; A.hand R|1",
        when="play R|1",
        then="match triggered; A.completed 3",
    ),
    Row(
        "DK-7.1",
        "eight are not enough for four",
        given=_EIGHT.replace("1 1 1 1 1 1 1 1;", "1 1 1 1 1;") + "; A.hand R|1",
        when="play R|1",
        then="match running; A.completed 2",
    ),
    Row(
        "DK-7.1",
        "three players need eight",
        given="seats 3; need 1 R; A.hand R|1; A.pieces 1 1 1 1 1 1 1 1;"
        " B.pieces 4 4 4 4 4 4 4 4 6; C.pieces 6 6 6 6; pieces 8x4",
        when="play R|1",
        then="match running; A.completed 3",
    ),
    Row(
        "DK-7.1",
        "and eight end it",
        given="seats 3; need 1 R; A.hand R|1; A.pieces 1 1 1 1 1 1 1 1;"
        " B.pieces 4 4 4 4 4 4 4 4 6; C.pieces 6 6 6 6 8 8; pieces 8x4",
        when="play R|1",
        then="match triggered",
    ),
    Row(
        "DK-7.2",
        "twelve quiet rounds end the game",
        given="start B; quiet_rounds 11; round 30; need 1 R",
        when="pass / pass",
        then="match over; ending stall; event round 30 ended, 12 in a row without a set",
    ),
    Row(
        "DK-7.2",
        "only when the round ends",
        given="start A; quiet_rounds 11; round 30",
        when="pass / pass",
        then="match running; active B; round 30",
    ),
    Row(
        "DK-7.2",
        "a set in the round starts the count again",
        given="start B; quiet_rounds 11; round 30; set_played",
        when="pass / pass",
        then="match running; quiet_rounds -; round 31",
    ),
    Row(
        "DK-7.2",
        "so does a follower's",
        given="start B; quiet_rounds 11; round 30; need 1 R; B.hand R|1",
        when="pass / play R|1",
        then="match running; quiet_rounds -; round 31",
    ),
    Row(
        "DK-7.2",
        "sixty rounds at most, in both editions",
        given="source; start B; round 60; set_played",
        when="pass / pass",
        then="match over; ending round_limit",
    ),
    Row(
        "DK-7.2",
        "the sixtieth is played",
        given="start B; round 59; set_played",
        when="pass / pass",
        then="match running; round 60",
    ),
    Row(
        "DK-8.1",
        "pieces of incomplete rings, pearls, crest and eggs",
        given="step over; A.pieces 1 4 10 20; A.pearls 3 9; A.crest 6; B.eggs 3; B.pieces 1",
        when="",
        then="scores 53 25; ranks 1 2",
    ),
    Row(
        "DK-8.2",
        "every tied player flips one egg",
        given="seats 3; step over; A.eggs 2; B.eggs 2; C.eggs 1",
        when="",
        then="scores 20 20 4; ranks 1 1 3",
    ),
    Row("DK-8.2", "nobody with no egg", "step over", "", "scores 0 0"),
    Row(
        "DK-8.3",
        "published: played cards score nothing",
        given="step over; A.row R|5 R>W S|6, W>R; A.crystals 3; A.hand R|5",
        when="",
        then="scores 0 0; ranks 1 2",
    ),
    Row(
        "DK-8.3",
        "source: their values; crystals and hand nothing",
        given="source; step over; A.row R|5 R>W S|6, W>R; A.crystals 3; A.hand R|5",
        when="",
        then="scores 9 0",
    ),
    Row(
        "DK-8.4",
        "shadows count as cards in the row",
        given="step over; A.row R|5 S|6; B.row W|1",
        when="",
        then="scores 0 0; ranks 1 2",
    ),
    Row(
        "DK-8.4 DK-8.1",
        "points come before cards",
        given="step over; A.row R|5 R|5; B.pieces 1",
        when="",
        then="ranks 2 1",
    ),
    Row("DK-8.4", "a shared victory", "seats 3; step over; C.pieces 1", "", "ranks 2 2 1"),
    Row(
        "DK-9",
        "each hand: what everybody saw taken, and how many others",
        given=_SECRET,
        when="",
        then="B.sees A.known R|1; B.sees A.starters ?; B.sees B.known W>R; B.sees B.starters G>W;"
        " B.sees unseen_starters R>B W>R B>G; sees unseen_starters R>B W>R B>G G>W",
    ),
    Row(
        "DK-9",
        "pearls: their owner sees values",
        given=_SECRET,
        when="",
        then="A.sees A.pearls 9; A.sees B.pearls ? ?; B.sees B.pearls 3 8; B.sees pearls ? ?",
    ),
    Row(
        "DK-9",
        "the decks: the page, and what can be counted",
        given="step take; left R|3 B|2 W|4; left.booked G|1; right G>B W>G",
        when="",
        then="sees left 3 (R|3 W|4 B|2); sees left.booked G|1; sees right B (W>G G>B)",
    ),
    Row(
        "DK-9",
        "a card taken is known to everybody",
        given="step take; L1 R|2",
        when="take L1",
        then="told A took R|2 from L1; B.sees A.known R|2",
    ),
    Row(
        "DK-9",
        "starters are dealt to their owner alone",
        given="deal published; start A",
        when="",
        then="told B got starters ?; A.told B got starters ?; B.told B got starters B>G",
    ),
    Row(
        "DK-9",
        "after the end everything is revealed",
        given="start B; quiet_rounds 11; B.hand G>W; B.starters G>W; starters_out R>B; A.pearls 9;"
        " pearls 3 8; left R|1 R|2; right R>W R>B",
        when="pass / pass",
        then="told nobody had seen: left R|1 R|2, right R>W R>B, starters out R>B, pearls 3 8;"
        " told B had starters G>W, pearls -; told A had starters -, pearls 9;"
        " sees B.starters G>W; sees left.order R|1 R|2; sees pearls 3 8; sees starters_out R>B",
    ),
    Row(
        "DK-9 DK-6.5",
        "that a follower can only pass is public if its row says so",
        given="need 1 G; B.hand G>W; B.starters G>W; B.row R|1, G|1, W|1",
        when="pass",
        then="public pass",
    ),
    Row(
        "DK-9 DK-6.5",
        "or the number of its cards",
        given="need 2 G; B.hand G>W; B.starters G>W",
        when="pass",
        then="public pass",
    ),
    Row(
        "DK-9 DK-6.5",
        "not if a starter might fit, though none does",
        given="need 1 G; B.hand R>B; B.starters R>B; starters_out G>W",
        when="pass",
        then="public -; legal pass",
    ),
    Row(
        "DK-9 DK-6.5",
        "but if no unshown starter is of the colour",
        given="need 1 G; B.hand R>B; B.starters R>B; starters_out W>G",
        when="pass",
        then="public pass",
    ),
    Row(
        "DK-9 DK-6.5",
        "nor if the shadows that everybody saw do not make up the number",
        given="need 4 G; B.hand R>B R|1 S|6 S|6; B.starters R>B; starters_out G>W G>B",
        when="pass",
        then="public pass",
    ),
    Row(
        "DK-10.1",
        "out of time in TAKE: the larger deck's first slot",
        given="source; step take; left R|1 R|1; right W>R W>R W>R",
        when="default",
        then="event A took R>W from R1; legal take L1, take L2, take R1, take R2, end take",
    ),
    Row(
        "DK-10.1",
        "the left one if they are equal",
        given="step take; left R|1 R|1; right W>R W>R",
        when="default",
        then="event A took R|2 from L1",
    ),
    Row(
        "DK-10.1",
        "the first filled slot",
        given="source; step take; L1 -; left R|1; right W>R",
        when="default",
        then="event A took R|2 from L2",
    ),
    Row(
        "DK-10.1",
        "the other side if that side is empty",
        given="step take; L1 -; left R|1; right W>R",
        when="default",
        then="event A took R>W from R1",
    ),
    Row(
        "DK-10.1",
        "then TAKE ends, and every other decision passes or ends its step",
        given="step take; A.hand R|1; B.hand R|1",
        when="default / default / default / default / default",
        then="active B; step take; A.cards 2; event A passed; event B passed",
    ),
    Row(
        "DK-10.1",
        "with no card to take TAKE ends",
        given="step take; L1 -; R1 -; left R|1; right W>R",
        when="default",
        then="event A took no more",
    ),
]


@rows(ROWS)
def test_ends_points_and_knowledge_are_as_the_rules_say(row: Row) -> None:
    verify(row)

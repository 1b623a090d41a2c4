"""DK-1, DK-2 and DK-11: what there is, how it is laid out, and whose move it is."""

from tests.engine.dragonkeepers.tables import Row, rows, verify

ROWS = [
    Row(
        "DK-1.1",
        "123 cards, two seats",
        given="deal source; start A",
        when="",
        then="cards 123; deck_sizes 50 50; shadows 11",
    ),
    Row(
        "DK-1.1",
        "123 cards, four seats",
        given="deal published; seats 4; start A",
        when="",
        then="cards 123; deck_sizes 51 51; shadows 11",
    ),
    Row(
        "DK-1.4",
        "a played card counts first as the copy that everybody saw taken",
        given="need 1 R; A.hand R>B R>B; A.starters R>B; starters_out W>R",
        when="play R>B",
        then="A.hand R>B; A.starters R>B; sees A.starters ?; sees unseen_starters R>B W>R",
    ),
    Row(
        "DK-1.4",
        "then as the starter",
        given="need 1 R; A.hand R>B; A.starters R>B; starters_out W>R",
        when="play R>B",
        then="A.hand -; A.starters -; sees unseen_starters W>R",
    ),
    Row(
        "DK-1.4",
        "a card on the book counts in the same way",
        given="step book; A.hand R>B R>B; A.starters R>B",
        when="book right R>B",
        then="A.hand R>B; A.starters R>B",
    ),
    Row(
        "DK-1.4",
        "two copies that leave together are both of them",
        given="need 2 R; A.hand R>B R>B; A.starters R>B",
        when="play R>B R>B",
        then="A.hand S|6; A.starters -",
    ),
    Row(
        "DK-1.5 DK-2.5",
        "45 pieces, 16 of them removed for two",
        given="deal published; start A",
        when="",
        then="piece_count 29",
    ),
    Row(
        "DK-1.5 DK-2.5",
        "8 removed for four",
        given="deal published; seats 4; start A",
        when="",
        then="piece_count 37",
    ),
    Row(
        "DK-1.6 DK-2.6",
        "the supply",
        given="deal source; start A",
        when="",
        then="crystals 10; eggs 9; crests 3; pearl_count 15; shadows 11",
    ),
    Row(
        "DK-1.7 DK-1.2",
        "a number card is worth its number",
        given="source; step over; A.row R|1 R|2 R|3 R|4 R|5",
        when="",
        then="scores 15 0",
    ),
    Row(
        "DK-1.7 DK-1.3",
        "a colour card is worth 2, a shadow nothing",
        given="source; step over; A.row R>W R>B R>G S|6",
        when="",
        then="scores 6 0",
    ),
    Row(
        "DK-2.1",
        "the start seat is an option",
        given="deal published; seats 3; start C",
        when="",
        then="start C; active C; move C; round 1",
    ),
    Row(
        "DK-2.1",
        "turns go clockwise from there, rounds begin there",
        given="deal published; seats 3; start C",
        when="take L1 / end take / end book / pass / A: pass / B: pass",
        then="active A; round 1",
    ),
    Row(
        "DK-2.2",
        "0, 1, 2, 3 starters in turn order",
        given="deal published; seats 4; start C",
        when="",
        then="starter_counts 2 3 0 1; out_count 2",
    ),
    Row(
        "DK-2.3",
        "the decks are shuffled apart: number cards left, colour cards right",
        given="deal published; start A",
        when="",
        then="event published edition, 2 seats, A starts: offer B|2 R>B, the pages show 3 B,"
        " pieces 1x5 4x7 6x3 8x2 10x7 12x2 16x1 20x2",
    ),
    Row(
        "DK-2.4",
        "the source edition has four slots",
        given="deal source; start A",
        when="",
        then="legal take L1, take L2, take R1, take R2",
    ),
    Row(
        "DK-2.4",
        "the published one has two",
        given="deal published; start A",
        when="",
        then="legal take L1, take R1",
    ),
    Row(
        "DK-2.4",
        "and no others",
        given="deal published; start A",
        when="take L2",
        then="refused DK-2.4 NO_SUCH_SLOT",
    ),
    Row(
        "DK-11.1",
        "only the seat to decide",
        given="step take",
        when="B: take L1",
        then="refused DK-11.1 NOT_YOUR_TURN; legal take L1, take R1",
    ),
    Row(
        "DK-11.1",
        "only moves of its step: a set in TAKE",
        given="step take; need 1 R; A.hand R|1",
        when="play R|1",
        then="refused DK-11.1 WRONG_STEP",
    ),
    Row(
        "DK-11.1",
        "only moves of its step: a take in PLAY",
        given="step play",
        when="take L1",
        then="refused DK-11.1 WRONG_STEP",
    ),
    Row(
        "DK-11.1",
        "only while the match runs",
        given="step over; ending amulets",
        when="A: pass",
        then="refused DK-11.1 MATCH_OVER; legal -",
    ),
]


@rows(ROWS)
def test_the_set_up_is_as_the_rules_say(row: Row) -> None:
    verify(row)

"""DH-1, DH-2 and DH-7: the deck, the deal, and who knows what."""

from tests.engine.dragonheart.tables import Row, rows, verify

_SENT_BACK = "dragon B; B.hand H2 +5; pick H2; petrified_dragon P2; A.hand S1 +4; A.deck T1 T2 +18"

ROWS = [
    Row(
        "DH-1.1",
        "each player has the same 50 cards, worth 81 points",
        given="deal",
        when="",
        then="A.cards 50 worth 81; B.cards 50 worth 81",
    ),
    Row(
        "DH-2.1",
        "each player draws 5 cards from an own deck, hidden",
        given="deal",
        when="",
        then="A.hand 5; A.deck 45; B.hand 5; B.deck 45; A.sees B.hand 5; B.sees A.hand 5",
    ),
    Row(
        "DH-2.2",
        "the board is empty and the Great Dragon unowned",
        given="deal",
        when="",
        then="dwarf -; huntress -; fire_dragon -; treasure -; troll -; knight -;"
        "petrified_dragon -; sorceress -; ship -; under_ship -; dragon -; sailings 0",
    ),
    Row("DH-2.3", "seat A may start by option", given="deal start A", when="", then="move A"),
    Row("DH-2.3", "seat B may start by option", given="deal start B", when="", then="move B"),
    Row(
        "DH-7",
        "a hand is known to its seat, its count to all",
        given="A.hand D1 D2 F2 T1 V; B.hand H1 H1 P2 C3 V",
        when="",
        then="A.sees A.hand D1 D2 F2 T1 V; A.sees B.hand 5; B.sees A.hand 5;"
        "B.sees B.hand H1 H1 C3 P2 V; sees A.hand 5; sees B.hand 5",
    ),
    Row(
        "DH-7",
        "what a seat draws is known to it alone",
        given="A.hand C1 C2 +3; A.deck T1 T2 +18",
        when="C1 C2",
        then="A.told A drew T1 T2, 18 left; B.told A drew ? ?, 18 left; told A drew ? ?, 18 left",
    ),
    Row(
        "DH-7",
        "cards played and taken are public",
        given="treasure C3 C1; A.hand F2 +4",
        when="F2",
        then="B.told A played F2; told A took C3 C1 from treasure; sees A.pile C1 C3;"
        "sees A.points 4; sees fire_dragon F2",
    ),
    Row(
        "DH-7",
        "the order of covered cards is public",
        given="troll T3 T1 T2; under_ship K1 H2 H1 H1",
        when="",
        then="sees troll T3 T1 T2; sees under_ship K1 H2 H1 H1",
    ),
    Row(
        "DH-7 DH-5.3",
        "the card sent back is known to the loser; the others know that it happened",
        given=_SENT_BACK,
        when="S1",
        then="B.told B lost H2 to the top of its deck; A.told B lost ? to the top of its deck;"
        "told B lost ? to the top of its deck",
    ),
    Row(
        "DH-7 DH-5.3",
        "the loser knows the top card of its deck until drawing it",
        given=_SENT_BACK,
        when="S1",
        then="B.sees B.knows_top H2; A.sees B.knows_top ?; sees B.knows_top ?",
    ),
    Row(
        "DH-7 DH-5.3",
        "once drawn, the next top card is hidden again",
        given=_SENT_BACK,
        when="S1 / D1",
        then="B.knows_top -; B.hand D1 D1 D1 D1 H2",
    ),
]


@rows(ROWS)
def test_deal_and_knowledge(row: Row) -> None:
    verify(row)

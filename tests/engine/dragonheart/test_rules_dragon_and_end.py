"""DH-5 and DH-6: the Great Dragon, the end and the score."""

from tests.engine.dragonheart.tables import Row, rows, verify

ROWS = [
    Row(
        "DH-5.1",
        "whoever takes a petrified dragon owns the Great Dragon",
        given="petrified_dragon P2; A.hand S1 +4",
        when="S1",
        then="dragon A; A.points 5; event A took the Great Dragon",
    ),
    Row(
        "DH-5.1",
        "taking chests does not move the Great Dragon",
        given="dragon B; B.hand +6; treasure C1; A.hand S1 +4",
        when="S1",
        then="dragon B; B.hand 6; A.hand 5",
    ),
    Row(
        "DH-5.2",
        "its owner draws up to six in that same turn",
        given="petrified_dragon P2; A.hand S1 +4; A.deck T1 T2 +18",
        when="S1",
        then="A.hand D1 D1 D1 D1 T1 T2; A.deck 18",
    ),
    Row(
        "DH-5.3",
        "a random card of the loser goes on top of the loser's own deck",
        given="dragon B; B.hand H2 +5; pick H2; petrified_dragon P2; A.hand S1 +4",
        when="S1",
        then="dragon A; B.hand D1 D1 D1 D1 D1; B.deck 21; B.top H2; sent_back 1;"
        "event B lost H2 to the top of its deck",
    ),
    Row(
        "DH-5.3",
        "the loser draws that card next",
        given="dragon B; B.hand H2 +5; pick H2; petrified_dragon P2; A.hand S1 +4",
        when="S1 / D1",
        then="B.hand D1 D1 D1 D1 H2; B.deck 20",
    ),
    Row(
        "DH-5.3",
        "no card goes from a hand of five: no event, no random number",
        given="dragon B; B.hand +5; triggers deck; petrified_dragon P2; A.hand S1 +4",
        when="S1",
        then="dragon A; B.hand 5; B.deck 20; sent_back -; no_event lost",
    ),
    Row(
        "DH-5.4",
        "taking petrified dragons as the owner changes nothing else",
        given="dragon A; A.hand S1 +5; petrified_dragon P2 P2",
        when="S1",
        then="A.pile +4; dragon A; A.hand 6; A.points 7; no_event Great; no_event lost",
    ),
    Row(
        "DH-6.1",
        "the third sailing begins the opponent's final turn",
        given="sailings 2; ship V V; A.hand V +4",
        when="V",
        then="match final turn; triggers ships; move B; sailings 3;"
        "event B had the final turn, because of ships",
    ),
    Row(
        "DH-6.1",
        "the second sailing does not",
        given="sailings 1; ship V V; A.hand V +4",
        when="V",
        then="match running; triggers -; sailings 2",
    ),
    Row(
        "DH-6.2",
        "an empty deck begins it, even if the hand could be filled exactly",
        given="A.deck T1; A.hand +5",
        when="D1",
        then="match final turn; triggers deck; A.hand 5; A.deck 0",
    ),
    Row(
        "DH-6.2",
        "one card left does not",
        given="A.deck T1 T2; A.hand +5",
        when="D1",
        then="match running; A.deck 1",
    ),
    Row(
        "DH-6.3",
        "the opponent has exactly one more turn",
        given="A.deck T1; A.hand +5",
        when="D1 / D1",
        then="match over; move B",
    ),
    Row(
        "DH-6.3",
        "triggers in the final turn change nothing",
        given="triggers ships; sailings 3; ship V V; A.deck T1; A.hand V +4",
        when="V",
        then="match over; triggers ships; sailings 4; no_event final turn",
    ),
    Row(
        "DH-6.3",
        "both triggers in one turn give one final turn",
        given="sailings 2; ship V V; A.deck T1; A.hand V +4",
        when="V",
        then="match final turn; triggers ships deck",
    ),
    Row(
        "DH-6.3",
        "a card sent back to an empty deck cancels nothing",
        given="dragon B; triggers deck; B.hand +6; B.deck -; petrified_dragon P2; A.hand S1 +4",
        when="S1",
        then="match over; B.deck 1; B.hand 5",
    ),
    Row(
        "DH-6.4",
        "own pile plus 3 for the Great Dragon; nothing else counts",
        given="triggers ships; dragon A; A.pile D3 P2; B.pile C4 C4; under_ship K2 K2;"
        "A.hand C1 +5; B.hand C4 +4; treasure C4",
        when="C1",
        then="match over; A.points 8; B.points 8;"
        "event the match ended 8:8, the Great Dragon with A",
    ),
    Row(
        "DH-6.5",
        "the owner of the Great Dragon wins a tie",
        given="triggers ships; dragon B; A.pile D3 C4; B.pile C4; B.hand +6",
        when="D1",
        then="match over; A.points 7; B.points 7; wins B",
    ),
    Row(
        "DH-6.5",
        "a tie with the figure unowned is a draw",
        given="triggers ships; A.pile D3; B.pile T3",
        when="D1",
        then="match over; wins A B",
    ),
    Row(
        "DH-6.5",
        "one point more beats the Great Dragon",
        given="triggers ships; dragon B; A.pile C4 C4; B.pile C4; B.hand +6",
        when="D1",
        then="match over; wins A",
    ),
]


@rows(ROWS)
def test_dragon_and_end(row: Row) -> None:
    verify(row)

"""DH-3: what each space does."""

from tests.engine.dragonheart.tables import Row, rows, verify

ROWS = [
    Row(
        "DH-3.1",
        "the fourth dwarf takes all four dwarves",
        given="dwarf D1 D2 D3; A.hand D2 +4",
        when="D2",
        then="A.pile +8; dwarf -; B.pile +0; event A took D1 D2 D3 D2 from dwarf",
    ),
    Row(
        "DH-3.1",
        "four dwarves at once take themselves",
        given="A.hand D1 D1 D2 D3 V",
        when="D3 D1 D2 D1",
        then="A.pile +7; dwarf -",
    ),
    Row(
        "DH-3.1",
        "the third dwarf takes nothing",
        given="dwarf D1; A.hand D2 D3 T1 V V",
        when="D2 D3",
        then="A.pile +0; dwarf D1 D2 D3; no_event took",
    ),
    Row(
        "DH-3.2",
        "the third huntress takes all fire dragons and the three go under the ship",
        given="huntress H1 H2; fire_dragon F4 F2; A.hand H1 +4; under_ship K2",
        when="H1",
        then="A.pile +6; huntress -; fire_dragon -; under_ship K2 H1 H2 H1;"
        "event H1 H2 H1 moved under the ship",
    ),
    Row(
        "DH-3.2",
        "the second huntress takes nothing",
        given="huntress H1; fire_dragon F4; A.hand H1 +4",
        when="H1",
        then="A.pile +0; huntress H1 H1; fire_dragon F4; under_ship -",
    ),
    Row(
        "DH-3.3",
        "each play of fire dragons takes all treasure chests; the dragons stay",
        given="fire_dragon F3; treasure C4 C1 C1; A.hand F2 +4",
        when="F2",
        then="A.pile +6; treasure -; fire_dragon F3 F2; event A took C4 C1 C1 from treasure",
    ),
    Row(
        "DH-3.4",
        "treasure chests only lie there",
        given="treasure C1; A.hand C2 C3 C4 V T1; petrified_dragon P2; fire_dragon F4",
        when="C2 C3 C4",
        then="A.pile +0; treasure C1 C2 C3 C4; petrified_dragon P2; fire_dragon F4",
    ),
    Row(
        "DH-3.5",
        "each play of trolls takes all sorceresses; the trolls stay",
        given="troll T2; sorceress S1 S2; A.hand T1 T3 +3",
        when="T1 T3",
        then="A.pile +3; sorceress -; troll T2 T1 T3",
    ),
    Row(
        "DH-3.6",
        "the second knight takes all sorceresses or all trolls: here the trolls",
        given="knight K1; sorceress S2; troll T1 T3; A.hand K1 +4",
        when="K1 > troll",
        then="A.pile +4; sorceress S2; troll -; knight -; under_ship K1 K1",
    ),
    Row(
        "DH-3.6",
        "the second knight takes all sorceresses or all trolls: here the sorceresses",
        given="knight K1; sorceress S2; troll T1 T3; A.hand K1 +4",
        when="K1 > sorceress",
        then="A.pile +2; sorceress -; troll T1 T3; knight -; under_ship K1 K1",
    ),
    Row(
        "DH-3.6",
        "the first knight takes nothing and needs no target",
        given="sorceress S2; troll T1; A.hand K1 +4",
        when="K1",
        then="A.pile +0; knight K1; under_ship -",
    ),
    Row(
        "DH-3.7",
        "petrified dragons only lie there",
        given="petrified_dragon P2; A.hand P2 P2 V V V; treasure C1",
        when="P2 P2",
        then="A.pile +0; petrified_dragon P2 P2 P2; treasure C1; dragon -",
    ),
    Row(
        "DH-3.8",
        "each play of sorceresses takes all petrified dragons or all chests: here the chests",
        given="petrified_dragon P2 P2; treasure C3 C1; A.hand S2 +4",
        when="S2 > treasure",
        then="A.pile +4; petrified_dragon P2 P2; treasure -; sorceress S2; dragon -",
    ),
    Row(
        "DH-3.8",
        "each play of sorceresses takes all petrified dragons or all chests: here the dragons",
        given="sorceress S1; petrified_dragon P2 P2; treasure C3 C1; A.hand S2 +4",
        when="S2 > petrified_dragon",
        then="A.pile +4; petrified_dragon -; treasure C3 C1; sorceress S1 S2",
    ),
    Row(
        "DH-3.9",
        "the third ship takes every huntress and knight under the ship; the ships leave the game",
        given="ship V V; under_ship K1 K2 H1 H2 H2; A.hand V +4",
        when="V",
        then="A.pile +8; ship -; under_ship -; sailings 1; event the ships sailed, 1 times so far;"
        "event A took K1 K2 H1 H2 H2 from under_ship",
    ),
    Row(
        "DH-3.9",
        "nobody scores ships",
        given="A.hand V V V D1 D1",
        when="V V V",
        then="A.pile +0; ship -; sailings 1",
    ),
    Row(
        "DH-3.10",
        "only sailing empties the space under the ship",
        given="under_ship H1 H1 H1; knight K1; troll T3; ship V; A.hand K1 V +3",
        when="K1 / D1 / V",
        then="under_ship H1 H1 H1 K1 K1; sailings 0; ship V V; A.pile +3",
    ),
]


@rows(ROWS)
def test_board(row: Row) -> None:
    verify(row)

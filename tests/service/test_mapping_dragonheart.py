"""Dragonheart between protos and engine: nothing is forgotten, and wrong fields are named."""

from typing import Any, get_args

import pytest

from dragonhall.bots.dragonheart.reading import read_move, read_view
from dragonhall.v1 import dragonheart_pb2 as pb
from dragonhall.v1 import game_pb2
from dragonhall_engine import dragonheart
from dragonhall_engine.dragonheart import CardType, Fact, Move, Trigger
from dragonhall_engine.dragonheart.cards import DECK
from dragonhall_engine.dragonheart.facts import (
    CardsDrawn,
    CardSentBack,
    CardsMovedUnderShip,
    CardsPlayed,
    CardsTaken,
    DragonTaken,
    FinalTurnBegan,
    MatchScored,
    ShipsSailed,
    StartSeatChosen,
)
from dragonhall_engine.registry import GAMES
from dragonhall_service.api.mapping.dragonheart import (
    fact_to_proto,
    move_from_proto,
    move_to_proto,
    setup_from_proto,
    setup_to_proto,
)
from dragonhall_service.api.mapping.enums import EnumMap
from dragonhall_service.api.mapping.games import MAPPINGS, move_input, view_to_proto
from dragonhall_service.usecases.refusals import FieldInvalid
from tests.budget import cases
from tests.engine.dragonheart.matches import READERS, turns

TYPES = [number for number in pb.DragonheartCardType.values() if number]
SHIP, DWARF = pb.DRAGONHEART_CARD_TYPE_SHIP, pb.DRAGONHEART_CARD_TYPE_DWARF
UNKNOWN = 99
CARDS = dragonheart.parse_move("D1 D3").cards

WHOLE: list[Fact] = [
    StartSeatChosen(1),
    CardsDrawn(1, CARDS, 2, 43),
    CardsPlayed(1, CARDS, CardType.TROLL),
    CardsTaken(1, CardType.SHIP, CARDS),
    CardsMovedUnderShip(CARDS),
    ShipsSailed(3),
    DragonTaken(1, 0),
    CardSentBack(1, CARDS[0]),
    FinalTurnBegan(1, (Trigger.SHIPS, Trigger.DECK)),
    MatchScored((20, 30), 1),
]
"""One of each kind, with no field at its default: a field that is forgotten shows as unset."""


def typed(*cards: pb.DragonheartCard, target: int | None = None) -> game_pb2.Move:
    move = pb.DragonheartMove(cards=cards, target=target)  # type: ignore[arg-type]
    return game_pb2.Move(dragonheart=move)


def card(type_: int, value: int) -> pb.DragonheartCard:
    return pb.DragonheartCard(type=type_, value=value)  # type: ignore[arg-type]


def told(fact: Fact) -> Any:
    """Return the one message that a fact's oneof holds."""
    proto = fact_to_proto(fact).dragonheart
    return getattr(proto, proto.WhichOneof("fact") or "")


# ---- both ways ----------------------------------------------------------------------------------


def test_every_game_has_a_mapping_and_a_member_in_every_sum() -> None:
    assert set(MAPPINGS) == set(GAMES)
    for message in (game_pb2.GameSetup, game_pb2.Move, game_pb2.Fact, game_pb2.View):
        assert {field.name for field in message.DESCRIPTOR.oneofs_by_name["game"].fields} == set(
            GAMES
        )


def test_every_edition_maps_both_ways() -> None:
    protos = [setup_to_proto(edition, 2) for edition in dragonheart.EDITIONS]
    assert [setup_from_proto(p, "s") for p in protos] == [(e, 2) for e in dragonheart.EDITIONS]
    numbers = {p.dragonheart.edition for p in protos}
    assert numbers == {n for n in pb.DragonheartEdition.values() if n}


@pytest.mark.parametrize("number", TYPES)
def test_every_card_type_maps_both_ways(number: int) -> None:
    proto = typed(card(number, int(number != SHIP)), target=number)
    move = move_from_proto(proto, "move")
    assert move_to_proto(move) == proto
    name = pb.DragonheartCardType.Name(number)  # type: ignore[arg-type]
    assert move.target is not None
    assert name == f"DRAGONHEART_CARD_TYPE_{move.target.name}"


def test_every_card_of_the_deck_maps_both_ways() -> None:
    for code in set(DECK):
        assert move_from_proto(move_to_proto(Move((code,))), "move") == Move((code,))


def test_a_table_that_forgets_a_value_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="disagree"):
        EnumMap({"D": DWARF}, pb.DragonheartCardType.DESCRIPTOR)


# ---- facts and views ----------------------------------------------------------------------------


def test_facts_and_protos_name_the_same_kinds() -> None:
    assert {type(fact) for fact in WHOLE} == set(get_args(Fact))
    kinds = [fact_to_proto(fact).dragonheart.WhichOneof("fact") for fact in WHOLE]
    members = pb.DragonheartFact.DESCRIPTOR.oneofs_by_name["fact"].fields
    assert sorted(map(str, kinds)) == sorted(field.name for field in members)


@pytest.mark.parametrize("fact", WHOLE, ids=lambda fact: type(fact).__name__)
def test_no_field_of_a_fact_is_forgotten(fact: Fact) -> None:
    message = told(fact)
    filled = {field.name for field, _ in message.ListFields()}
    assert filled == set(message.DESCRIPTOR.fields_by_name)


def test_what_a_reader_may_not_know_is_absent() -> None:
    drawn, sent = (dragonheart.project(WHOLE[n], None) for n in (1, 7))
    assert (list(told(drawn).cards), told(drawn).count) == ([], 2)
    assert not told(sent).HasField("card")
    assert not told(DragonTaken(0, None)).HasField("previous_owner")
    assert not told(MatchScored((1, 2), None)).HasField("dragon_owner")


def test_seat_zero_is_told_from_nobody() -> None:
    assert told(DragonTaken(1, 0)).HasField("previous_owner")
    assert told(MatchScored((1, 2), 0)).HasField("dragon_owner")


def test_random_matches_map_whole_for_every_reader() -> None:
    for number in range(cases(ci=5, sweep=200)):
        for turn in turns(number):
            played = move_to_proto(turn.move)
            assert read_move(played.dragonheart) == move_from_proto(played, "move")
            for reader in READERS:
                view = dragonheart.view(turn.after, reader)
                proto = view_to_proto(dragonheart, view).dragonheart
                assert read_view(proto, reader) == view


# ---- wrong fields -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "move"),
    [
        ("move", game_pb2.Move()),
        ("move.notation", game_pb2.Move(notation="D" * 201)),
        ("move.dragonheart.cards", typed()),
        ("move.dragonheart.cards", typed(*[card(DWARF, 1)] * 11)),
        ("move.dragonheart.cards[0].type", typed(card(0, 1))),
        ("move.dragonheart.cards[1].type", typed(card(DWARF, 1), card(UNKNOWN, 1))),
        ("move.dragonheart.cards[2].value", typed(*[card(DWARF, 1)] * 2, card(DWARF, 0))),
        ("move.dragonheart.cards[0].value", typed(card(DWARF, 5))),
        ("move.dragonheart.cards[0].value", typed(card(DWARF, 2**32 - 1))),
        ("move.dragonheart.cards[0].value", typed(card(SHIP, 1))),
        ("move.dragonheart.target", typed(card(DWARF, 1), target=0)),
        ("move.dragonheart.target", typed(card(DWARF, 1), target=UNKNOWN)),
    ],
)
def test_a_wrong_move_names_its_field(path: str, move: game_pb2.Move) -> None:
    with pytest.raises(FieldInvalid) as refused:
        move_input(move, "move")
    assert refused.value.field == path


@pytest.mark.parametrize("edition", [0, UNKNOWN])
def test_a_wrong_edition_names_its_field(edition: int) -> None:
    setup = pb.DragonheartSetup(edition=edition)  # type: ignore[arg-type]
    with pytest.raises(FieldInvalid) as refused:
        setup_from_proto(game_pb2.GameSetup(dragonheart=setup), "options.setup")
    assert refused.value.field == "options.setup.dragonheart.edition"

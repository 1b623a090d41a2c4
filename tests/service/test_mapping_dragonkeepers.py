"""Dragonkeepers between protos and engine: nothing is forgotten, and wrong fields are named."""

from collections.abc import Iterator
from typing import Any, get_args

import pytest

from dragonhall.bots.dragonkeepers.reading import read_move, read_view
from dragonhall.v1 import dragonkeepers_facts_pb2, game_pb2
from dragonhall.v1 import dragonkeepers_pb2 as pb
from dragonhall_engine import dragonkeepers
from dragonhall_engine.dragonkeepers import Ending, Fact, Move, Phase, Play, View
from dragonhall_engine.dragonkeepers.cards import CARD_BY_NAME, PIECE_COPIES, SEATS, SLOT_NAMES
from dragonhall_engine.dragonkeepers.facts import (
    AmuletCompleted,
    BookEnded,
    CardBooked,
    CardTaken,
    CrestTaken,
    CrystalGained,
    CrystalSpent,
    EggGained,
    EndTriggered,
    MatchEnded,
    Passed,
    PearlDrawn,
    PieceTaken,
    RoundEnded,
    SeatRevealed,
    SeatScored,
    SetPlayed,
    ShadowGained,
    SlotRefilled,
    StartersDealt,
    SupplyRevealed,
    TableLaid,
    TakeEnded,
    TurnBegan,
)
from dragonhall_service.api.mapping.dragonkeepers import (
    fact_to_proto,
    move_from_proto,
    move_to_proto,
    setup_from_proto,
    setup_to_proto,
    view_to_proto,
)
from dragonhall_service.api.mapping.dragonkeepers_cards import COLOUR_NUMBERS, ENDINGS, PHASES
from dragonhall_service.api.mapping.games import move_input
from dragonhall_service.usecases.refusals import FieldInvalid
from tests.budget import cases
from tests.engine.dragonkeepers.matches import SETUPS, Decision, decisions, readers

RED, GREEN, SHADOW = (
    pb.DRAGONKEEPERS_COLOUR_RED,
    pb.DRAGONKEEPERS_COLOUR_GREEN,
    pb.DRAGONKEEPERS_COLOUR_SHADOW,
)
UNKNOWN = 99
CARDS = (CARD_BY_NAME["R|3"], CARD_BY_NAME["S|6"])
PILES = tuple(PIECE_COPIES.values())

WHOLE: list[Fact] = [
    TableLaid("published", 3, 2, CARDS, 4, 1, PILES),
    StartersDealt(1, 2, CARDS),
    TurnBegan(1, 7),
    CardTaken(1, 2, CARDS[0]),
    CrystalSpent(1),
    SlotRefilled(0, CARDS[0], 5),
    TakeEnded(1),
    CardBooked(1, 1, CARDS[0]),
    BookEnded(1),
    SetPlayed(1, CARDS, 2, 1),
    Passed(1),
    CrestTaken(1, 16),
    PieceTaken(1, 7),
    AmuletCompleted(1, 2),
    PearlDrawn(1, 9),
    CrystalGained(1),
    ShadowGained(1),
    EggGained(1),
    EndTriggered(Ending.EMPTY_OFFER),
    RoundEnded(3, 2),
    MatchEnded(Ending.STALL),
    SeatRevealed(1, CARDS, (3, 9)),
    SupplyRevealed(CARDS, CARDS, CARDS, (4, 8)),
    SeatScored(1, 20, 12, 10, 8, 30, 80, 14),
]
"""One of each kind, with no field at its default: a field that is forgotten shows as unset."""


def told(fact: Fact) -> Any:
    """Return the one message that a fact's oneof holds."""
    proto = fact_to_proto(fact).dragonkeepers
    return getattr(proto, proto.WhichOneof("fact") or "")


def filled(message: Any) -> set[str]:
    """Name the fields that are set."""
    return {field.name for field, _ in message.ListFields()}


def fields_of(message: Any) -> set[str]:
    """Name the fields of a message; of a oneof one member, the first, stands for all."""
    others = {f.name for one in message.DESCRIPTOR.oneofs for f in one.fields[1:]}
    return set(message.DESCRIPTOR.fields_by_name) - others


# ---- both ways ----------------------------------------------------------------------------------


def test_every_setup_maps_both_ways() -> None:
    protos = [setup_to_proto(setup.edition, setup.seats) for setup in SETUPS]
    assert [setup_from_proto(p, "s") for p in protos] == [(s.edition, s.seats) for s in SETUPS]
    editions = {p.dragonkeepers.edition for p in protos}
    assert editions == {n for n in pb.DragonkeepersEdition.values() if n}


@pytest.mark.parametrize("name", CARD_BY_NAME)
def test_every_card_maps_both_ways_and_looks_as_written(name: str) -> None:
    move = Play((CARD_BY_NAME[name],))
    proto = move_to_proto(move)
    assert move_from_proto(proto, "move") == move
    card = proto.dragonkeepers.play.cards[0]
    front, back = pb.DragonkeepersColour.Name(card.front), pb.DragonkeepersColour.Name(card.colour)
    seen = f"|{card.number}" if card.number else f">{back.split('_')[2][0]}"
    assert front.split("_")[2][0] + seen == name


@pytest.mark.parametrize(
    "text",
    [
        *(f"take {slot}" for slot in SLOT_NAMES),
        *("take L1 with crystal", "end take", "book left R|3", "book right G>W", "end book"),
        *("play B|1 B>W S|6", "play R|1 left", "play R|1 right", "pass"),
    ],
)
def test_every_kind_of_move_maps_both_ways(text: str) -> None:
    move = dragonkeepers.parse_move(text)
    proto = move_to_proto(move)
    assert move_from_proto(proto, "move") == read_move(proto.dragonkeepers) == move
    assert type(move) in get_args(Move)


@pytest.mark.parametrize(
    ("keys", "numbers", "enum"),
    [
        (range(5), COLOUR_NUMBERS, pb.DragonkeepersColour),
        (Phase, PHASES, pb.DragonkeepersPhase),
        (Ending, ENDINGS, pb.DragonkeepersEnding),
    ],
)
def test_enums_count_from_one_in_the_engines_order(keys: Any, numbers: Any, enum: Any) -> None:
    assert [numbers.to_proto(key) for key in keys] == enum.values()[1:]


# ---- facts and views ----------------------------------------------------------------------------


def kinds_of_facts(union: Any) -> set[Any]:
    """Flatten a union of unions."""
    members = get_args(union)
    return {union} if not members else {kind for m in members for kind in kinds_of_facts(m)}


def test_facts_and_protos_name_the_same_kinds() -> None:
    assert {type(fact) for fact in WHOLE} == kinds_of_facts(Fact)
    kinds = [fact_to_proto(fact).dragonkeepers.WhichOneof("fact") for fact in WHOLE]
    members = dragonkeepers_facts_pb2.DragonkeepersFact.DESCRIPTOR.oneofs_by_name["fact"].fields
    assert sorted(map(str, kinds)) == sorted(field.name for field in members)


@pytest.mark.parametrize("fact", WHOLE, ids=lambda fact: type(fact).__name__)
def test_no_field_of_a_fact_is_forgotten(fact: Fact) -> None:
    message = told(fact)
    assert filled(message) == fields_of(message)


def test_pieces_are_told_by_their_value() -> None:
    assert told(PieceTaken(1, 7)).value == 20
    piles = told(WHOLE[0]).pieces
    assert {pile.value: pile.count for pile in piles} == PIECE_COPIES


def test_a_right_page_shows_a_colour() -> None:
    shown = told(SlotRefilled(3, CARDS[0], 3))
    assert (shown.WhichOneof("shown"), shown.colour) == ("colour", GREEN)


@pytest.mark.parametrize("reader", [None, 0])
def test_what_a_reader_may_not_know_is_absent(reader: int | None) -> None:
    hidden = {"StartersDealt": "cards", "PearlDrawn": "value"}
    for fact in WHOLE:
        missing = fields_of(told(fact)) - filled(told(dragonkeepers.project(fact, reader)))
        assert missing == {hidden[kind] for kind in [type(fact).__name__] if kind in hidden}


def test_first_enders_and_left_ends_are_told_from_nothing() -> None:
    assert told(SetPlayed(0, CARDS, 0, 0)).HasField("side")
    assert not told(SetPlayed(0, CARDS, 0, None)).HasField("side")
    assert told(EndTriggered(Ending.AMULETS)).ending == pb.DRAGONKEEPERS_ENDING_AMULETS


def looks(number: int) -> Iterator[tuple[Decision, int | None]]:
    """Let the readers look at a match in turn, and all of them at its end."""
    for at, decision in enumerate(decisions(number)):
        every = readers(decision.after)
        over = decision.after.phase == Phase.OVER
        yield from ((decision, reader) for reader in (every if over else [every[at % len(every)]]))


def only_for_some(view: View, over: bool) -> list[bool]:
    """List what a view may hold for its reader alone, or after the end."""
    proto = view_to_proto(view).dragonkeepers
    seats = [
        bool(shown.starters or shown.pearls)
        for seat, shown in enumerate(proto.seats)
        if seat != view.reader
    ]
    ends = [bool(x) for x in (proto.left.order, proto.right.order, proto.pearls)]
    return [*seats, *ends, bool(proto.starters_out) and not over, bool(proto.hand)]


def test_random_matches_map_whole_for_every_reader() -> None:
    for number in range(cases(ci=6, sweep=240)):
        for decision, reader in looks(number):
            played = move_to_proto(decision.move)
            assert read_move(played.dragonkeepers) == move_from_proto(played, "move")
            view = dragonkeepers.view(decision.after, reader)
            assert read_view(view_to_proto(view).dragonkeepers, reader) == view


def test_what_others_may_not_know_is_absent_until_the_end() -> None:
    for number in range(cases(ci=6, sweep=240)):
        for decision, _ in looks(number):
            over = decision.after.phase == Phase.OVER
            spectator = only_for_some(dragonkeepers.view(decision.after, None), over)
            assert any(spectator) == over
    own = [dragonkeepers.view(decision.after, decision.before.to_move) for decision in decisions(1)]
    assert all(view_to_proto(view).dragonkeepers.hand for view in own[:5])


def test_no_field_of_a_view_is_forgotten() -> None:
    seen: dict[str, set[str]] = {}
    for number in range(len(SETUPS)):
        every = list(looks(number))
        for decision, reader in every[::9] + every[-2:]:
            note(view_to_proto(dragonkeepers.view(decision.after, reader)), seen)
    assert "DragonkeepersView" in seen
    for name, fields in seen.items():
        if name.startswith("Dragonkeepers"):
            assert fields == set(getattr(pb, name).DESCRIPTOR.fields_by_name), name


def note(message: Any, seen: dict[str, set[str]]) -> None:
    """Note which fields of each kind of message are ever set."""
    seen.setdefault(message.DESCRIPTOR.name, set()).update(filled(message))
    for field, value in message.ListFields():
        if field.message_type:
            for part in value if field.is_repeated else [value]:
                note(part, seen)


def test_views_count_what_follows_from_them() -> None:
    for decision in decisions(4):
        view = dragonkeepers.view(decision.after, 0)
        proto = view_to_proto(view).dragonkeepers
        assert (proto.number, COLOUR_NUMBERS.from_proto(proto.colour, "")) == view.requirement
        assert [pile.count for pile in proto.removed_pieces] == list(view.removed_pieces)
        assert tuple(proto.unseen_pearls) == view.unseen_pearls
        assert [deck.size for deck in (proto.left, proto.right)] == [d.size for d in view.decks]
        assert [s.hand_count for s in proto.seats] == [s.hand_count for s in view.seats]
        assert [s.completed for s in proto.seats] == [s.completed for s in view.seats]
        assert len(proto.hand) == view.seats[0].hand_count


# ---- wrong fields -------------------------------------------------------------------------------


def typed(**decision: Any) -> game_pb2.Move:
    return game_pb2.Move(dragonkeepers=pb.DragonkeepersMove(**decision))


def card(front: int, **back: int) -> pb.DragonkeepersCard:
    return pb.DragonkeepersCard(front=front, **back)  # type: ignore[arg-type]


def book(card_: pb.DragonkeepersCard, page: int = 1) -> game_pb2.Move:
    return typed(book=pb.DragonkeepersBook(page=page, card=card_))  # type: ignore[arg-type]


def play(*cards: pb.DragonkeepersCard, side: int | None = None) -> game_pb2.Move:
    return typed(play=pb.DragonkeepersPlay(cards=cards, side=side))  # type: ignore[arg-type]


def take(slot: int) -> game_pb2.Move:
    return typed(take=pb.DragonkeepersTake(slot=slot))  # type: ignore[arg-type]


GOOD = card(RED, number=1)


@pytest.mark.parametrize(
    ("path", "move"),
    [
        ("move", typed()),
        ("take.slot", take(0)),
        ("take.slot", take(UNKNOWN)),
        ("book.page", book(GOOD, page=0)),
        ("book.page", book(GOOD, page=UNKNOWN)),
        ("book.card.front", typed(book=pb.DragonkeepersBook(page=pb.DRAGONKEEPERS_SIDE_LEFT))),
        ("book.card.front", book(card(0, number=1))),
        ("book.card.front", book(card(UNKNOWN, number=1))),
        ("book.card.back", book(card(RED))),
        ("book.card.number", book(card(RED, number=0))),
        ("book.card.number", book(card(RED, number=6))),
        ("book.card.number", book(card(RED, number=2**32 - 1))),
        ("book.card.number", book(card(SHADOW, number=5))),
        ("book.card.colour", book(card(SHADOW, colour=RED))),
        ("book.card.colour", book(card(RED, colour=0))),
        ("book.card.colour", book(card(RED, colour=RED))),
        ("book.card.colour", book(card(RED, colour=SHADOW))),
        ("book.card.colour", book(card(RED, colour=UNKNOWN))),
        ("play.cards", play()),
        ("play.cards", play(*[GOOD] * 7)),
        ("play.cards[1].number", play(GOOD, card(GREEN, number=9))),
        ("play.side", play(GOOD, side=0)),
        ("play.side", play(GOOD, side=UNKNOWN)),
    ],
)
def test_a_wrong_move_names_its_field(path: str, move: game_pb2.Move) -> None:
    with pytest.raises(FieldInvalid) as refused:
        move_input(move, "move")
    assert refused.value.field == f"move.dragonkeepers.{path}"


@pytest.mark.parametrize(
    ("path", "edition", "seats"),
    [
        ("edition", 0, 2),
        ("edition", UNKNOWN, 2),
        *[("seats", 1, seats) for seats in (0, SEATS.start - 1, SEATS.stop, 2**32 - 1)],
    ],
)
def test_a_wrong_setup_names_its_field(path: str, edition: int, seats: int) -> None:
    setup = pb.DragonkeepersSetup(edition=edition, seats=seats)  # type: ignore[arg-type]
    with pytest.raises(FieldInvalid) as refused:
        setup_from_proto(game_pb2.GameSetup(dragonkeepers=setup), "options.setup")
    assert refused.value.field == f"options.setup.dragonkeepers.{path}"

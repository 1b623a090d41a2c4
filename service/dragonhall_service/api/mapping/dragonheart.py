"""Dragonheart between its protos and its engine."""

from collections.abc import Iterable

from dragonhall.v1 import dragonheart_pb2 as pb
from dragonhall.v1 import game_pb2
from dragonhall_engine.dragonheart import (
    NAME,
    SEATS,
    CardType,
    Fact,
    Move,
    SeatView,
    Trigger,
    View,
)
from dragonhall_engine.dragonheart.cards import CARD_CODES, Card, card, card_type, value
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
from dragonhall_service.api.mapping.enums import EnumMap
from dragonhall_service.usecases.refusals import FieldInvalid

__all__ = [
    "NAME",
    "fact_to_proto",
    "move_from_proto",
    "move_to_proto",
    "setup_from_proto",
    "setup_to_proto",
    "view_to_proto",
]

_MOST_CARDS = 6
_MOST_POINTS = 4
_EDITIONS = EnumMap({"standard": pb.DRAGONHEART_EDITION_STANDARD}, pb.DragonheartEdition.DESCRIPTOR)
_TYPES = EnumMap(
    {
        type_: pb.DragonheartCardType.Value(f"DRAGONHEART_CARD_TYPE_{type_.name}")
        for type_ in CardType
    },
    pb.DragonheartCardType.DESCRIPTOR,
)
_CARDS = [
    pb.DragonheartCard(type=_TYPES.to_proto(card_type(code)), value=value(code))
    for code in range(CARD_CODES)
]
"""By card. A message copies what is put into it."""


def setup_from_proto(setup: game_pb2.GameSetup, path: str) -> tuple[str, int]:
    """Read edition and number of seats.

    Raises:
        FieldInvalid: no such edition.
    """
    edition = _EDITIONS.from_proto(setup.dragonheart.edition, f"{path}.dragonheart.edition")
    return edition, SEATS.start


def setup_to_proto(edition: str, seats: int) -> game_pb2.GameSetup:
    """Return the setup of an edition."""
    setup = pb.DragonheartSetup(edition=_EDITIONS.to_proto(edition))
    return game_pb2.GameSetup(dragonheart=setup)


def move_from_proto(move: game_pb2.Move, path: str) -> Move:
    """Read a typed move; legality is not looked at.

    Raises:
        FieldInvalid: a card or target that does not exist, no card, or more than a hand holds.
    """
    typed, path = move.dragonheart, f"{path}.dragonheart"
    if not 1 <= len(typed.cards) <= _MOST_CARDS:
        raise FieldInvalid(f"{path}.cards", f"1 to {_MOST_CARDS} cards")
    cards = [_card_from(c, f"{path}.cards[{n}]") for n, c in enumerate(typed.cards)]
    target = None
    if typed.HasField("target"):
        target = _TYPES.from_proto(typed.target, f"{path}.target")
    return Move(tuple(sorted(cards)), target)


def move_to_proto(move: Move) -> game_pb2.Move:
    """Return the typed form of a move."""
    target = None if move.target is None else _TYPES.to_proto(move.target)
    typed = pb.DragonheartMove(cards=_cards(move.cards), target=target)
    return game_pb2.Move(dragonheart=typed)


def fact_to_proto(fact: Fact) -> game_pb2.Fact:
    """Return the typed form of a projected fact; a field that is None is absent."""
    return game_pb2.Fact(dragonheart=_fact(fact))


def _fact(fact: Fact) -> pb.DragonheartFact:
    match fact:
        case StartSeatChosen(seat):
            return pb.DragonheartFact(started=pb.DragonheartStarted(seat=seat))
        case CardsPlayed():
            return pb.DragonheartFact(cards_played=_played(fact))
        case CardsTaken(seat, source, cards):
            taken = pb.DragonheartCardsTaken(
                seat=seat, source=_TYPES.to_proto(source), cards=_cards(cards)
            )
            return pb.DragonheartFact(cards_taken=taken)
        case CardsMovedUnderShip(cards):
            moved = pb.DragonheartCardsMovedUnderShip(cards=_cards(cards))
            return pb.DragonheartFact(cards_moved_under_ship=moved)
        case ShipsSailed(sailings):
            return pb.DragonheartFact(ships_sailed=pb.DragonheartShipsSailed(sailings=sailings))
        case DragonTaken(seat, previous):
            owner = pb.DragonheartDragonTaken(seat=seat, previous_owner=previous)
            return pb.DragonheartFact(dragon_taken=owner)
        case CardSentBack(seat, lost):
            hidden = None if lost is None else _CARDS[lost]
            back = pb.DragonheartCardSentBack(seat=seat, card=hidden)
            return pb.DragonheartFact(card_sent_back=back)
        case CardsDrawn():
            return pb.DragonheartFact(cards_drawn=_drawn(fact))
        case FinalTurnBegan(seat, triggers):
            return pb.DragonheartFact(final_turn_began=_final(seat, triggers))
        case MatchScored(points, dragon):
            scored = pb.DragonheartScored(points=points, dragon_owner=dragon)
            return pb.DragonheartFact(scored=scored)


def _played(fact: CardsPlayed) -> pb.DragonheartCardsPlayed:
    target = None if fact.target is None else _TYPES.to_proto(fact.target)
    return pb.DragonheartCardsPlayed(seat=fact.seat, cards=_cards(fact.cards), target=target)


def _drawn(fact: CardsDrawn) -> pb.DragonheartCardsDrawn:
    return pb.DragonheartCardsDrawn(
        seat=fact.seat,
        count=fact.count,
        cards=_cards(fact.cards or ()),
        deck_count=fact.deck_left,
    )


def _final(seat: int, triggers: tuple[Trigger, ...]) -> pb.DragonheartFinalTurnBegan:
    return pb.DragonheartFinalTurnBegan(
        seat=seat,
        by_sailings=Trigger.SHIPS in triggers,
        by_empty_deck=Trigger.DECK in triggers,
    )


def view_to_proto(view: View) -> game_pb2.View:
    """Return the typed form of a view."""
    typed = pb.DragonheartView(
        turn=view.turn,
        spaces=[
            pb.DragonheartSpace(type=_TYPES.to_proto(type_), cards=_cards(view.board[type_]))
            for type_ in CardType
        ],
        under_ship=_cards(view.under_ship),
        sailings=view.sailings,
        dragon_owner=view.dragon,
        seats=[_seat_view(seat) for seat in view.seats],
        hand=_cards(view.hand or ()),
        known_top=None if view.known_top is None else _CARDS[view.known_top],
        final_by_sailings=Trigger.SHIPS in view.triggers,
        final_by_empty_deck=Trigger.DECK in view.triggers,
        start_seat=view.start_seat,
        seat_to_move=view.to_move,
        sent_back=view.sent_back,
    )
    return game_pb2.View(dragonheart=typed)


def _seat_view(seat: SeatView) -> pb.DragonheartSeatView:
    return pb.DragonheartSeatView(
        hand_count=seat.hand_count,
        deck_count=seat.deck_count,
        pile=_cards(seat.pile),
        points=seat.points,
        unseen=_cards(seat.unseen),
        knows_top=seat.knows_top,
    )


def _cards(cards: Iterable[Card]) -> list[pb.DragonheartCard]:
    return [_CARDS[code] for code in cards]


def _card_from(given: pb.DragonheartCard, path: str) -> Card:
    type_ = _TYPES.from_proto(given.type, f"{path}.type")
    low, high = (0, 0) if type_ is CardType.SHIP else (1, _MOST_POINTS)
    if not low <= given.value <= high:
        raise FieldInvalid(f"{path}.value", "0 for a ship, else 1 to 4")
    return card(type_, given.value)

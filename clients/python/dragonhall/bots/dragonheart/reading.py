"""Views and moves of Dragonheart from their protos to the engine's."""

from collections.abc import Iterable

from dragonhall.v1 import dragonheart_pb2 as pb
from dragonhall_engine.dragonheart import CardType, Move, SeatView, Trigger, View
from dragonhall_engine.dragonheart.cards import Card, card


def read_view(view: pb.DragonheartView, reader: int | None) -> View:
    """Return the engine's view of a reader."""
    triggers = ((Trigger.SHIPS, view.final_by_sailings), (Trigger.DECK, view.final_by_empty_deck))
    to_move = view.seat_to_move if view.HasField("seat_to_move") else None
    return View(
        reader=reader,
        hand=None if reader is None else _cards(view.hand),
        known_top=_card(view.known_top) if view.HasField("known_top") else None,
        start_seat=view.start_seat,
        to_move=to_move,
        turn=view.turn,
        seats=tuple(_seat(seat) for seat in view.seats),
        board=tuple(_cards(space.cards) for space in view.spaces),
        under_ship=_cards(view.under_ship),
        dragon=view.dragon_owner if view.HasField("dragon_owner") else None,
        sailings=view.sailings,
        sent_back=view.sent_back,
        triggers=tuple(trigger for trigger, fired in triggers if fired),
        over=to_move is None,
    )


def read_move(move: pb.DragonheartMove) -> Move:
    """Return the engine's move."""
    target = CardType(move.target - 1) if move.HasField("target") else None
    return Move(tuple(sorted(_cards(move.cards))), target)


def _seat(seat: pb.DragonheartSeatView) -> SeatView:
    return SeatView(
        hand_count=seat.hand_count,
        deck_count=seat.deck_count,
        knows_top=seat.knows_top,
        pile=_cards(seat.pile),
        points=seat.points,
        unseen=_cards(seat.unseen),
    )


def _cards(cards: Iterable[pb.DragonheartCard]) -> tuple[Card, ...]:
    return tuple(_card(given) for given in cards)


def _card(given: pb.DragonheartCard) -> Card:
    return card(CardType(given.type - 1), given.value)

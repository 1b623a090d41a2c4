"""Views and moves of Dragonkeepers from their protos to the engine's."""

from collections.abc import Iterable
from typing import Final

from dragonhall.v1 import dragonkeepers_pb2 as pb
from dragonhall_engine.dragonkeepers import (
    Book,
    DeckView,
    EndBook,
    Ending,
    EndTake,
    Move,
    Pass,
    Phase,
    Play,
    SeatView,
    Stack,
    Take,
    View,
)
from dragonhall_engine.dragonkeepers.cards import (
    EDITIONS,
    PIECE_VALUES,
    SHADOW,
    colour_card,
    number_card,
)

# Every enum of the proto counts from 1 in the order of the engine.
_PILES: Final = {value: pile for pile, value in enumerate(PIECE_VALUES)}


def read_view(view: pb.DragonkeepersView, reader: int | None) -> View:
    """Return the engine's view of a reader."""
    over = view.phase == pb.DRAGONKEEPERS_PHASE_OVER
    return View(
        reader=reader,
        edition=EDITIONS[view.edition - 1],
        start_seat=view.start_seat,
        round=view.round,
        quiet_rounds=view.quiet_rounds,
        set_played=view.set_played,
        active=view.active,
        phase=Phase(view.phase - 1),
        to_move=view.seat_to_move if view.HasField("seat_to_move") else None,
        taken=view.taken,
        changed=(view.left_changed, view.right_changed),
        offer=tuple(_card(offer.card) if offer.HasField("card") else None for offer in view.offer),
        decks=(_deck(view.left, over=over), _deck(view.right, over=over)),
        shadows=view.shadows,
        crystals=view.crystals,
        eggs=view.eggs,
        crests=tuple(view.crests),
        pieces=tuple(pile.count for pile in view.pieces),
        pearl_count=view.pearl_count,
        unseen_starters=_cards(view.unseen_starters),
        starters_out=_cards(view.starters_out) if over else None,
        pearls=tuple(view.pearls) if over else None,
        trigger=Ending(view.trigger - 1) if view.HasField("trigger") else None,
        ending=Ending(view.ending - 1) if view.HasField("ending") else None,
        seats=tuple(
            _seat(seat, private=over or number == reader) for number, seat in enumerate(view.seats)
        ),
    )


def read_move(move: pb.DragonkeepersMove) -> Move:
    """Return the engine's move."""
    match move.WhichOneof("move"):
        case "take":
            return Take(move.take.slot - 1, with_crystal=move.take.with_crystal)
        case "end_take":
            return EndTake()
        case "book":
            return Book(move.book.page - 1, _card(move.book.card))
        case "end_book":
            return EndBook()
        case "play":
            play = move.play
            side = play.side - 1 if play.HasField("side") else None
            return Play(tuple(sorted(_cards(play.cards))), side)
        case _:
            return Pass()


def _deck(deck: pb.DragonkeepersDeck, *, over: bool) -> DeckView:
    number = deck.unseen_number
    return DeckView(
        booked=_cards(deck.booked),
        unseen=_cards(deck.unseen),
        unseen_shown=number if number else deck.unseen_colour - 1,
        order=_cards(deck.order) if over else None,
    )


def _seat(seat: pb.DragonkeepersSeatView, *, private: bool) -> SeatView:
    return SeatView(
        known=_cards(seat.known),
        unknown=seat.unknown,
        starters=_cards(seat.starters) if private else None,
        row=tuple(Stack(stack.colour - 1, _cards(stack.cards)) for stack in seat.row),
        crystals=seat.crystals,
        eggs=seat.eggs,
        crest=seat.crest,
        pieces=tuple(_PILES[value] for value in seat.pieces),
        pearl_count=seat.pearl_count,
        pearls=tuple(seat.pearls) if private else None,
    )


def _cards(cards: Iterable[pb.DragonkeepersCard]) -> tuple[int, ...]:
    return tuple(_card(given) for given in cards)


def _card(given: pb.DragonkeepersCard) -> int:
    front = given.front - 1
    if given.front == pb.DRAGONKEEPERS_COLOUR_SHADOW:
        return SHADOW
    if given.number:
        return number_card(front, given.number)
    return colour_card(front, given.colour - 1)

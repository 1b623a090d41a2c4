"""What a reader, a seat or None for a spectator, may know, built field by field. Rules: DH-7."""

from dataclasses import dataclass
from typing import Final

from dragonhall_engine.core.errors import InvalidSeat
from dragonhall_engine.core.game import Seat
from dragonhall_engine.dragonheart.cards import SEAT_COUNT, Card, Trigger
from dragonhall_engine.dragonheart.facts import (
    CardsDrawn,
    CardSentBack,
    CardsMovedUnderShip,
    CardsPlayed,
    CardsTaken,
    DragonTaken,
    Fact,
    FinalTurnBegan,
    MatchScored,
    ShipsSailed,
    StartSeatChosen,
)
from dragonhall_engine.dragonheart.outcome import points
from dragonhall_engine.dragonheart.state import State


@dataclass(frozen=True, slots=True)
class SeatView:
    """What everybody knows about a seat.

    Attributes:
        hand_count: cards in its hand, 0-6.
        deck_count: cards in its draw deck, 0-45.
        knows_top: whether it knows the top card of its deck (DH-5.3); the card is not public.
        pile: the cards it has taken, in canonical order.
        points: their values, plus 3 for the owner of the Great Dragon.
        unseen: its own 50 cards that it has not played, hand and deck together, in canonical
            order. Everybody can count them: who played what is public.
    """

    hand_count: int
    deck_count: int
    knows_top: bool
    pile: tuple[Card, ...]
    points: int
    unseen: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class View:
    """What one reader may know. All fields but `hand` and `known_top` are public.

    Attributes:
        reader: the seat this view is for; None for a spectator.
        hand: the reader's own hand in canonical order; None for a spectator.
        known_top: the top card of the reader's own deck, from DH-5.3 until it is drawn, else None.
        start_seat: who had the first turn.
        to_move: whose turn it is; None after the end.
        turn: 1-based number of the turn under way; after the end, of the last one.
        seats: per seat, what everybody knows about it.
        board: per type in canonical order, the stack on its space, bottom first.
        under_ship: the cards under the ship, bottom first.
        dragon: the owner of the Great Dragon, or None.
        sailings: how often three ships have sailed.
        sent_back: how many cards have been sent back by DH-5.3.
        triggers: what began the final turn; empty before it.
        over: whether the match has ended.
    """

    reader: Seat | None
    hand: tuple[Card, ...] | None
    known_top: Card | None
    start_seat: Seat
    to_move: Seat | None
    turn: int
    seats: tuple[SeatView, ...]
    board: tuple[tuple[Card, ...], ...]
    under_ship: tuple[Card, ...]
    dragon: Seat | None
    sailings: int
    sent_back: int
    triggers: tuple[Trigger, ...]
    over: bool


def view(state: State, reader: Seat | None) -> View:
    """Return what a reader may know.

    Raises:
        InvalidSeat: the match has no such seat.
    """
    _require_reader(reader)
    return View(
        reader=reader,
        hand=None if reader is None else tuple(state.hands[reader]),
        known_top=None if reader is None else _known_top(state, reader),
        start_seat=state.start_seat,
        to_move=None if state.over else state.to_move,
        turn=state.turn,
        seats=tuple(_seat_view(state, seat) for seat in range(len(state.hands))),
        board=tuple(tuple(stack) for stack in state.board),
        under_ship=tuple(state.under_ship),
        dragon=state.dragon,
        sailings=state.sailings,
        sent_back=state.sent_back,
        triggers=state.triggers,
        over=state.over,
    )


def _seat_view(state: State, seat: Seat) -> SeatView:
    return SeatView(
        hand_count=len(state.hands[seat]),
        deck_count=len(state.decks[seat]),
        knows_top=state.knows_top[seat],
        pile=tuple(state.piles[seat]),
        points=points(state, seat),
        unseen=tuple(sorted(state.hands[seat] + state.decks[seat])),
    )


def _known_top(state: State, seat: Seat) -> Card | None:
    return state.decks[seat][-1] if state.knows_top[seat] else None


_PUBLIC: Final = (
    StartSeatChosen,
    CardsPlayed,
    CardsTaken,
    CardsMovedUnderShip,
    ShipsSailed,
    DragonTaken,
    FinalTurnBegan,
    MatchScored,
)


def project(fact: Fact, reader: Seat | None) -> Fact:
    """Return a fact as a reader may know it: hidden fields are None.

    Raises:
        InvalidSeat: the match has no such seat.
        TypeError: a kind of fact whose readers nobody has listed.
    """
    _require_reader(reader)
    if isinstance(fact, _PUBLIC):
        return fact
    if isinstance(fact, CardsDrawn):
        cards = fact.cards if reader == fact.seat else None
        return CardsDrawn(fact.seat, cards, fact.count, fact.deck_left)
    if isinstance(fact, CardSentBack):
        return CardSentBack(fact.seat, fact.card if reader == fact.seat else None)
    raise TypeError(f"no readers are listed for {type(fact).__name__}")


def _require_reader(reader: Seat | None) -> None:
    if reader is not None and not 0 <= reader < SEAT_COUNT:
        raise InvalidSeat(f"dragonheart has no seat {reader}")

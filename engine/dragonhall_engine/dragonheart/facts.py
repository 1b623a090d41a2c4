"""What happened, in the past tense. A field that is hidden from a reader is None for it.

A fold over the facts of the opening and of every move, projected for one reader, gives that
reader's view: each field of `View` changes only by a fact, and turns alternate from move to move.
"""

from dataclasses import dataclass

from dragonhall_engine.core.game import Seat
from dragonhall_engine.dragonheart.cards import Card, CardType, Trigger


@dataclass(frozen=True, slots=True)
class StartSeatChosen:
    """The match begins with `seat` (DH-2.3). Public."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class CardsDrawn:
    """A seat drew from its deck: the opening hand (DH-2.1) or at the end of a turn (DH-4.8).

    Attributes:
        seat: who drew.
        cards: what, in canonical order; known to `seat` alone.
        count: how many, at least 1. Public.
        deck_left: how many cards its deck has left. Public.
    """

    seat: Seat
    cards: tuple[Card, ...] | None
    count: int
    deck_left: int


@dataclass(frozen=True, slots=True)
class CardsPlayed:
    """A seat laid cards on the space of their type (DH-4.1). Public.

    Attributes:
        seat: who played.
        cards: what, in the order in which they were laid (the canonical one).
        target: the pile chosen, where two were open (DH-4.4).
    """

    seat: Seat
    cards: tuple[Card, ...]
    target: CardType | None


@dataclass(frozen=True, slots=True)
class CardsTaken:
    """A seat put cards on its pile. Public.

    Attributes:
        seat: who took them.
        source: the space they lay on; SHIP stands for the cards under the ship (DH-3.9).
        cards: all cards of that space, bottom first.
    """

    seat: Seat
    source: CardType
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class CardsMovedUnderShip:
    """A full space of huntresses or knights went under the ship (DH-3.2, DH-3.6). Public."""

    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class ShipsSailed:
    """The three ships left the game (DH-3.9); `sailings` counts this one too. Public."""

    sailings: int


@dataclass(frozen=True, slots=True)
class DragonTaken:
    """`seat` became the owner of the Great Dragon, after `previous` or nobody (DH-5.1). Public."""

    seat: Seat
    previous: Seat | None


@dataclass(frozen=True, slots=True)
class CardSentBack:
    """A random card of a hand went on top of the deck of the same seat (DH-5.3).

    Attributes:
        seat: the loser of the Great Dragon, whose hand and deck they are. Public.
        card: known to `seat` alone.
    """

    seat: Seat
    card: Card | None


@dataclass(frozen=True, slots=True)
class FinalTurnBegan:
    """`seat` has the last turn of the match (DH-6.3), because of `triggers`. Public."""

    seat: Seat
    triggers: tuple[Trigger, ...]


@dataclass(frozen=True, slots=True)
class MatchScored:
    """The match ended (DH-6.4). Public.

    Attributes:
        points: per seat, 3 for the Great Dragon included.
        dragon: its owner, who wins a tie (DH-6.5), or nobody.
    """

    points: tuple[int, ...]
    dragon: Seat | None


Fact = (
    StartSeatChosen
    | CardsDrawn
    | CardsPlayed
    | CardsTaken
    | CardsMovedUnderShip
    | ShipsSailed
    | DragonTaken
    | CardSentBack
    | FinalTurnBegan
    | MatchScored
)

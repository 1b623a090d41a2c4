"""What has happened: past tense, public unless a field says otherwise.

A fact whose audience may not know a field carries None there; counts are public always. Facts
are enough to keep a view up to date: tests/engine/dragonkeepers/fold.py does it.
"""

from dataclasses import dataclass
from typing import TypeAlias

from dragonhall_engine.core.game import Seat
from dragonhall_engine.dragonkeepers.state import Ending


@dataclass(frozen=True, slots=True)
class TableLaid:
    """The table was laid; nobody owns anything yet (DK-2).

    Attributes:
        edition: name of the edition.
        seats: how many seats play.
        start_seat: who has the first turn.
        offer: the cards in the edition's slots.
        number, colour: the requirement that the two pages show.
        pieces: amulet pieces in the supply, for each pile of `cards.PIECE_VALUES`.
    """

    edition: str
    seats: int
    start_seat: Seat
    offer: tuple[int, ...]
    number: int
    colour: int
    pieces: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StartersDealt:
    """A seat got its starters (DK-2.2). `cards` is known to that seat only."""

    seat: Seat
    count: int
    cards: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class TurnBegan:
    """A seat's turn began in a round; the slots it refills follow (DK-3.4)."""

    seat: Seat
    round: int


@dataclass(frozen=True, slots=True)
class CardTaken:
    """A seat took the card of a slot, which is empty now (DK-3.1)."""

    seat: Seat
    slot: int
    card: int


@dataclass(frozen=True, slots=True)
class CrystalSpent:
    """A seat paid a crystal to the supply for the card it took before (DK-3.2)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class SlotRefilled:
    """The top card of a deck was turned up into a slot, which turned the page (DK-3.1).

    Attributes:
        slot: index into `cards.SLOT_NAMES`.
        card: the card turned up.
        shown: what the page shows now: a number 1-6 on the left, a colour on the right.
    """

    slot: int
    card: int
    shown: int


@dataclass(frozen=True, slots=True)
class TakeEnded:
    """A seat took no more."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class CardBooked:
    """A seat put a hand card on a page, which shows its back now (DK-4.1)."""

    seat: Seat
    page: int
    card: int


@dataclass(frozen=True, slots=True)
class BookEnded:
    """A seat changed no further page."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class SetPlayed:
    """A seat played a set to its row (DK-5).

    Attributes:
        seat: who played.
        cards: the very cards, ascending.
        colour: the colour they count as.
        side: the end of the row where a new stack began; None for the first stack of a row and
            for a colour that was there (DK-5.3).
    """

    seat: Seat
    cards: tuple[int, ...]
    colour: int
    side: int | None


@dataclass(frozen=True, slots=True)
class Passed:
    """A seat played no set (DK-5.5)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class CrestTaken:
    """A seat's row showed all four colours for the first time (DK-6.2)."""

    seat: Seat
    value: int


@dataclass(frozen=True, slots=True)
class PieceTaken:
    """A seat got an amulet piece of a pile (`cards.PIECE_VALUES`)."""

    seat: Seat
    pile: int


@dataclass(frozen=True, slots=True)
class AmuletCompleted:
    """A seat completed a ring; `completed` counts that seat's rings (DK-6.3)."""

    seat: Seat
    completed: int


@dataclass(frozen=True, slots=True)
class PearlDrawn:
    """A seat drew a pearl (DK-6.4). `value` is known to that seat only."""

    seat: Seat
    value: int | None


@dataclass(frozen=True, slots=True)
class CrystalGained:
    """A seat got a crystal from the supply."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class ShadowGained:
    """A seat got a shadow from the supply to its hand."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class EggGained:
    """A seat got a golden egg from the supply."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class EndTriggered:
    """The end was triggered by AMULETS or EMPTY_OFFER (DK-7.1)."""

    ending: Ending


@dataclass(frozen=True, slots=True)
class RoundEnded:
    """A round ended; `quiet_rounds` in a row, it included, were without a set (DK-7.2)."""

    round: int
    quiet_rounds: int


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """The match ended by its rules; what was hidden follows."""

    ending: Ending


@dataclass(frozen=True, slots=True)
class SeatRevealed:
    """After the end: the starters a seat still held unseen, and the values of its pearls."""

    seat: Seat
    starters: tuple[int, ...]
    pearls: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SupplyRevealed:
    """After the end: what nobody knew.

    Attributes:
        left, right: the decks without booked cards, top first.
        starters: those that had left the game unseen, ascending.
        pearls: values of those in the supply, the next one first.
    """

    left: tuple[int, ...]
    right: tuple[int, ...]
    starters: tuple[int, ...]
    pearls: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SeatScored:
    """After the end: a seat's points by kind (DK-8).

    Attributes:
        seat: whose points.
        pieces, pearls, crest, eggs: points for each.
        played: points for cards in its row; 0 where the edition does not score them.
        total: all of them together.
        row_cards: cards in its row, which breaks ties (DK-8.4).
    """

    seat: Seat
    pieces: int
    pearls: int
    crest: int
    eggs: int
    played: int
    total: int
    row_cards: int


GainFact: TypeAlias = (
    StartersDealt | CrestTaken | PieceTaken | PearlDrawn | CrystalGained | ShadowGained | EggGained
)
"""A seat got something."""

SeatFact: TypeAlias = (
    GainFact
    | TurnBegan
    | CardTaken
    | CrystalSpent
    | TakeEnded
    | CardBooked
    | BookEnded
    | SetPlayed
    | Passed
    | AmuletCompleted
    | SeatRevealed
    | SeatScored
)
"""Something about one seat."""

Fact: TypeAlias = (
    SeatFact | TableLaid | SlotRefilled | EndTriggered | RoundEnded | MatchEnded | SupplyRevealed
)

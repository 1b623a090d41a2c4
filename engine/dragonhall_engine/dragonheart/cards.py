"""Cards, decks, the board and labels of Dragonheart: every constant of the game.

A card is a small int, `type * 5 + value`: equal cards are equal numbers, and numbers sort in the
canonical order of the rules page (types in table order, then value). Rules: DH-1, DH-3.
"""

from dataclasses import dataclass
from enum import Enum, IntEnum, auto, unique
from typing import Final

from dragonhall_engine.core.rng import Labels

Card = int
"""`type * 5 + value`, 0 <= card < `CARD_CODES`."""

NAME: Final = "dragonheart"
EDITIONS: Final = ("standard",)
RULESETS: Final = {"standard": "dragonheart/1"}
SEAT_COUNT: Final = 2
SEATS: Final = range(SEAT_COUNT, SEAT_COUNT + 1)
LABELS: Final = Labels(
    fixed=frozenset({"start", "deck:seat0:0", "deck:seat1:0"}),
    counted=frozenset({"lost-dragon"}),
)

HAND_LIMIT: Final = 5
DRAGON_HAND_LIMIT: Final = 6
DRAGON_POINTS: Final = 3
LAST_SAILING: Final = 3


@unique
class CardType(IntEnum):
    """The nine types, in canonical order; each is also the name of its space on the board."""

    DWARF = 0
    HUNTRESS = 1
    FIRE_DRAGON = 2
    TREASURE = 3
    TROLL = 4
    KNIGHT = 5
    PETRIFIED_DRAGON = 6
    SORCERESS = 7
    SHIP = 8


@unique
class Trigger(IntEnum):
    """Why the final turn began: the third sailing (DH-6.1), an empty draw deck (DH-6.2)."""

    SHIPS = 0
    DECK = 1


_CODES_PER_TYPE: Final = 5
_TYPES: Final = tuple(CardType)
CARD_CODES: Final = len(CardType) * _CODES_PER_TYPE
LETTERS: Final = "DHFCTKPSV"
"""The letter of each type; a card is its letter and its value, `V` for a ship."""


def card(type_: CardType, value: int) -> Card:
    """Return the number of a card; a ship has value 0."""
    return type_ * _CODES_PER_TYPE + value


def card_type(code: Card) -> CardType:
    """Return the type of a card."""
    return _TYPES[code // _CODES_PER_TYPE]


def value(code: Card) -> int:
    """Return the points of a card, 0-4."""
    return code % _CODES_PER_TYPE


# ---- the deck (DH-1.1) --------------------------------------------------------------------------

_TABLE: Final[dict[CardType, dict[int, int]]] = {
    # type: {value: how many of them each player has}
    CardType.DWARF: {1: 6, 2: 3, 3: 2},
    CardType.HUNTRESS: {1: 3, 2: 2},
    CardType.FIRE_DRAGON: {2: 1, 3: 2, 4: 1},
    CardType.TREASURE: {1: 2, 2: 2, 3: 2, 4: 1},
    CardType.TROLL: {1: 1, 2: 1, 3: 1},
    CardType.KNIGHT: {1: 4, 2: 1},
    CardType.PETRIFIED_DRAGON: {2: 5},
    CardType.SORCERESS: {1: 2, 2: 2},
    CardType.SHIP: {0: 6},
}
DECK: Final[tuple[Card, ...]] = tuple(
    card(type_, points)
    for type_, row in _TABLE.items()
    for points, count in row.items()
    for _ in range(count)
)
"""The cards of one player in canonical order."""

assert len(DECK) == 50 and sum(map(value, DECK)) == 81, "DH-1.1: 50 cards, 81 points"
assert list(DECK) == sorted(DECK), "DH-1.1 in canonical order"


# ---- the board (DH-3) ---------------------------------------------------------------------------


@unique
class Fires(Enum):
    """When the effect of a space happens."""

    NEVER = auto()
    EACH_PLAY = auto()
    WHEN_FULL = auto()


@unique
class Afterwards(Enum):
    """Where the cards of a space go when it fires."""

    STAY = auto()
    TAKEN = auto()
    UNDER_SHIP = auto()
    OUT_OF_GAME = auto()


@dataclass(frozen=True, slots=True)
class Space:
    """A row of the table of DH-3.

    Attributes:
        outlines: how many cards fit; None for any number.
        fires: when the effect happens.
        takes: the spaces that the effect empties, in canonical order; the mover chooses of two.
        afterwards: where the cards of the space itself go.
    """

    outlines: int | None
    fires: Fires
    takes: tuple[CardType, ...] = ()
    afterwards: Afterwards = Afterwards.STAY


BOARD: Final[dict[CardType, Space]] = {
    CardType.DWARF: Space(4, Fires.WHEN_FULL, (CardType.DWARF,), Afterwards.TAKEN),
    CardType.HUNTRESS: Space(3, Fires.WHEN_FULL, (CardType.FIRE_DRAGON,), Afterwards.UNDER_SHIP),
    CardType.FIRE_DRAGON: Space(None, Fires.EACH_PLAY, (CardType.TREASURE,)),
    CardType.TREASURE: Space(None, Fires.NEVER),
    CardType.TROLL: Space(None, Fires.EACH_PLAY, (CardType.SORCERESS,)),
    CardType.KNIGHT: Space(
        2, Fires.WHEN_FULL, (CardType.TROLL, CardType.SORCERESS), Afterwards.UNDER_SHIP
    ),
    CardType.PETRIFIED_DRAGON: Space(None, Fires.NEVER),
    CardType.SORCERESS: Space(
        None, Fires.EACH_PLAY, (CardType.TREASURE, CardType.PETRIFIED_DRAGON)
    ),
    # What a full ship takes lies under it (DH-3.9), not on a space of its own.
    CardType.SHIP: Space(3, Fires.WHEN_FULL, (), Afterwards.OUT_OF_GAME),
}

# The same table by column, for the inner loops.
OUTLINES: Final = tuple(BOARD[type_].outlines for type_ in CardType)
TAKES: Final = tuple(BOARD[type_].takes for type_ in CardType)
FIRES_EACH_PLAY: Final = tuple(BOARD[type_].fires is Fires.EACH_PLAY for type_ in CardType)
MOVES_UNDER_SHIP: Final = tuple(
    BOARD[type_].afterwards is Afterwards.UNDER_SHIP for type_ in CardType
)

"""The components of Dragonkeepers as data, and cards as small numbers.

A card is a number whose order is the canonical order: fronts R, W, B, G, then the shadow; number
cards before colour cards; numbers and back colours ascending. Identical cards are equal numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from dragonhall_engine.core.rng import Labels

NAME = "dragonkeepers"
SEATS = range(2, 5)

LEFT, RIGHT = 0, 1
"""Index of a page, of its deck, and of an end of a row."""
PAGES = (LEFT, RIGHT)
ENDS = ("left", "right")
"""Notation of LEFT and RIGHT."""
SEAT_LETTERS = "ABCD"
"""Notation of seats."""

COLOURS = range(4)
COLOUR_LETTERS = "RWBG"

# ---- cards (DK-1.1 to DK-1.4) -------------------------------------------------------------------

_NUMBERS = 5
_KINDS_PER_FRONT = _NUMBERS + len(COLOURS)
SHADOW = _KINDS_PER_FRONT * len(COLOURS)
"""The joker: the only card without a colour, and the highest in canonical order."""
SHADOW_NUMBER = 6
SHADOW_FRONT = len(COLOURS)
SHADOWS = 11
CARD_KINDS = SHADOW + 1
CARDS = 123


def number_card(front: int, number: int) -> int:
    """Return the card with a coloured front and a number 1-5 on its back."""
    return front * _KINDS_PER_FRONT + number - 1


def colour_card(front: int, back: int) -> int:
    """Return the card with a coloured front and a small dragon on its back."""
    return front * _KINDS_PER_FRONT + _NUMBERS + back


def _page(card: int) -> int:
    return RIGHT if card != SHADOW and card % _KINDS_PER_FRONT >= _NUMBERS else LEFT


def _shown(card: int) -> int:
    kind = card % _KINDS_PER_FRONT
    if card == SHADOW:
        return SHADOW_NUMBER
    return kind - _NUMBERS if _page(card) == RIGHT else kind + 1


def _value(card: int) -> int:
    if card == SHADOW:
        return 0
    return 2 if _page(card) == RIGHT else _shown(card)


def _card_name(card: int) -> str:
    if card == SHADOW:
        return f"S|{SHADOW_NUMBER}"
    letter = COLOUR_LETTERS[card // _KINDS_PER_FRONT]
    if _page(card) == RIGHT:
        return f"{letter}>{COLOUR_LETTERS[_shown(card)]}"
    return f"{letter}|{_shown(card)}"


FRONT = tuple(card // _KINDS_PER_FRONT for card in range(CARD_KINDS))
"""Colour of each card's front; `SHADOW_FRONT` for the shadow."""
PAGE = tuple(_page(card) for card in range(CARD_KINDS))
"""The page a card fits: LEFT for number cards and shadows, RIGHT for colour cards (DK-4.2)."""
SHOWN = tuple(_shown(card) for card in range(CARD_KINDS))
"""What a card's back shows on its page: a number 1-6 on the left, a colour on the right."""
VALUE = tuple(_value(card) for card in range(CARD_KINDS))
"""Points of a played card where the edition scores it (DK-1.7)."""
CARD_NAMES = tuple(_card_name(card) for card in range(CARD_KINDS))
"""Notation of each card."""
CARD_BY_NAME: Mapping[str, int] = MappingProxyType(
    {
        name: card
        for card, name in enumerate(CARD_NAMES)
        if PAGE[card] == LEFT or FRONT[card] != SHOWN[card]
    }
)
"""Cards by notation, without the four that do not exist: front and back never agree (DK-1.3)."""

NUMBER_COPIES: Mapping[int, int] = MappingProxyType({1: 2, 2: 3, 3: 3, 4: 3, 5: 2})
"""Copies of each number, per front colour (DK-1.2)."""
COLOUR_COPIES = ((0, 4, 4, 5), (4, 0, 5, 4), (4, 5, 0, 4), (5, 4, 4, 0))
"""Copies of each colour card: front is the row, back the column (DK-1.3)."""

LEFT_DECK = tuple(
    number_card(front, number)
    for front in COLOURS
    for number, copies in NUMBER_COPIES.items()
    for _ in range(copies)
)
RIGHT_DECK = tuple(
    colour_card(front, back)
    for front in COLOURS
    for back in COLOURS
    for _ in range(COLOUR_COPIES[front][back])
)
DECKS = (LEFT_DECK, RIGHT_DECK)
"""The unshuffled decks in canonical order."""
STARTERS = tuple(CARD_BY_NAME[name] for name in "R>B R>W B>G B>R G>W G>B W>R W>G".split())
"""The eight cards with a red ribbon, in canonical order; no two are alike (DK-1.4)."""
STARTERS_BY_TURN = (0, 1, 2, 3)
"""How many starters the first, second, … player in turn order gets (DK-2.2)."""

assert len(LEFT_DECK) == len(RIGHT_DECK) == 52
assert len(LEFT_DECK) + len(RIGHT_DECK) + len(STARTERS) + SHADOWS == CARDS
assert all(list(deck) == sorted(deck) for deck in DECKS)
assert len(set(STARTERS)) == len(STARTERS) == 8

# ---- other pieces (DK-1.5, DK-1.6) --------------------------------------------------------------

PIECE_COPIES: Mapping[int, int] = MappingProxyType(
    {1: 8, 4: 8, 6: 5, 8: 4, 10: 8, 12: 4, 16: 5, 20: 3}
)
PIECE_VALUES = tuple(PIECE_COPIES)
"""Values of the piles of amulet pieces, ascending; piles are known by their index here."""
PIECES = tuple(pile for pile, n in enumerate(PIECE_COPIES.values()) for _ in range(n))
"""All 45 pieces, as piles, in canonical order."""
PIECES_REMOVED: Mapping[int, int] = MappingProxyType({2: 16, 3: 12, 4: 8})
"""Pieces that leave before the game, by number of seats (DK-2.5)."""
PIECES_PER_AMULET = 3

PEARLS = (3,) * 4 + (4,) * 4 + (8,) * 4 + (9,) * 3
"""Values of all pearls in canonical order; the first two values are blue, the others red."""
CRYSTALS = 10
EGGS = 9
CRESTS = (16, 10, 6)
"""Points of the crests in the order in which they go (DK-6.2)."""
EGG_POINTS = 4
MOST_EGGS_POINTS = 16

assert len(PIECES) == 45
assert len(PEARLS) == 15

# ---- rules as data ------------------------------------------------------------------------------

EMPTY = -1
"""An empty slot of the offer."""
SLOT_NAMES = ("L1", "L2", "R1", "R2")
SLOT_PAGE = (LEFT, LEFT, RIGHT, RIGHT)
"""Which deck fills each slot."""
FREE_TAKES = 3


@dataclass(frozen=True, slots=True)
class Edition:
    """A coherent set of the switches in which the source text and the published game differ.

    Attributes:
        name: one of `EDITIONS`.
        slots: the slots of the offer, in canonical order (DK-2.4).
        finishes_round: whether a triggered end waits for the end of the round (DK-7.1).
        scores_played: whether played cards score their value (DK-8.3).
    """

    name: str
    slots: tuple[int, ...]
    finishes_round: bool
    scores_played: bool


SOURCE = Edition("source", slots=(0, 1, 2, 3), finishes_round=True, scores_played=True)
PUBLISHED = Edition("published", slots=(0, 2), finishes_round=False, scores_played=False)
RULES: Mapping[str, Edition] = MappingProxyType({e.name: e for e in (SOURCE, PUBLISHED)})
EDITIONS = tuple(RULES)
"""Names of the editions, the default first."""


@dataclass(frozen=True, slots=True)
class Reward:
    """What a set of one size brings besides a piece (DK-6).

    Attributes:
        highest: whether the piece is one of the highest value left, else of the lowest.
        crystal, shadow, egg: which bonuses it brings.
    """

    highest: bool = False
    crystal: bool = False
    shadow: bool = False
    egg: bool = False


REWARDS: Mapping[int, Reward] = MappingProxyType(
    {
        1: Reward(crystal=True),
        2: Reward(shadow=True),
        3: Reward(egg=True),
        4: Reward(crystal=True, egg=True),
        5: Reward(shadow=True, egg=True),
        6: Reward(highest=True),
    }
)
"""The reward by the number of cards in the set."""

AMULETS_TO_END: Mapping[int, int] = MappingProxyType({2: 7, 3: 8, 4: 9})
"""Completed amulets of all players together that trigger the end, by seats (DK-7.1)."""
STALL_ROUNDS = 12
MAX_ROUNDS = 60
"""Bounds of a game in which nobody plays (DK-7.2)."""

LABELS = Labels(
    frozenset({"start", "deck:left:0", "deck:right:0", "starters:0", "amulets:0", "pearls:0"})
)
"""Every purpose that the deal draws luck for; no luck is drawn later."""
DECK_LABELS = ("deck:left:0", "deck:right:0")

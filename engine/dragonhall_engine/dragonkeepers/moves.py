"""What a seat may decide: one decision is one move."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Take:
    """Take a card of the offer (DK-3.1), the fourth for a crystal (DK-3.2).

    Attributes:
        slot: index into `cards.SLOT_NAMES`.
        with_crystal: whether the mover pays a crystal for it.
    """

    slot: int
    with_crystal: bool = False


@dataclass(frozen=True, slots=True)
class EndTake:
    """Take no more."""


@dataclass(frozen=True, slots=True)
class Book:
    """Put a hand card, book side up, on a page (DK-4.1).

    Attributes:
        page: LEFT or RIGHT.
        card: a card of the hand.
    """

    page: int
    card: int


@dataclass(frozen=True, slots=True)
class EndBook:
    """Change no further page."""


@dataclass(frozen=True, slots=True)
class Play:
    """Play a set of cards to the row (DK-5).

    Attributes:
        cards: the very cards (DK-5.6); a multiset, ascending once canonical.
        side: LEFT or RIGHT end of the row for a new colour; None where it does not matter (DK-5.3).
    """

    cards: tuple[int, ...]
    side: int | None = None


@dataclass(frozen=True, slots=True)
class Pass:
    """Play no set (DK-5.5)."""


Move: TypeAlias = Take | EndTake | Book | EndBook | Play | Pass

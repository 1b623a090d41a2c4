"""What a seat may submit: cards of one type and, where two piles are open, which one to take."""

from dataclasses import dataclass

from dragonhall_engine.dragonheart.cards import Card, CardType


@dataclass(frozen=True, slots=True)
class Move:
    """One whole turn: play, choice included (DH-4.7).

    A move is a multiset: the order of `cards` does not matter to the rules. `legal_moves` and
    the log write cards in canonical order and a target only where two piles are open.

    Attributes:
        cards: the cards to play.
        target: the space whose pile to take, for sorceresses and knights (DH-4.4).
    """

    cards: tuple[Card, ...]
    target: CardType | None = None

"""Greed, one decision at a time: the most points for the reader, less what the others can follow.

A booking is judged by the play that it prepares; a take by the card and by the requirement that
the next page may show, as everybody can count it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import inf

from dragonhall.bots.dragonkeepers.reading import read_move, read_view
from dragonhall.bots.dragonkeepers.worth import Weights, Worth
from dragonhall.v1 import game_pb2
from dragonhall_engine.dragonkeepers import (
    Book,
    DeckView,
    EndBook,
    EndTake,
    Move,
    Pass,
    Play,
    Take,
    View,
)
from dragonhall_engine.dragonkeepers.cards import (
    FREE_TAKES,
    LEFT,
    PAGES,
    RULES,
    SHOWN,
    SLOT_PAGE,
)

STANDARD = Weights()


class GreedyBot:
    """Implements `bots.bot.Bot` for Dragonkeepers; the same view gives the same move."""

    def choose(
        self, view: game_pb2.View, moves: Sequence[game_pb2.Move], seconds: float = inf
    ) -> int:
        """Return the index of the best move."""
        typed = view.dragonkeepers
        seen = read_view(typed, typed.seat_to_move)
        return best(seen, [read_move(move.dragonkeepers) for move in moves])


def best(view: View, moves: Sequence[Move], weights: Weights = STANDARD) -> int:
    """Return the index of the best of the legal moves of the view's reader; ties to the first."""
    if len(moves) == 1:
        return 0
    worth = Worth(view, weights)
    plans = _plans(worth, moves)
    return max(range(len(moves)), key=lambda n: _worth(worth, moves[n], plans))


def _worth(worth: Worth, move: Move, plans: dict[int | None, float]) -> float:
    """Return what a move is worth beside the other moves of the same step."""
    match move:
        case Take():
            return _take(worth, move)
        case EndTake():
            return worth.prospect(worth.mine, *worth.view.requirement)
        case Book(_, card):
            return plans[card]
        case EndBook():
            return plans[None]
        case Play(cards, side):
            return worth.set(cards, side)
        case Pass():
            return 0.0


# ---- TAKE ---------------------------------------------------------------------------------------


def _take(worth: Worth, take: Take) -> float:
    view, holding = worth.view, worth.mine
    card = view.offer[RULES[view.edition].slots.index(take.slot)]
    assert card is not None
    kept = worth.card(card, holding)
    if take.with_crystal:
        kept -= worth.crystal
    holding.add(card)
    page = SLOT_PAGE[take.slot]
    ahead = sum(
        chance * worth.prospect(holding, *_turned(view, page, shown))
        for shown, chance in _next_shown(view.decks[page])
    )
    holding.add(card, -1)
    return kept + (ahead if view.taken + 1 >= FREE_TAKES else worth.weights.early * ahead)


def _turned(view: View, page: int, shown: int) -> tuple[int, int]:
    """Return the requirement once a page shows something else."""
    number, colour = view.requirement
    return (shown, colour) if page == LEFT else (number, shown)


def _next_shown(deck: DeckView) -> Iterator[tuple[int, float]]:
    """Yield what the page may show after a refill, each with its chance."""
    if deck.size < 2:
        yield deck.shown, 1.0
    elif len(deck.booked) > 1:
        yield SHOWN[deck.booked[1]], 1.0
    elif deck.booked:
        yield deck.unseen_shown, 1.0
    else:
        below = Counter(map(SHOWN.__getitem__, deck.unseen))
        below[deck.unseen_shown] -= 1
        for shown, count in below.items():
            yield shown, count / (deck.size - 1)


# ---- BOOK ---------------------------------------------------------------------------------------


def _plans(worth: Worth, moves: Sequence[Move]) -> dict[int | None, float]:
    """Return the best that the book can prepare with each card, and with none."""
    books = [move for move in moves if isinstance(move, Book)]
    plans: dict[int | None, float] = {move.card: -inf for move in books}
    lefts, rights = (_cheapest(worth, books, page) for page in PAGES)
    for left in lefts:
        for right in rights:
            planned = _plan(worth, left, right)
            for card in (left, right):
                if card is not None:
                    plans[card] = max(plans[card], planned)
    plans[None] = _plan(worth, None, None)
    return plans


def _cheapest(worth: Worth, books: Sequence[Book], page: int) -> list[int | None]:
    """Return no card, and of the cards that show the same on a page the one to do without."""
    by_shown: dict[int, int] = {}
    cards = [move.card for move in books if move.page == page]
    for card in sorted(cards, key=lambda card: worth.card(card, worth.mine)):
        by_shown.setdefault(SHOWN[card], card)
    return [None, *by_shown.values()]


def _plan(worth: Worth, left: int | None, right: int | None) -> float:
    """Return what the requirement is worth after two bookings, less the cards they take."""
    number, colour = worth.view.requirement
    booked = [card for card in (left, right) if card is not None]
    cost = 0.0
    for card in booked:
        cost += worth.card(card, worth.mine)
        worth.mine.add(card, -1)
    number = number if left is None else SHOWN[left]
    colour = colour if right is None else SHOWN[right]
    planned = worth.prospect(worth.mine, number, colour) - cost
    for card in booked:
        worth.mine.add(card)
    return planned

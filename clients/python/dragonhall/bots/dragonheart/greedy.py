"""One-ply greed: the best sum of points taken minus what the opponent could take at once.

Ties go to the cards that are least useful to the opponent where they lie. What the opponent holds
is hidden; it could play whatever of its 50 cards it has not played yet.
"""

from collections.abc import Sequence
from math import inf

from dragonhall.bots.dragonheart.reading import read_move, read_view
from dragonhall.v1 import game_pb2
from dragonhall_engine.dragonheart import CardType, Move, View
from dragonhall_engine.dragonheart.cards import (
    DRAGON_POINTS,
    FIRES_EACH_PLAY,
    MOVES_UNDER_SHIP,
    OUTLINES,
    TAKES,
    Card,
    card_type,
    value,
)

Stacks = list[list[Card]]
"""The nine spaces, and last the cards under the ship."""

_UNDER_SHIP = len(CardType)


class GreedyBot:
    """Implements `bots.bot.Bot` for Dragonheart; the same view gives the same move."""

    def choose(
        self, view: game_pb2.View, moves: Sequence[game_pb2.Move], seconds: float = inf
    ) -> int:
        """Return the index of the best move."""
        typed = view.dragonheart
        seen = read_view(typed, typed.seat_to_move)
        return best(seen, [read_move(move.dragonheart) for move in moves])


def best(view: View, moves: Sequence[Move]) -> int:
    """Return the index of the best of the legal moves of the view's reader."""
    assert view.reader is not None
    opponent = view.seats[1 - view.reader]
    able = _able(opponent.unseen, opponent.hand_count)
    return max(range(len(moves)), key=lambda n: _worth(view, moves[n], able))


def _worth(view: View, move: Move, able: list[int]) -> tuple[int, int, int]:
    stacks = [list(stack) for stack in view.board] + [list(view.under_ship)]
    mine, dragon = _play(stacks, move, dragon_mine=view.dragon == view.reader)
    theirs = max((_takeable(stacks, CardType(t), able[t], dragon) for t in range(9)), default=0)
    left = sum(value(code) for stack in stacks for code in stack if code in move.cards)
    return mine - theirs, -left, len(move.cards)


def _able(unseen: Sequence[Card], hand: int) -> list[int]:
    """Return per type how many cards the opponent could play at once."""
    counts = [0] * len(CardType)
    for code in unseen:
        counts[card_type(code)] += 1
    return [min(count, hand) for count in counts]


def _play(stacks: Stacks, move: Move, *, dragon_mine: bool) -> tuple[int, bool]:
    """Carry a move out; return the points taken and whether the dragon is the mover's then."""
    kind = card_type(move.cards[0])
    stacks[kind] += move.cards
    if not _fires(stacks, kind):
        return 0, dragon_mine
    source = _source(stacks, kind, move.target)
    taken = _points(stacks[source]) if source is not None else 0
    if source is not None:
        if source == CardType.PETRIFIED_DRAGON and stacks[source] and not dragon_mine:
            taken, dragon_mine = taken + DRAGON_POINTS, True
        stacks[source] = []
    if kind == CardType.SHIP:
        stacks[kind] = []
    elif MOVES_UNDER_SHIP[kind]:
        stacks[_UNDER_SHIP] += stacks[kind]
        stacks[kind] = []
    return taken, dragon_mine


def _fires(stacks: Stacks, kind: CardType) -> bool:
    outlines = OUTLINES[kind]
    return FIRES_EACH_PLAY[kind] or (outlines is not None and len(stacks[kind]) == outlines)


def _source(stacks: Stacks, kind: CardType, target: CardType | None) -> int | None:
    if kind == CardType.SHIP:
        return _UNDER_SHIP
    if target is not None:
        return target
    return next((space for space in TAKES[kind] if stacks[space]), None)


def _takeable(stacks: Stacks, kind: CardType, able: int, dragon_mine: bool) -> int:
    """Return the most points that the opponent could take by playing cards of one type."""
    outlines = OUTLINES[kind]
    needed = 1 if outlines is None else outlines - len(stacks[kind])
    if able < needed or not (outlines or FIRES_EACH_PLAY[kind]):
        return 0
    if kind == CardType.SHIP:
        return _points(stacks[_UNDER_SHIP])
    return max(_prize(stacks, space, dragon_mine) for space in TAKES[kind])


def _prize(stacks: Stacks, space: CardType, dragon_mine: bool) -> int:
    """Return what a space is worth to the opponent; losing the dragon costs its points too."""
    extra = DRAGON_POINTS if space == CardType.PETRIFIED_DRAGON and stacks[space] else 0
    return _points(stacks[space]) + (2 * extra if dragon_mine else extra)


def _points(cards: Sequence[Card]) -> int:
    return sum(value(code) for code in cards)

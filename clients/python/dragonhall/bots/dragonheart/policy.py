"""How the search plays Dragonheart on, and what a state is worth."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from dragonhall.bots.ismcts.luck import Luck
from dragonhall.bots.ismcts.policy import shares
from dragonhall_engine.core.game import Seat
from dragonhall_engine.dragonheart import CardType, Move, State, advance, legal_moves
from dragonhall_engine.dragonheart.cards import (
    DRAGON_POINTS,
    FIRES_EACH_PLAY,
    OUTLINES,
    TAKES,
    Card,
    card_type,
    value,
)
from dragonhall_engine.dragonheart.outcome import points


@dataclass(frozen=True, slots=True)
class DragonheartPolicy:
    """Implements `ismcts.policy.Policy`: takes the most points at once, else plays anything.

    Attributes:
        exploration: the constant of UCB1.
        widening: all moves of a place are compared, for there are few.
        horizon: moves of a roll-out. A short one: what a move brings shows within a few turns,
            and every further turn adds as much noise again.
        mistakes: how often, 0-1, a roll-out plays just anything.
        points: a seat that leads by so many has 2.7 times the chance of the other.
    """

    exploration: float = 0.3
    widening: float = inf
    horizon: int = 3
    mistakes: float = 0.1
    points: float = 6.0

    def pick(self, state: State, moves: Sequence[Move], luck: Luck) -> Move:
        """Return a move that takes the most points, each such move as likely as the others."""
        if len(moves) > 1 and luck.random() >= self.mistakes:
            gains = [_gain(state, move) for move in moves]
            most = max(gains)
            moves = [move for move, gain in zip(moves, gains, strict=True) if gain == most]
        return moves[luck.below(len(moves))]

    def rewards(self, state: State, luck: Luck) -> list[float]:
        """Play a few moves, then share the win out by points; the dragon breaks a tie (DH-6.5)."""
        for _ in range(self.horizon):
            if state.over:
                break
            advance(state, self.pick(state, legal_moves(state, state.to_move), luck))
        return shares([_standing(state, seat) for seat in (0, 1)], self.points)


def _standing(state: State, seat: Seat) -> float:
    return points(state, seat) + (0.5 if state.dragon == seat else 0.0)


def _gain(state: State, move: Move) -> int:
    """Return the points that a move takes at once; the dragon's count for both seats."""
    board, kind = state.board, card_type(move.cards[0])
    outlines = OUTLINES[kind]
    if outlines is not None:
        if len(board[kind]) + len(move.cards) < outlines:
            return 0
        if kind == CardType.SHIP:
            return _worth(state.under_ship)
        if kind == CardType.DWARF:
            return _worth(board[kind]) + _worth(move.cards)
    elif not FIRES_EACH_PLAY[kind]:
        return 0
    source = move.target
    if source is None:
        source = next((space for space in TAKES[kind] if board[space]), None)
    if source is None:
        return 0
    return _worth(board[source]) + _dragon(state, source)


def _dragon(state: State, source: CardType) -> int:
    if source != CardType.PETRIFIED_DRAGON or state.dragon == state.to_move:
        return 0
    return DRAGON_POINTS if state.dragon is None else 2 * DRAGON_POINTS


def _worth(cards: Sequence[Card]) -> int:
    return sum(map(value, cards))

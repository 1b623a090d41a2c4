"""What is legal: `check` judges a move, `legal_moves` lists all; both ask the same questions.

Rules: DH-4.1, DH-4.2, DH-4.4, DH-4.5, DH-4.9, DH-8.1.
"""

from bisect import bisect_left
from functools import lru_cache
from itertools import combinations
from typing import Final

from dragonhall_engine.core.errors import IllegalMove, InvalidSeat, Violation
from dragonhall_engine.core.game import Seat
from dragonhall_engine.dragonheart.cards import (
    FIRES_EACH_PLAY,
    OUTLINES,
    SEAT_COUNT,
    TAKES,
    Card,
    CardType,
    card,
    card_type,
)
from dragonhall_engine.dragonheart.moves import Move
from dragonhall_engine.dragonheart.state import State

ANY_NUMBER: Final = 100
"""Free outlines of a space without outlines: more than there are cards to lay."""

OVER: Final = Violation("DH-4.9", "MATCH_OVER", "the match has ended")
NOT_TO_MOVE: Final = Violation("DH-4.9", "NOT_YOUR_TURN", "another seat is to move")
NO_CARDS: Final = Violation("DH-4.1", "NO_CARDS", "a move plays at least one card")
NOT_IN_HAND: Final = Violation("DH-4.9", "NOT_IN_HAND", "the seat does not hold these cards")
MIXED_TYPES: Final = Violation("DH-4.1", "MIXED_TYPES", "a move plays cards of one type")
TOO_MANY: Final = Violation("DH-4.2", "TOO_MANY", "more cards than free outlines")
TARGET_REQUIRED: Final = Violation(
    "DH-4.4", "TARGET_REQUIRED", "two piles are open: name the one to take"
)
TARGET_INVALID: Final = Violation(
    "DH-4.5", "TARGET_INVALID", "the target is not one of the piles to choose from"
)


def free_outlines(board: list[list[Card]], type_: int) -> int:
    """Return how many cards still fit on a space (DH-4.2)."""
    outlines = OUTLINES[type_]
    return ANY_NUMBER if outlines is None else outlines - len(board[type_])


def fires(type_: int, count: int, free: int) -> bool:
    """Say whether laying `count` cards where `free` outlines are left fires the space (DH-3)."""
    return FIRES_EACH_PLAY[type_] or count == free


def choices(board: list[list[Card]], type_: int) -> tuple[CardType, ...]:
    """List the open piles among the two that a sorceress or a knight chooses from (DH-4.4)."""
    takes = TAKES[type_]
    return tuple(pile for pile in takes if board[pile]) if len(takes) == 2 else ()


def seat_to_move(state: State) -> Seat | None:
    """Return whose turn it is; None after the end."""
    return None if state.over else state.to_move


def check(state: State, seat: Seat, move: Move) -> Violation | None:
    """Say which rule a move breaks, or nothing.

    Raises:
        InvalidSeat: `seat` is neither 0 nor 1.
    """
    _require_seat(seat)
    if state.over:
        return OVER
    if seat != state.to_move:
        return NOT_TO_MOVE
    if not move.cards:
        return NO_CARDS
    hand = state.hands[seat]
    if any(move.cards.count(code) > hand.count(code) for code in move.cards):
        return NOT_IN_HAND
    return _check_play(state.board, move)


def legal_moves(state: State, seat: Seat) -> tuple[Move, ...]:
    """List what a seat may do now.

    Returns:
        Distinct moves in canonical order; empty if the seat is not to move or the match is over.

    Raises:
        InvalidSeat: `seat` is neither 0 nor 1.
    """
    _require_seat(seat)
    if state.over or seat != state.to_move:
        return ()
    board = state.board
    hand = state.hands[seat]
    moves: list[Move] = []
    start = 0
    while start < len(hand):
        type_ = card_type(hand[start])
        end = bisect_left(hand, card(type_, 0) + 5, start)
        piles = choices(board, type_)
        moves += _plays(tuple(hand[start:end]), free_outlines(board, type_), piles)
        start = end
    return tuple(moves)


def default_moves(state: State) -> tuple[Move, ...]:
    """Return the first legal move that plays one card, with the first open target (DH-8.1).

    Raises:
        IllegalMove: the match is over.
    """
    for move in legal_moves(state, state.to_move):
        if len(move.cards) == 1:
            return (move,)
    raise IllegalMove(OVER)


def public_pass(state: State) -> Move | None:
    """Return None: nobody passes in Dragonheart."""
    return None


def canonical(state: State, move: Move) -> Move:
    """Return a legal move as the log writes it: cards in order, a target only if two are open."""
    cards = tuple(sorted(move.cards))
    return Move(cards, move.target if len(_open_choices(state.board, cards)) == 2 else None)


def _check_play(board: list[list[Card]], move: Move) -> Violation | None:
    type_ = card_type(move.cards[0])
    if any(card_type(code) != type_ for code in move.cards):
        return MIXED_TYPES
    if len(move.cards) > free_outlines(board, type_):
        return TOO_MANY
    piles = _open_choices(board, move.cards)
    if move.target is None:
        return TARGET_REQUIRED if len(piles) == 2 else None
    return None if move.target in piles else TARGET_INVALID


def _open_choices(board: list[list[Card]], cards: tuple[Card, ...]) -> tuple[CardType, ...]:
    type_ = card_type(cards[0])
    if not fires(type_, len(cards), free_outlines(board, type_)):
        return ()
    return choices(board, type_)


# A pure function of few possible arguments (about 1,000): the cache saves building equal moves.
@lru_cache(maxsize=4096)
def _plays(cards: tuple[Card, ...], free: int, piles: tuple[CardType, ...]) -> tuple[Move, ...]:
    type_ = card_type(cards[0])
    moves = []
    for count in range(1, min(len(cards), free) + 1):
        choose = len(piles) == 2 and fires(type_, count, free)
        targets: tuple[CardType | None, ...] = piles if choose else (None,)
        for played in dict.fromkeys(combinations(cards, count)):
            moves += [Move(played, target) for target in targets]
    return tuple(moves)


def _require_seat(seat: Seat) -> None:
    if not 0 <= seat < SEAT_COUNT:
        raise InvalidSeat(f"dragonheart has no seat {seat}")

"""What is legal. `check` judges one move; `legal_moves` asks the same small questions.

Every violation is a fixed text, so it can name nothing that is hidden.
"""

from collections.abc import Iterator

from dragonhall_engine.core.errors import IllegalMove, Violation
from dragonhall_engine.core.game import Seat
from dragonhall_engine.dragonkeepers.cards import (
    CARD_KINDS,
    EMPTY,
    FREE_TAKES,
    FRONT,
    LEFT,
    PAGE,
    PAGES,
    RIGHT,
    SHADOW,
    SLOT_NAMES,
    SLOT_PAGE,
)
from dragonhall_engine.dragonkeepers.moves import Book, EndBook, EndTake, Move, Pass, Play, Take
from dragonhall_engine.dragonkeepers.state import NOBODY, Area, Phase, State, require_seat

_MATCH_OVER = Violation("DK-11.1", "MATCH_OVER", "the match is over")
_NOT_YOUR_TURN = Violation("DK-11.1", "NOT_YOUR_TURN", "another seat is to decide")
_WRONG_STEP = Violation("DK-11.1", "WRONG_STEP", "the turn is at another step")
_NO_SUCH_SLOT = Violation("DK-2.4", "NO_SUCH_SLOT", "the offer of this edition has no such slot")
_SLOT_EMPTY = Violation("DK-3.4", "SLOT_EMPTY", "the slot is empty")
_TAKE_LIMIT = Violation("DK-3.1", "TAKE_LIMIT", "three cards have been taken")
_TAKE_ONE = Violation("DK-3.1", "TAKE_ONE", "at least one card must be taken")
_TOO_EARLY = Violation("DK-3.2", "CRYSTAL_TOO_EARLY", "a crystal pays for the fourth card only")
_CRYSTAL_ONCE = Violation("DK-3.2", "CRYSTAL_ONCE", "one crystal a turn may be spent")
_NO_CRYSTAL = Violation("DK-3.2", "NO_CRYSTAL", "the seat has no crystal")
_NO_SUCH_PAGE = Violation("DK-4.1", "NO_SUCH_PAGE", "the book has a left and a right page")
_BOOK_NOT_IN_HAND = Violation("DK-4.1", "CARD_NOT_IN_HAND", "the card is not in the hand")
_PAGE_CHANGED = Violation("DK-4.1", "PAGE_CHANGED", "this page has been changed in this turn")
_WRONG_KIND = Violation("DK-4.2", "WRONG_KIND", "the card's back does not fit this page")
_PLAY_NOT_IN_HAND = Violation("DK-5.6", "CARD_NOT_IN_HAND", "not all cards are in the hand")
_WRONG_COUNT = Violation("DK-5.1", "WRONG_COUNT", "the set has another size than the left page")
_WRONG_COLOUR = Violation("DK-5.1", "WRONG_COLOUR", "a card has another colour than the right page")
_ALL_SHADOWS = Violation("DK-5.2", "ALL_SHADOWS", "a set needs a card of the colour itself")
_STACK_CLOSED = Violation("DK-5.4", "STACK_CLOSED", "the stack has a neighbour on both sides")
_SIDE_REQUIRED = Violation("DK-5.3", "SIDE_REQUIRED", "a new colour needs an end of the row")
_NO_SUCH_SIDE = Violation("DK-5.3", "NO_SUCH_SIDE", "a row has a left and a right end")

_PHASES: dict[type[Move], tuple[Phase, ...]] = {
    Take: (Phase.TAKE,),
    EndTake: (Phase.TAKE,),
    Book: (Phase.BOOK,),
    EndBook: (Phase.BOOK,),
    Play: (Phase.PLAY, Phase.FOLLOW),
    Pass: (Phase.PLAY, Phase.FOLLOW),
}

# Moves are values: one object of each of these is enough, and search asks for them all the time.
_TAKES = tuple(Take(slot) for slot in range(len(SLOT_NAMES)))
_CRYSTAL_TAKES = tuple(Take(slot, with_crystal=True) for slot in range(len(SLOT_NAMES)))
_BOOKS = tuple(Book(PAGE[card], card) for card in range(CARD_KINDS))
_END_TAKE, _END_BOOK, _PASS = EndTake(), EndBook(), Pass()
_NO_SIDE = (None,)
_BOTH_SIDES = (LEFT, RIGHT)


# ---- verbs --------------------------------------------------------------------------------------


def seat_to_move(state: State) -> Seat | None:
    """Return the seat that must decide now; None after the end."""
    return None if state.to_move == NOBODY else state.to_move


def check(state: State, seat: Seat, move: Move) -> Violation | None:
    """Say which rule a move breaks, or nothing.

    Raises:
        InvalidSeat: the match has no such seat.

    Rules: DK-3.1, DK-3.2, DK-3.4, DK-4.1, DK-4.2, DK-4.5, DK-5.1 to DK-5.6, DK-11.1.
    """
    require_seat(state, seat)
    if state.phase == Phase.OVER:
        return _MATCH_OVER
    if seat != state.to_move:
        return _NOT_YOUR_TURN
    if state.phase not in _PHASES[type(move)]:
        return _WRONG_STEP
    if isinstance(move, Take):
        return _check_take(state, move)
    if isinstance(move, EndTake):
        return _check_end_take(state)
    if isinstance(move, Book):
        return _check_book(state, move)
    if isinstance(move, Play):
        return _check_play(state, move)
    return None


def legal_moves(state: State, seat: Seat) -> tuple[Move, ...]:
    """List what a seat may do now.

    A set is listed once, as the multiset of its cards: identical cards are one card, but cards
    with the same front and different backs are not (DK-5.6). Sides are listed where they matter.
    So no list is longer than 5,071. The longest one of 10,000 games of random and eager players
    had 513 moves, of 1,200 games of players who hoard cards 2,111.

    Returns:
        Distinct moves in canonical order; empty if the seat is not to move or the match is over.

    Raises:
        InvalidSeat: the match has no such seat.

    Rules: DK-3.1, DK-3.2, DK-3.4, DK-4.1, DK-4.2, DK-5.1 to DK-5.6, DK-11.1.
    """
    require_seat(state, seat)
    if seat != state.to_move:
        return ()
    if state.phase == Phase.TAKE:
        return tuple(_legal_takes(state))
    if state.phase == Phase.BOOK:
        return tuple(_legal_books(state))
    return tuple(_legal_plays(state))


def default_moves(state: State) -> tuple[Move, ...]:
    """Return what the seat to move does when it is out of time or gone (DK-10.1).

    In TAKE that is two moves: one card, and the end of the step.

    Raises:
        IllegalMove: the match is over.
    """
    if state.phase == Phase.OVER:
        raise IllegalMove(_MATCH_OVER)
    if state.phase == Phase.TAKE:
        take = () if state.taken else _default_take(state)
        return (*take, _END_TAKE)
    return (_END_BOOK if state.phase == Phase.BOOK else _PASS,)


def public_pass(state: State) -> Move | None:
    """Return a follower's pass where every spectator knows that it can do nothing else.

    That is so exactly if no hand that a spectator thinks possible holds a legal set. A spectator
    knows the row, the size of the hand, the cards of it that everybody saw taken, and which
    starters nobody has shown yet; any of those may be in this hand. So the best possible hand
    holds its known cards and as many unshown starters of the required colour as it has unknown
    cards. What its own starters are makes no difference: they are counted, and looked at only
    together with those of the other hands and those that left the game.

    The steps of a turn end by its own seat's moves alone, so nothing else is ever returned.
    """
    if state.phase != Phase.FOLLOW:
        return None
    area = state.areas[state.to_move]
    number, colour = state.requirement
    if not _sides(area, colour):
        return _PASS
    reals, shadows = _most_usable(state, area, colour)
    return None if reals and reals + shadows >= number else _PASS


def canonical(state: State, move: Move) -> Move:
    """Return a legal move as the log writes it: cards ascending, an idle side dropped (DK-5.3)."""
    if not isinstance(move, Play):
        return move
    _, colour = state.requirement
    idle = _sides(state.areas[state.to_move], colour) == _NO_SIDE
    return Play(tuple(sorted(move.cards)), None if idle else move.side)


# ---- TAKE (DK-3) --------------------------------------------------------------------------------


def _check_take(state: State, move: Take) -> Violation | None:
    if move.slot not in state.edition.slots:
        return _NO_SUCH_SLOT
    if state.offer[move.slot] == EMPTY:
        return _SLOT_EMPTY
    return _paid_take(state) if move.with_crystal else _free_take(state)


def _free_take(state: State) -> Violation | None:
    return _TAKE_LIMIT if state.taken >= FREE_TAKES else None


def _paid_take(state: State) -> Violation | None:
    if state.taken != FREE_TAKES:
        return _TOO_EARLY if state.taken < FREE_TAKES else _CRYSTAL_ONCE
    return None if state.areas[state.to_move].crystals else _NO_CRYSTAL


def _check_end_take(state: State) -> Violation | None:
    return None if state.taken or not _filled_slots(state) else _TAKE_ONE


def _filled_slots(state: State) -> list[int]:
    offer = state.offer
    return [slot for slot in state.edition.slots if offer[slot] != EMPTY]


def _legal_takes(state: State) -> Iterator[Move]:
    if _free_take(state) is None:
        yield from (_TAKES[slot] for slot in _filled_slots(state))
    elif _paid_take(state) is None:
        yield from (_CRYSTAL_TAKES[slot] for slot in _filled_slots(state))
    if _check_end_take(state) is None:
        yield _END_TAKE


def _default_take(state: State) -> tuple[Move, ...]:
    """Take from the first filled slot of the larger deck, else of the other (DK-10.1), if any."""
    left, right = state.decks
    larger = LEFT if len(left) >= len(right) else RIGHT
    filled = _filled_slots(state)
    slots = [slot for slot in filled if SLOT_PAGE[slot] == larger] or filled
    return tuple(_TAKES[slot] for slot in slots[:1])


# ---- BOOK (DK-4) --------------------------------------------------------------------------------


def _check_book(state: State, move: Book) -> Violation | None:
    """Name the first fault in the order of DK-4.5."""
    if move.page not in PAGES:
        return _NO_SUCH_PAGE
    if move.card not in state.areas[state.to_move].hand:
        return _BOOK_NOT_IN_HAND
    if state.changed[move.page]:
        return _PAGE_CHANGED
    return None if PAGE[move.card] == move.page else _WRONG_KIND


def _legal_books(state: State) -> Iterator[Move]:
    kinds = sorted(set(state.areas[state.to_move].hand))
    for page in PAGES:
        if not state.changed[page]:
            yield from (_BOOKS[card] for card in kinds if PAGE[card] == page)
    yield _END_BOOK


# ---- PLAY and FOLLOW (DK-5) ---------------------------------------------------------------------


def _check_play(state: State, move: Play) -> Violation | None:
    area = state.areas[state.to_move]
    number, colour = state.requirement
    if not _holds(area.hand, move.cards):
        return _PLAY_NOT_IN_HAND
    if len(move.cards) != number:
        return _WRONG_COUNT
    if any(card != SHADOW and FRONT[card] != colour for card in move.cards):
        return _WRONG_COLOUR
    if all(card == SHADOW for card in move.cards):
        return _ALL_SHADOWS
    return _check_side(_sides(area, colour), move.side)


def _check_side(sides: tuple[int | None, ...], side: int | None) -> Violation | None:
    if not sides:
        return _STACK_CLOSED
    if side is not None and side not in _BOTH_SIDES:
        return _NO_SUCH_SIDE
    return _SIDE_REQUIRED if side is None and sides == _BOTH_SIDES else None


def _holds(hand: list[int], cards: tuple[int, ...]) -> bool:
    return all(cards.count(card) <= hand.count(card) for card in cards)


def _sides(area: Area, colour: int) -> tuple[int | None, ...]:
    """Return the sides to choose from: none if the stack is closed, None if it does not matter."""
    row = area.row
    if colour in row:
        return _NO_SIDE if colour in (row[0], row[-1]) else ()
    return _BOTH_SIDES if row else _NO_SIDE


def _legal_plays(state: State) -> Iterator[Move]:
    area = state.areas[state.to_move]
    number, colour = state.requirement
    sides = _sides(area, colour)
    if sides:
        reals = [card for card in area.hand if FRONT[card] == colour]
        pool = reals + [SHADOW] * area.hand.count(SHADOW)
        # Shadows sort last, so a set holds a real card exactly if its first card is one (DK-5.2).
        for cards in _sets(pool, number, len(reals)):
            for side in sides:
                yield Play(cards, side)
    yield _PASS


def _sets(pool: list[int], size: int, firsts: int) -> Iterator[tuple[int, ...]]:
    """Yield each multiset of a sorted pool once, in order; its first card is among `firsts`."""
    previous = EMPTY
    for at in range(min(firsts, len(pool) - size + 1)):
        card = pool[at]
        if card == previous:
            continue
        previous = card
        if size == 1:
            yield (card,)
        else:
            rest = pool[at + 1 :]
            for others in _sets(rest, size - 1, len(rest)):
                yield (card, *others)


def _most_usable(state: State, area: Area, colour: int) -> tuple[int, int]:
    """Return the most real cards of a colour that a spectator thinks possible, and the shadows."""
    unshown = sum(_of_colour(other.starters, colour) for other in state.areas)
    unshown += _of_colour(state.starters_out, colour)
    known = _of_colour(area.hand, colour) - _of_colour(area.starters, colour)
    return known + min(len(area.starters), unshown), area.hand.count(SHADOW)


def _of_colour(cards: list[int], colour: int) -> int:
    return sum(FRONT[card] == colour for card in cards)

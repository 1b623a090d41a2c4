"""One judge of legality: `check`, `legal_moves` and `apply` agree on every move."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragonhall_engine import dragonkeepers
from dragonhall_engine.core.errors import IllegalMove, InvalidSeat
from dragonhall_engine.dragonkeepers import (
    Book,
    EndBook,
    EndTake,
    Move,
    Pass,
    Phase,
    Play,
    State,
    Take,
)
from dragonhall_engine.dragonkeepers.cards import CARD_KINDS
from tests.budget import cases
from tests.engine.dragonkeepers.matches import near_plays, states

EXAMPLES = cases(ci=300, sweep=20_000)
KINDS = (Take, EndTake, Book, EndBook, Play, Pass)

small_moves = st.one_of(
    st.builds(Take, st.integers(-1, 4), st.booleans()),
    st.builds(Book, st.integers(-1, 2), st.integers(-1, CARD_KINDS)),
    st.builds(
        Play,
        st.lists(st.integers(-1, CARD_KINDS), max_size=6).map(tuple),
        st.none() | st.integers(-1, 2),
    ),
    st.sampled_from([EndTake(), EndBook(), Pass()]),
)
"""Moves of all kinds, most of them illegal."""


def _order(move: Move) -> tuple[int, int, tuple[int, ...], int]:
    """The canonical order of the rules page: moves as they are listed, then slots, pages, cards."""
    kind = KINDS.index(type(move))
    match move:
        case Take(slot, with_crystal):
            return kind, int(with_crystal), (slot,), 0
        case Book(page, card):
            return kind, page, (card,), 0
        case Play(cards, side):
            return kind, 0, cards, -1 if side is None else side
    return kind, 0, (), 0


def _every_move(state: State) -> list[Move]:
    """Every move that could be legal, with every side and every set of the right size or nearly."""
    hand = state.areas[state.to_move].hand
    number, colour = state.requirement
    fitting = [card for card in hand if card // 9 in (colour, 4)]
    sets = {cards for n in {1, number} for cards in combinations(fitting, n)}
    takes = [Take(slot, crystal) for slot in range(4) for crystal in (False, True)]
    books = [Book(page, card) for page in (0, 1) for card in set(hand)]
    plays = [Play(cards, side) for cards in sets for side in (None, 0, 1)]
    return [*takes, *books, *plays, EndTake(), EndBook(), Pass()]


@settings(max_examples=EXAMPLES // 2, deadline=None)
@given(states)
def test_legal_moves_are_all_that_check_lets_pass(state: State) -> None:
    if state.phase == Phase.OVER:
        return
    seat = state.to_move
    legal = [move for move in _every_move(state) if dragonkeepers.check(state, seat, move) is None]
    canonical = {dragonkeepers.canonical(state, move) for move in legal}
    assert set(dragonkeepers.legal_moves(state, seat)) == canonical


@settings(max_examples=EXAMPLES, deadline=None)
@given(states)
def test_legal_moves_are_distinct_and_in_canonical_order(state: State) -> None:
    for seat in range(state.seats):
        legal = dragonkeepers.legal_moves(state, seat)
        assert list(legal) == sorted(set(legal), key=_order)
        assert all(dragonkeepers.canonical(state, move) == move for move in legal)


@settings(max_examples=EXAMPLES, deadline=None)
@given(states, st.lists(small_moves, max_size=10), st.integers(0, 3), st.integers(0, 2**32))
def test_check_and_apply_agree_on_any_move(
    state: State, anything: list[Move], seat: int, seed: int
) -> None:
    seat %= state.seats
    for move in (*anything, *near_plays(state, seed)):
        violation = dragonkeepers.check(state, seat, move)
        if violation is None:
            assert dragonkeepers.canonical(state, move) in dragonkeepers.legal_moves(state, seat)
            dragonkeepers.apply(state, seat, move)
        else:
            with pytest.raises(IllegalMove) as raised:
                dragonkeepers.apply(state, seat, move)
            assert raised.value.violation == violation


@settings(max_examples=EXAMPLES, deadline=None)
@given(states)
def test_the_seat_to_move_always_has_a_move_and_the_others_never(state: State) -> None:
    to_move = dragonkeepers.seat_to_move(state)
    assert (to_move is None) == (state.phase == Phase.OVER)
    for seat in range(state.seats):
        assert bool(dragonkeepers.legal_moves(state, seat)) == (seat == to_move)


@settings(max_examples=EXAMPLES, deadline=None)
@given(states)
def test_the_default_move_is_legal_and_takes_one_card_at_most(state: State) -> None:
    if state.phase == Phase.OVER:
        with pytest.raises(IllegalMove):
            dragonkeepers.default_moves(state)
        return
    seat, phase, taken = state.to_move, state.phase, state.taken
    for move in dragonkeepers.default_moves(state):
        assert move in dragonkeepers.legal_moves(state, seat)
        assert not isinstance(move, Book | Play)
        assert not isinstance(move, Take) or (state.taken == 0 and not move.with_crystal)
        state, _ = dragonkeepers.apply(state, seat, move)
    assert (state.to_move, state.phase, state.taken) != (seat, phase, taken)
    if phase == Phase.TAKE:  # it ends, whatever comes then
        assert (state.to_move, state.phase) != (seat, Phase.TAKE)


def test_where_there_is_nothing_to_take_the_default_is_to_end_the_step() -> None:
    state = dragonkeepers.parse_state("source; seats 2; left R|1 R|2; right R>W R>B")
    assert dragonkeepers.legal_moves(state, 0) == (EndTake(),)
    assert dragonkeepers.default_moves(state) == (EndTake(),)


@pytest.mark.parametrize("seat", [-1, 2])
def test_a_seat_that_is_none_is_refused(seat: int) -> None:
    state = dragonkeepers.parse_state("source; seats 2; left R|1 R|2; right R>W R>B")
    for verb in (
        lambda: dragonkeepers.legal_moves(state, seat),
        lambda: dragonkeepers.check(state, seat, Pass()),
        lambda: dragonkeepers.apply(state, seat, Pass()),
        lambda: dragonkeepers.view(state, seat),
    ):
        with pytest.raises(InvalidSeat):
            verb()

"""One judge of legality: `check`, `legal_moves` and `apply` agree on every move."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragonhall_engine import dragonheart
from dragonhall_engine.core.errors import IllegalMove, InvalidSeat
from dragonhall_engine.dragonheart import CardType, Move, State
from tests.budget import cases
from tests.engine.dragonheart.matches import moves, near_moves, states

EXAMPLES = cases(ci=300, sweep=20_000)


def _order(move: Move) -> tuple[int, int, tuple[int, ...], int]:
    """The canonical order of the rules page: type, number of cards, cards, target."""
    target = -1 if move.target is None else move.target
    return move.cards[0] // 5, len(move.cards), move.cards, target


def _every_play(state: State) -> set[Move]:
    """All multisets of the hand with every target, as `canonical` writes those that are legal."""
    hand = state.hands[state.to_move]
    plays = {cards for n in range(len(hand) + 1) for cards in combinations(hand, n)}
    every = [Move(cards, target) for cards in plays for target in (None, *CardType)]
    legal = [m for m in every if dragonheart.check(state, state.to_move, m) is None]
    return {dragonheart.canonical(state, move) for move in legal}


@settings(max_examples=EXAMPLES // 3)
@given(states)
def test_legal_moves_are_all_that_check_lets_pass(state: State) -> None:
    assert set(dragonheart.legal_moves(state, state.to_move)) == _every_play(state)


@settings(max_examples=EXAMPLES)
@given(states)
def test_legal_moves_are_distinct_and_in_canonical_order(state: State) -> None:
    legal = dragonheart.legal_moves(state, state.to_move)
    assert list(legal) == sorted(set(legal), key=_order)
    assert all(dragonheart.canonical(state, move) == move for move in legal)


@settings(max_examples=EXAMPLES)
@given(states, moves, st.sampled_from((0, 1)), st.data())
def test_check_and_apply_agree_on_any_move(
    state: State, anything: Move, seat: int, data: st.DataObject
) -> None:
    for move in (anything, data.draw(near_moves(state))):
        violation = dragonheart.check(state, seat, move)
        if violation is None:
            assert dragonheart.canonical(state, move) in dragonheart.legal_moves(state, seat)
            dragonheart.apply(state, seat, move)
        else:
            with pytest.raises(IllegalMove) as raised:
                dragonheart.apply(state, seat, move)
            assert raised.value.violation == violation


@settings(max_examples=EXAMPLES)
@given(states)
def test_the_seat_to_move_always_has_a_move_and_the_other_never(state: State) -> None:
    seat = dragonheart.seat_to_move(state)
    assert (seat is None) == state.over
    assert bool(dragonheart.legal_moves(state, state.to_move)) != state.over
    assert not dragonheart.legal_moves(state, 1 - state.to_move)


@settings(max_examples=EXAMPLES)
@given(states)
def test_the_default_move_is_the_first_legal_move(state: State) -> None:
    if state.over:
        with pytest.raises(IllegalMove):
            dragonheart.default_moves(state)
    else:
        assert dragonheart.default_moves(state) == dragonheart.legal_moves(state, state.to_move)[:1]


@pytest.mark.parametrize("seat", [-1, 2])
def test_a_seat_that_is_none_is_refused(seat: int) -> None:
    state = dragonheart.parse_state("move A; A.hand D1")
    for verb in (
        lambda: dragonheart.legal_moves(state, seat),
        lambda: dragonheart.check(state, seat, Move((1,))),
        lambda: dragonheart.apply(state, seat, Move((1,))),
        lambda: dragonheart.view(state, seat),
    ):
        with pytest.raises(InvalidSeat):
            verb()


def test_nobody_passes() -> None:
    last_ships = dragonheart.parse_state("A.hand V V V; ship V V")
    assert dragonheart.public_pass(last_ships) is None

"""A full state drawn from what a reader may know, for search."""

from typing import Final

from dragonhall_engine.core.game import Seat
from dragonhall_engine.core.rng import Chance
from dragonhall_engine.dragonheart.cards import Card
from dragonhall_engine.dragonheart.state import State
from dragonhall_engine.dragonheart.view import View

_WORD: Final = 2**32


def resample(view: View, chance: Chance) -> State:
    """Draw a full state uniformly from all that are consistent with what a reader may know.

    Its root is fresh, so that later luck (DH-5.3) is drawn anew too.
    """
    state = State(_fresh_root(chance), (view.start_seat + view.turn - 1) % 2)
    state.turn = view.turn
    state.piles = [list(seat.pile) for seat in view.seats]
    state.board = [list(stack) for stack in view.board]
    state.under_ship = list(view.under_ship)
    state.dragon = view.dragon
    state.sailings = view.sailings
    state.sent_back = view.sent_back
    state.triggers = view.triggers
    state.over = view.over
    for seat in range(len(view.seats)):
        _deal_unseen(state, view, seat, chance)
    return state


def _deal_unseen(state: State, view: View, seat: Seat, chance: Chance) -> None:
    public = view.seats[seat]
    unseen = list(public.unseen)
    known = _known(view, seat)
    for card in known:
        unseen.remove(card)
    chance.shuffle(unseen)
    order = known + unseen
    state.hands[seat] = sorted(order[: public.hand_count])
    state.decks[seat] = order[public.hand_count :][::-1]  # the top card last
    state.knows_top[seat] = public.knows_top


def _known(view: View, seat: Seat) -> list[Card]:
    """The reader's own hand, then the card on top of its own deck where it knows it."""
    if seat != view.reader or view.hand is None:
        return []
    return [*view.hand] if view.known_top is None else [*view.hand, view.known_top]


def _fresh_root(chance: Chance) -> bytes:
    return b"".join(chance.below(_WORD).to_bytes(4, "big") for _ in range(4))

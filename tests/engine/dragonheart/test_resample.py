"""`resample` is consistent with all that its reader knows, and uniform."""

import random
from collections import Counter
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from dragonhall_engine import dragonheart
from dragonhall_engine.core.rng import Chance
from dragonhall_engine.dragonheart import State, View
from dragonhall_engine.dragonheart.notation import format_cards
from tests.budget import cases
from tests.engine.dragonheart.matches import READERS, Dice, numbers, playout, states

EXAMPLES = cases(ci=300, sweep=10_000)
DRAWS = 6000


@settings(max_examples=EXAMPLES)
@given(states, st.sampled_from(READERS), numbers)
def test_its_reader_sees_what_it_saw(state: State, reader: int | None, number: int) -> None:
    view = dragonheart.view(state, reader)
    drawn = dragonheart.resample(view, Dice(number))
    assert dragonheart.view(drawn, reader) == view
    assert dragonheart.view(drawn, None) == dragonheart.view(state, None)
    assert drawn.root != state.root


@settings(max_examples=EXAMPLES // 3)
@given(states, st.sampled_from(READERS), numbers)
def test_a_drawn_state_can_be_played_to_its_end(
    state: State, reader: int | None, number: int
) -> None:
    drawn = dragonheart.resample(dragonheart.view(state, reader), Dice(number))
    assert dragonheart.decode(dragonheart.encode(drawn)) == drawn
    assert dragonheart.outcome(playout(drawn, random.Random(number))) is not None


def test_equal_luck_gives_equal_states() -> None:
    view = dragonheart.view(dragonheart.parse_state(_SMALL), 0)
    assert dragonheart.resample(view, Dice(1)) == dragonheart.resample(view, Dice(1))


# A knows its hand and its top card: D3 and H1 are left. B's four cards are unknown: 24 orders,
# of which the hand has none: 12 worlds. Together 24 worlds, all equally likely.
_SMALL = "A.hand D1 V; A.deck K1 D3 H1; A.knows_top; B.hand T1 T2; B.deck C1 C2; dragon B; root 00"
_WORLDS = 24
_CHI_SQUARE_LIMIT = 49.7
"""Of 23 degrees of freedom, exceeded once in 1,000 by chance; the draws here are fixed."""

Resample = Callable[[View, Chance], State]


def _chi_square(resample: Resample) -> float:
    """Return how far the worlds drawn are from uniform."""
    view = dragonheart.view(dragonheart.parse_state(_SMALL), 0)
    dice = Dice(7)
    drawn = Counter(_world(resample(view, dice)) for _ in range(DRAWS))
    assert len(drawn) <= _WORLDS
    expected = DRAWS / _WORLDS
    missing = _WORLDS - len(drawn)
    return sum((n - expected) ** 2 / expected for n in drawn.values()) + missing * expected


def _world(state: State) -> str:
    return " | ".join(map(format_cards, (*state.hands, *state.decks)))


def test_every_world_is_equally_likely() -> None:
    assert _chi_square(dragonheart.resample) < _CHI_SQUARE_LIMIT


def _sorted_deck_now_and_then(view: View, chance: Chance) -> State:
    state = dragonheart.resample(view, chance)
    if chance.below(5) == 0:
        state.decks[1].sort()
    return state


def _keeps_the_best_card_in_hand(view: View, chance: Chance) -> State:
    state = dragonheart.resample(view, chance)
    return state if chance.below(5) else dragonheart.resample(view, _NoShuffle())


class _NoShuffle(Dice):
    """Luck that leaves every list as it is."""

    def __init__(self) -> None:
        """Start anywhere."""
        super().__init__(0)

    def shuffle(self, items: list[int]) -> None:
        pass


def test_a_planted_bias_is_caught() -> None:
    for biased in (_sorted_deck_now_and_then, _keeps_the_best_card_in_hand):
        assert _chi_square(biased) > _CHI_SQUARE_LIMIT

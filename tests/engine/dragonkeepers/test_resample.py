"""`resample` is consistent with all that its reader knows, and uniform."""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragonhall_engine import dragonkeepers
from dragonhall_engine.core.rng import Chance
from dragonhall_engine.dragonkeepers import State, View
from dragonhall_engine.dragonkeepers.cards import SHOWN
from dragonhall_engine.dragonkeepers.notation import format_cards, parse_cards
from tests.budget import cases
from tests.engine.core.uniformity import LIMIT, deviation
from tests.engine.dragonkeepers.matches import Dice, numbers, playout, readers, states

EXAMPLES = cases(ci=300, sweep=10_000)


@settings(max_examples=EXAMPLES, deadline=None)
@given(states, numbers)
def test_its_reader_sees_what_it_saw(state: State, number: int) -> None:
    for reader in readers(state):
        view = dragonkeepers.view(state, reader)
        drawn = dragonkeepers.resample(view, Dice(number))
        assert dragonkeepers.view(drawn, reader) == view
        assert dragonkeepers.view(drawn, None) == dragonkeepers.view(state, None)


@settings(max_examples=EXAMPLES // 3, deadline=None)
@given(states, st.integers(0, 4), numbers)
def test_a_drawn_state_can_be_played_to_its_end(state: State, who: int, number: int) -> None:
    reader = readers(state)[who % (state.seats + 1)]
    drawn = dragonkeepers.resample(dragonkeepers.view(state, reader), Dice(number))
    assert dragonkeepers.decode(dragonkeepers.encode(drawn)) == drawn
    assert dragonkeepers.outcome(playout(drawn, random.Random(number))) is not None


def test_equal_luck_gives_equal_states() -> None:
    view = dragonkeepers.view(dragonkeepers.parse_state(_SMALL), 0)
    assert dragonkeepers.resample(view, Dice(1)) == dragonkeepers.resample(view, Dice(1))


# What A cannot know: the order of the right deck, but for the back W on top, covered by a booked
# card; who of B and C has which of four starters, and which is out; B's pearls and the supply's.
_DECK = "R>W B>W B>W G>R"
_STARTERS = "G>B G>W W>R W>G"
_PEARLS = (3, 3, 9, 9)
_SMALL = (
    f"source; seats 3; left R|1; right {_DECK}; right.booked W>G; pearls 3 9;"
    " A.hand R|1 R>B; A.starters R>B; A.pearls 3 3 4 4 4 4 8 8 8 8 9; B.hand R>B G>B W>G;"
    " B.starters G>B; C.hand G>W W>R; C.starters G>W W>R; starters_out W>G; B.pearls 3 9"
)
_DRAWS = 40_000

Resample = Callable[[View, Chance], State]


def _world(state: State) -> str:
    right = format_cards(state.decks[1])
    starters = format_cards(card for area in state.areas for card in area.starters)
    return f"{right}, {starters}, {state.areas[1].pearls}, {state.pearls}"


def _physical_worlds() -> Iterator[str]:
    """Every order of the physical cards and pearls that agrees with what A knows."""
    for deck in permutations(parse_cards(_DECK)):
        if SHOWN[deck[-1]] == 1:
            for b, c, d, _ in permutations(sorted(parse_cards(_STARTERS))):
                starters = format_cards([*parse_cards("R>B"), b, *sorted((c, d))])
                for one, two, *supply in permutations(_PEARLS):
                    right = format_cards([*deck, *parse_cards("W>G")])
                    yield f"{right}, {starters}, {sorted((one, two))}, {supply}"


def _deviation(resample: Resample) -> float:
    """Return how far the worlds drawn are from their share of the physical ones."""
    view = dragonkeepers.view(dragonkeepers.parse_state(_SMALL), 0)
    dice = Dice(7)
    drawn = Counter(_world(resample(view, dice)) for _ in range(_DRAWS))
    possible = Counter(_physical_worlds())
    assert set(drawn) <= set(possible)
    share = _DRAWS / possible.total()
    return deviation((drawn[w] for w in possible), [n * share for n in possible.values()])


def test_every_world_comes_as_often_as_deals_lead_to_it() -> None:
    assert _deviation(dragonkeepers.resample) < LIMIT


def _kinds_on_top(view: View, chance: Chance) -> State:
    """Draws the top card among the kinds with its back, not among the cards."""
    state = dragonkeepers.resample(view, chance)
    deck = state.decks[1]
    wanted = (parse_cards("R>W") + parse_cards("B>W"))[chance.below(2)]
    at = deck.index(wanted)
    deck[at], deck[3] = deck[3], deck[at]
    return state


def _now_and_then(bias: Callable[[State], None]) -> Resample:
    def biased(view: View, chance: Chance) -> State:
        state = dragonkeepers.resample(view, chance)
        if chance.below(5) == 0:
            bias(state)
        return state

    return biased


def _sort_pearls(state: State) -> None:
    state.pearls.sort()


def _best_starter_first(state: State) -> None:
    mine, theirs = state.areas[1], state.areas[2]
    pool = sorted(mine.starters + theirs.starters)
    mine.starters, theirs.starters = pool[:1], pool[1:]


BIASES: dict[str, Resample] = {
    "kinds instead of cards on top": _kinds_on_top,
    "pearls in order now and then": _now_and_then(_sort_pearls),
    "starters in order now and then": _now_and_then(_best_starter_first),
}


@pytest.mark.parametrize("bias", BIASES)
def test_a_planted_bias_is_caught(bias: str) -> None:
    assert _deviation(BIASES[bias]) > LIMIT

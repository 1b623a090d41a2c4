"""The figures of the rules page and of docstrings, within wide bounds: the game is the one we know.

The figures of greedy bots are checked in tests/figures.
"""

from functools import lru_cache

import pytest

from dragonhall_engine.core.game import Setup
from dragonhall_engine.dragonkeepers import Ending, legal_moves, parse_state
from dragonhall_engine.dragonkeepers.cards import DECKS, FRONT, SHADOW, SHADOWS, STARTERS
from dragonhall_engine.dragonkeepers.notation import format_cards
from tests.budget import cases
from tests.engine.dragonkeepers.matches import SETUPS, any_move, eager_move
from tests.engine.dragonkeepers.measuring import Figures, measure

GAMES = cases(ci=60, sweep=800)


@lru_cache(maxsize=len(SETUPS))
def _random_games(setup: Setup) -> Figures:
    return measure(setup, GAMES, any_move)


@pytest.mark.parametrize("setup", SETUPS)
def test_random_players_need_60_to_95_turns(setup: Setup) -> None:
    figures = _random_games(setup)
    assert 60 < figures.turns / figures.games < 95


@pytest.mark.parametrize("setup", SETUPS)
def test_most_random_games_end_by_amulets(setup: Setup) -> None:
    figures = _random_games(setup)
    assert figures.endings[Ending.AMULETS] > 0.8 * figures.games


@pytest.mark.parametrize("setup", SETUPS)
def test_eager_players_are_faster_and_do_not_stall(setup: Setup) -> None:
    figures = measure(setup, GAMES, eager_move)
    assert 38 < figures.turns / figures.games < 50
    assert figures.endings[Ending.AMULETS] > 0.95 * figures.games
    assert not figures.endings[Ending.STALL]


def test_the_longest_list_of_moves_is_what_legal_moves_says() -> None:
    """Every red card and every shadow in one hand, six of them to play, at either end."""
    reds = [card for card in (*DECKS[0], *DECKS[1], *STARTERS) if FRONT[card] == 0]
    hand = format_cards([*reds, *[SHADOW] * (SHADOWS - 1)])
    state = parse_state(
        "source; seats 2; step play; left W|1; left.booked S|6; right W>R;"
        f" A.hand {hand} S|6; A.row W|1"
    )
    assert len(legal_moves(state, 0)) == 5071

"""The figures of section 9 of the rules page, within wide bounds: the game is the one we know."""

import random
from functools import lru_cache

from dragonhall_engine import dragonheart
from dragonhall_engine.dragonheart import Move, State, Trigger
from dragonhall_engine.dragonheart.outcome import points
from tests.budget import cases
from tests.engine.dragonheart.matches import dealt, playout

GAMES = cases(ci=500, sweep=3000)
PAIRED = cases(ci=100, sweep=400)


@lru_cache(maxsize=1)
def _finished() -> list[State]:
    chance = random.Random(1)
    return [playout(dealt(number), chance) for number in range(GAMES)]


def test_a_random_match_has_about_62_turns() -> None:
    lengths = [state.turn for state in _finished()]
    assert 60 < sum(lengths) / GAMES < 64
    assert min(lengths) >= 15 and max(lengths) <= 90


def test_most_random_matches_end_by_ships() -> None:
    causes = [state.triggers for state in _finished()]
    assert 0.80 < causes.count((Trigger.SHIPS,)) / GAMES < 0.90
    assert 0.08 < causes.count((Trigger.DECK,)) / GAMES < 0.17
    assert 0 < causes.count((Trigger.SHIPS, Trigger.DECK)) / GAMES < 0.06


def test_few_random_matches_are_ties() -> None:
    ties = sum(points(state, 0) == points(state, 1) for state in _finished())
    assert 0.005 < ties / GAMES < 0.05


def _greedy(state: State) -> Move:
    """Take the most points now, with the most cards: which of equal moves matters by 7 %."""
    seat = state.to_move

    def gain(move: Move) -> tuple[int, int]:
        after = dragonheart.copy(state)
        dragonheart.advance(after, move)
        return points(after, seat), len(move.cards)

    return max(dragonheart.legal_moves(state, seat), key=gain)


def _greedy_wins(number: int) -> bool:
    chance, state, greedy = random.Random(number), dealt(number), number % 2
    while not state.over:
        legal = dragonheart.legal_moves(state, state.to_move)
        move = _greedy(state) if state.to_move == greedy else chance.choice(legal)
        dragonheart.advance(state, move)
    outcome = dragonheart.outcome(state)
    return outcome is not None and outcome.winners == (greedy,)


def test_a_greedy_player_beats_a_random_one() -> None:
    assert sum(map(_greedy_wins, range(PAIRED))) > 0.9 * PAIRED

"""Figures of many matches: how long they are, how they end, how many moves there are to list.

`python -m tests.engine.dragonkeepers.measuring [GAMES]` (from the repository) prints them.
"""

import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field

from dragonhall_engine import dragonkeepers
from dragonhall_engine.core.game import Setup
from dragonhall_engine.dragonkeepers import Ending, State
from tests.engine.dragonkeepers.matches import SETUPS, STYLES, Choose, deal


@dataclass
class Figures:
    """What many matches of one setup have in common.

    Attributes:
        games: how many were played.
        turns, moves: of all seats and all games together.
        endings: how the games ended.
        most_moves: the longest list of legal moves, in all games.
        longest_hand: the most cards in one hand, in all games.
        seconds: time for listing, choosing and carrying out all moves.
    """

    games: int = 0
    turns: int = 0
    moves: int = 0
    endings: Counter[Ending] = field(default_factory=Counter)
    most_moves: int = 0
    longest_hand: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        endings = " ".join(f"{e.name.lower()}:{n}" for e, n in sorted(self.endings.items()))
        return (
            f"turns {self.turns / self.games:.1f}, moves {self.moves / self.games:.0f}, {endings},"
            f" longest list {self.most_moves}, longest hand {self.longest_hand},"
            f" {self.moves / self.seconds:,.0f} moves/s, {self.games / self.seconds:.0f} games/s"
        )


def measure(setup: Setup, games: int, choose: Choose) -> Figures:
    """Play the matches of numbers 0, 1, … and sum up; the same numbers give the same figures."""
    figures = Figures()
    chance = random.Random(setup.seats)
    for number in range(games):
        state = dragonkeepers.new_match(setup, deal(number, setup.seats))
        begun = time.perf_counter()
        _play(state, choose, chance, figures)
        figures.seconds += time.perf_counter() - begun
        figures.games += 1
    return figures


def _play(state: State, choose: Choose, chance: random.Random, figures: Figures) -> None:
    while state.ending is None:
        legal = dragonkeepers.legal_moves(state, state.to_move)
        if len(legal) > figures.most_moves:
            figures.most_moves = len(legal)
        dragonkeepers.advance(state, choose(state, legal, chance))
        figures.moves += 1
    figures.longest_hand = max(figures.longest_hand, *(len(area.hand) for area in state.areas))
    figures.turns += turn_of(state)
    figures.endings[state.ending] += 1


def turn_of(state: State) -> int:
    """Return the number of the running turn, of all seats together, from 1."""
    return (state.round - 1) * state.seats + (state.active - state.start_seat) % state.seats + 1


def main() -> None:
    """Print a line for each setup and style of play."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for choose in STYLES:
        for setup in SETUPS:
            print(
                f"{choose.__name__} {setup.edition} {setup.seats}: {measure(setup, games, choose)}"
            )


if __name__ == "__main__":
    main()

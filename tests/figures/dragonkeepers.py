"""Plays greedy bots against each other at Dragonkeepers and counts what happens.

`python3 dev.py run python -m tests.figures.dragonkeepers [GAMES]` prints a table of so many games
(5,000 without a number) for each edition and number of seats, and with `--keep` writes it to
docs/figures/dragonkeepers.md. The same number gives the same table on every machine.
"""

import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from dragonhall.bots.dragonkeepers.greedy import best
from dragonhall_engine import dragonkeepers
from dragonhall_engine.core.game import Setup
from dragonhall_engine.dragonkeepers import Ending, Score, State
from dragonhall_engine.dragonkeepers.cards import EMPTY, PAGES, SLOT_PAGE
from tests.engine.dragonkeepers.matches import SETUPS, deal
from tests.engine.dragonkeepers.measuring import turn_of

PAGE = Path(__file__).parents[2] / "docs" / "figures" / "dragonkeepers.md"
GAMES = 5_000
_AT_ONCE = 25
"""Games that a process plays before it reports."""
_PARTS = ("pieces", "pearls", "crest", "eggs", "played")
_LOWEST_PRIORITY = 19

SUPPLIES: dict[str, Callable[[State], bool]] = {
    "crystals": lambda state: not state.crystals,
    "shadows": lambda state: not state.shadows,
    "golden eggs": lambda state: not state.eggs,
    "pearls": lambda state: not state.pearls,
    "amulet pieces": lambda state: not any(state.pieces),
    "crests": lambda state: not state.crests,
    "left deck": lambda state: _is_dry(state, PAGES[0]),
    "right deck": lambda state: _is_dry(state, PAGES[1]),
}
"""What can run out, and whether it has."""


def _is_dry(state: State, page: int) -> bool:
    """Tell whether a slot cannot be refilled: its deck keeps its last card (DK-3.4)."""
    return any(
        state.offer[slot] == EMPTY and SLOT_PAGE[slot] == page for slot in state.edition.slots
    )


@dataclass
class Figures:
    """What many games of one setup have in common.

    Attributes:
        turns: how many games took so many turns of all seats together.
        decisions, public_passes: of all games; the latter are the passes of followers of whom
            everybody knows that they can do nothing else.
        endings: how the games ended.
        wins: victories by place in turn order; a shared one counts for each in equal parts.
        shared: games with more than one winner.
        points: points by kind, of all seats and games together.
        winners_points: points of the winners; one winner of each game.
        without: for each supply, the games in which it ran out.
        longest_list: the most legal moves at one decision.
    """

    turns: Counter[int] = field(default_factory=Counter)
    decisions: int = 0
    public_passes: int = 0
    endings: Counter[Ending] = field(default_factory=Counter)
    wins: Counter[int] = field(default_factory=Counter)
    shared: int = 0
    points: Counter[str] = field(default_factory=Counter)
    winners_points: int = 0
    without: Counter[str] = field(default_factory=Counter)
    longest_list: int = 0

    def add(self, other: "Figures") -> None:
        """Count other games too."""
        for name in ("turns", "endings", "wins", "points", "without"):
            getattr(self, name).update(getattr(other, name))
        self.decisions += other.decisions
        self.public_passes += other.public_passes
        self.shared += other.shared
        self.winners_points += other.winners_points
        self.longest_list = max(self.longest_list, other.longest_list)


def play(setup: Setup, numbers: range) -> Figures:
    """Play the matches of some numbers: one greedy bot in every seat."""
    figures = Figures()
    for number in numbers:
        state = dragonkeepers.new_match(setup, deal(number, setup.seats))
        missing: set[str] = set()
        while state.ending is None:
            _decide(state, figures)
            missing |= {name for name, is_out in SUPPLIES.items() if is_out(state)}
        figures.without.update(missing)
        _count_end(state, figures)
    return figures


def _decide(state: State, figures: Figures) -> None:
    seat = state.to_move
    legal = dragonkeepers.legal_moves(state, seat)
    figures.decisions += 1
    figures.longest_list = max(figures.longest_list, len(legal))
    choice = 0
    if len(legal) > 1:
        choice = best(dragonkeepers.view(state, seat), legal)
    else:
        figures.public_passes += dragonkeepers.public_pass(state) is not None
    dragonkeepers.advance(state, legal[choice])


def _count_end(state: State, figures: Figures) -> None:
    assert state.ending is not None
    figures.endings[state.ending] += 1
    figures.turns[turn_of(state)] += 1
    scores = dragonkeepers.scores(state)
    for score in scores:
        figures.points.update({part: getattr(score, part) for part in _PARTS})
    _count_winners(state, scores, figures)


def _count_winners(state: State, scores: tuple[Score, ...], figures: Figures) -> None:
    outcome = dragonkeepers.outcome(state)
    assert outcome is not None
    winners = outcome.winners
    figures.shared += len(winners) > 1
    figures.winners_points += scores[winners[0]].total
    for seat in winners:
        place = (seat - state.start_seat) % state.seats
        figures.wins[place] += _WHOLE // len(winners)


_WHOLE = 12
"""A victory, so that halves, thirds and quarters are whole numbers."""


def play_all(games: int) -> dict[Setup, Figures]:
    """Play so many games of every setup, in two processes of low priority."""
    figures = {setup: Figures() for setup in SETUPS}
    lots = [
        (setup, range(first, min(games, first + _AT_ONCE)))
        for setup in SETUPS
        for first in range(0, games, _AT_ONCE)
    ]
    with ProcessPoolExecutor(2, initializer=os.nice, initargs=(_LOWEST_PRIORITY,)) as processes:
        played = processes.map(play, *zip(*lots, strict=True))
        for (setup, _), some in zip(lots, played, strict=True):
            figures[setup].add(some)
    return figures


# ---- the table ----------------------------------------------------------------------------------


def table(figures: dict[Setup, Figures]) -> str:
    """Return a Markdown table with a column for each setup."""
    head = ["", *(f"{setup.edition} {setup.seats}" for setup in figures)]
    columns = [list(_column(setup, f)) for setup, f in figures.items()]
    rows = [head, ["---"] + ["--:"] * len(columns)]
    for cells in zip(*columns, strict=True):
        rows.append([cells[0][0], *(value for _, value in cells)])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _column(setup: Setup, figures: Figures) -> Iterator[tuple[str, str]]:
    """Yield the name and the value of each row."""
    games = figures.turns.total()
    yield "games", f"{games:,}"
    yield "turns of all seats together, mean", f"{_mean(figures.turns):.1f}"
    yield "5 % / 50 % / 95 % of games", " / ".join(_quantiles(figures.turns))
    yield "decisions a game, mean", f"{figures.decisions / games:.0f}"
    yield "of them public passes", f"{figures.public_passes / games:.0f}"
    for ending in Ending:
        yield (
            f"ended by {ending.name.lower().replace('_', ' ')}",
            _share(figures.endings[ending], games),
        )
    yield "points of a winner, mean", f"{figures.winners_points / games:.1f}"
    yield "points of a seat, mean", f"{figures.points.total() / games / setup.seats:.1f}"
    for part in _PARTS:
        yield f"of them {part}", f"{figures.points[part] / games / setup.seats:.1f}"
    for place in range(max(s.seats for s in SETUPS)):
        wins = _share(figures.wins[place], games * _WHOLE) if place < setup.seats else "–"
        yield f"won by the {_PLACES[place]} in turn order", wins
    yield "shared victories", _share(figures.shared, games)
    for name in SUPPLIES:
        yield f"games without {name} at some time", _share(figures.without[name], games)
    yield "longest list of legal moves", f"{figures.longest_list:,}"


_PLACES = ("first", "second", "third", "fourth")


def _mean(counts: Counter[int]) -> float:
    return sum(value * count for value, count in counts.items()) / counts.total()


def _quantiles(counts: Counter[int]) -> list[str]:
    values = sorted(counts.elements())
    return [str(values[int(len(values) * share)]) for share in (0.05, 0.5, 0.95)]


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %"


def main(args: list[str]) -> None:
    """Print the table, or with --keep write it to its page."""
    counts = [int(arg) for arg in args if arg.isdecimal()]
    written = table(play_all(counts[0] if counts else GAMES))
    print(written)
    if "--keep" in args:
        marked = f"<!-- table -->\n{written}\n<!-- end -->"
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(
            re.sub("<!-- table -->.*<!-- end -->", lambda _: marked, page, flags=re.DOTALL),
            encoding="utf-8",
        )


if __name__ == "__main__":
    main(sys.argv[1:])

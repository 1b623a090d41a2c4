"""Writes the goldens: `python -m tests.engine.dragonkeepers.playthrough` (from the repository)."""

from pathlib import Path
from typing import Final

from dragonhall_engine import dragonkeepers
from dragonhall_engine.dragonkeepers import Fact
from tests.engine.dragonkeepers.matches import dealt, decisions

GOLDENS: Final = Path(__file__).parent / "goldens"
MATCHES: Final = {
    "source_by_amulets": 1050,
    "published_by_amulets": 1108,
    "by_empty_offer": 602,
    "by_stall": 141,
}
"""Names of goldens and numbers of matches, one for each way to end that comes up in play."""


def playthrough(number: int) -> str:
    """Return a match as text: the deal, then each turn, one line a fact, then the outcome."""
    state = dealt(number)
    lines = [f"# match {number}", *_lines(dragonkeepers.opening(state))]
    for decision in decisions(number):
        lines += _lines(decision.facts)
        state = decision.after
    outcome = dragonkeepers.outcome(state)
    assert outcome is not None
    lines += ["", f"# winners: {' '.join('ABCD'[seat] for seat in outcome.winners)}"]
    lines += [dragonkeepers.format_view(dragonkeepers.view(state, None))]
    return "\n".join(lines) + "\n"


def _lines(facts: tuple[Fact, ...]) -> list[str]:
    lines = []
    for fact in facts:
        if isinstance(fact, dragonkeepers.facts.TurnBegan | dragonkeepers.facts.MatchEnded):
            lines.append("")
        lines.append(dragonkeepers.format_fact(fact))
    return lines


def write() -> None:
    """Write all goldens anew."""
    for name, number in MATCHES.items():
        (GOLDENS / f"{name}.txt").write_text(playthrough(number), encoding="utf-8")


if __name__ == "__main__":
    write()

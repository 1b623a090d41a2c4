"""Writes the goldens: `python -m tests.engine.dragonheart.playthrough` (from the repository)."""

from pathlib import Path
from typing import Final

from dragonhall_engine import dragonheart
from dragonhall_engine.dragonheart import Fact
from tests.engine.dragonheart.matches import dealt, turns

GOLDENS: Final = Path(__file__).parent / "goldens"
MATCHES: Final = {"by_ships": 130, "by_deck": 218, "by_both": 66}
"""Names of goldens and numbers of matches, one for each way to end."""


def playthrough(number: int) -> str:
    """Return a match as text: the deal, then each turn, one line a fact, then the outcome."""
    state = dealt(number)
    lines = [f"# match {number}", *_facts(dragonheart.opening(state))]
    for turn in turns(number):
        lines += ["", f"# turn {turn.before.turn}", *_facts(turn.facts)]
        state = turn.after
    outcome = dragonheart.outcome(state)
    assert outcome is not None
    lines += ["", f"# winners: {' '.join('AB'[seat] for seat in outcome.winners)}"]
    lines += [dragonheart.format_view(dragonheart.view(state, None))]
    return "\n".join(lines) + "\n"


def _facts(facts: tuple[Fact, ...]) -> list[str]:
    return [dragonheart.format_fact(fact) for fact in facts]


def write() -> None:
    """Write all goldens anew."""
    for name, number in MATCHES.items():
        (GOLDENS / f"{name}.txt").write_text(playthrough(number), encoding="utf-8")


if __name__ == "__main__":
    write()

"""The drawings of boards at chosen places of chosen matches.

`python -m tests.clients.board_goldens` (from the repository) writes their goldens anew.
"""

from pathlib import Path
from typing import Final

from dragonhall.cli.boards.registry import board_lines
from dragonhall.cli.boards.table import Table
from dragonhall_engine import dragonheart
from dragonhall_engine.dragonheart import State
from dragonhall_service.api.mapping.games import view_to_proto
from tests.engine.dragonheart.matches import dealt, turns

GOLDENS: Final = Path(__file__).parent / "goldens"
NAMES: Final = ("Ada", "greedy")
_MATCH: Final = 80


def picture(state: State, reader: int | None, names: tuple[str, ...] = NAMES) -> list[str]:
    """Draw a state of Dragonheart as a reader sees it."""
    view = view_to_proto(dragonheart, dragonheart.view(state, reader))
    return board_lines(view, Table(names, reader))


def dragonheart_boards() -> dict[str, list[str]]:
    """Return pictures by what they show."""
    played = [turn.after for turn in turns(_MATCH)]
    sent_back = next(state for state in played if state.knows_top[1])
    final = next(state for state in played if state.triggers)
    return {
        "the deal, seen by A": picture(dealt(_MATCH), 0),
        "the middle, seen by a spectator": picture(played[len(played) // 2], None),
        "the dragon was lost, seen by B who knows the top card": picture(sent_back, 1),
        "the same, seen by A": picture(sent_back, 0),
        "the final turn, seen by A": picture(final, 0),
        "the end, seen by B": picture(played[-1], 1),
    }


def golden(boards: dict[str, list[str]]) -> str:
    """Return pictures as one text."""
    return "\n".join("\n".join([f"# {name}", *lines, ""]) for name, lines in boards.items())


BOARDS: Final = {"dragonheart": dragonheart_boards}


def write() -> None:
    """Write all goldens anew."""
    for game, boards in BOARDS.items():
        (GOLDENS / f"board_{game}.txt").write_text(golden(boards()), encoding="utf-8")


if __name__ == "__main__":
    write()

"""The drawings of boards at chosen places of chosen matches.

`python -m tests.clients.board_goldens` (from the repository) writes their goldens anew.
"""

from pathlib import Path
from typing import Final

from dragonhall.cli.boards.registry import board_lines, brief_lines
from dragonhall.cli.boards.table import Table
from dragonhall_engine import dragonheart, dragonkeepers
from dragonhall_engine.dragonheart import State
from dragonhall_engine.dragonkeepers import State as KeepersState
from dragonhall_service.api.mapping.games import view_to_proto
from tests.engine.dragonheart.matches import dealt, turns
from tests.engine.dragonkeepers.matches import dealt as kept
from tests.engine.dragonkeepers.matches import decisions

GOLDENS: Final = Path(__file__).parent / "goldens"
NAMES: Final = ("Ada", "greedy")
KEEPERS: Final = ("Ada", "greedy", "random", "Bo")
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


def keepers_picture(
    state: KeepersState, reader: int | None, names: tuple[str, ...] = KEEPERS
) -> list[str]:
    """Draw a state of Dragonkeepers as a reader sees it."""
    view = view_to_proto(dragonkeepers, dragonkeepers.view(state, reader))
    return board_lines(view, Table(names[: len(state.areas)], reader))


def dragonkeepers_boards() -> dict[str, list[str]]:
    """Return pictures by what they show."""
    source = [decision.after for decision in decisions(1050)]
    published = [decision.after for decision in decisions(1109)]
    booked = next(state for state in published[200:] if all(state.changed))
    near = next(state for state in published if state.trigger is not None)
    view = view_to_proto(dragonkeepers, dragonkeepers.view(source[1], 0))
    return {
        "source, 2 seats: the deal, seen by A": keepers_picture(kept(1050), 0),
        "the second card taken, in brief": brief_lines(view, Table(KEEPERS[:2], 0)),
        "the middle, seen by a spectator": keepers_picture(source[len(source) // 2], None),
        "the end, seen by B": keepers_picture(source[-1], 1),
        "published, 4 seats: the deal, seen by C": keepers_picture(kept(1109), 2),
        "both pages changed, seen by D": keepers_picture(booked, 3),
        "the end was triggered, seen by A": keepers_picture(near, 0),
        "the end, seen by a spectator": keepers_picture(published[-1], None),
    }


def golden(boards: dict[str, list[str]]) -> str:
    """Return pictures as one text."""
    return "\n".join("\n".join([f"# {name}", *lines, ""]) for name, lines in boards.items())


BOARDS: Final = {"dragonheart": dragonheart_boards, "dragonkeepers": dragonkeepers_boards}


def write() -> None:
    """Write all goldens anew."""
    for game, boards in BOARDS.items():
        (GOLDENS / f"board_{game}.txt").write_text(golden(boards()), encoding="utf-8")


if __name__ == "__main__":
    write()

"""The drawings of all games by name. A further game is one line here."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from dragonhall.cli.boards import dragonheart, dragonkeepers
from dragonhall.cli.boards.table import Table
from dragonhall.v1 import game_pb2


class Drawing(Protocol):
    """What a game's drawing module offers."""

    @property
    def STYLES(self) -> Mapping[str, str]:  # noqa: N802 - a module constant
        """Styles of rich by the regular expression of what they colour."""

    @property
    def LEGEND(self) -> tuple[str, ...]:  # noqa: N802
        """Lines that explain the drawing."""

    def draw(self, view: game_pb2.View, table: Table) -> list[str]:
        """Draw what the table's reader may know, in lines of at most 79 columns."""

    def brief(self, view: game_pb2.View, table: Table) -> list[str]:
        """Draw what changes from one decision of a turn to the next."""

    def hints(self, view: game_pb2.View, table: Table, moves: Sequence[game_pb2.Move]) -> list[str]:
        """Return what each legal move of the reader plainly brings, in few letters, or ''."""


BOARDS: Mapping[str, Drawing] = MappingProxyType(
    {
        "dragonheart": dragonheart,
        "dragonkeepers": dragonkeepers,
    }
)
"""By the member of the oneof `game` that a view is."""


def board_lines(view: game_pb2.View, table: Table) -> list[str]:
    """Draw a view; nothing before the deal, and of a game that has no drawing."""
    drawing = BOARDS.get(view.WhichOneof("game") or "")
    return drawing.draw(view, table) if drawing else []


def brief_lines(view: game_pb2.View, table: Table) -> list[str]:
    """Draw what changes from one decision of a turn to the next."""
    drawing = BOARDS.get(view.WhichOneof("game") or "")
    return drawing.brief(view, table) if drawing else []


def hints_of(view: game_pb2.View, table: Table, moves: Sequence[game_pb2.Move]) -> list[str]:
    """Return what each legal move of the reader plainly brings, in few letters, or ''."""
    drawing = BOARDS.get(view.WhichOneof("game") or "")
    return drawing.hints(view, table, moves) if drawing else [""] * len(moves)


def styles_of(game: str) -> Mapping[str, str]:
    """Return the colours of a game's cards."""
    return BOARDS[game].STYLES if game in BOARDS else {}


def legend_of(game: str) -> tuple[str, ...]:
    """Return what explains a game's drawing."""
    return BOARDS[game].LEGEND if game in BOARDS else ()

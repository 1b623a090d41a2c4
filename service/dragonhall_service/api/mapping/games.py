"""The mappings of all games by name. A further game is one line here."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Protocol

from dragonhall.v1 import game_pb2
from dragonhall_service.api.mapping import dragonheart, dragonkeepers
from dragonhall_service.ports import AnyGame
from dragonhall_service.usecases.moving import MoveInput
from dragonhall_service.usecases.refusals import FieldInvalid

MOST_NOTATION = 200


class GameMapping(Protocol):
    """What a game's mapping module offers; `NAME` is also its member in every oneof `game`."""

    @property
    def NAME(self) -> str:
        """The game's name."""

    def setup_from_proto(self, setup: game_pb2.GameSetup, path: str) -> tuple[str, int]:
        """Read edition and number of seats; raises FieldInvalid."""

    def setup_to_proto(self, edition: str, seats: int) -> game_pb2.GameSetup:
        """Return the setup."""

    def move_from_proto(self, move: game_pb2.Move, path: str) -> Any:
        """Read a typed move; raises FieldInvalid."""

    def move_to_proto(self, move: Any) -> game_pb2.Move:
        """Return the typed form of a move."""

    def fact_to_proto(self, fact: Any) -> game_pb2.Fact:
        """Return the typed form of a projected fact."""

    def view_to_proto(self, view: Any) -> game_pb2.View:
        """Return the typed form of a view."""


MAPPINGS: Mapping[str, GameMapping] = MappingProxyType(
    {
        dragonheart.NAME: dragonheart,
        dragonkeepers.NAME: dragonkeepers,
    }
)


def setup_from_proto(setup: game_pb2.GameSetup, path: str) -> tuple[str, str, int]:
    """Read game, edition and number of seats.

    Raises:
        FieldInvalid: no game is named, or its setup is wrong.
    """
    name = setup.WhichOneof("game")
    if name is None:
        raise FieldInvalid(f"{path}.game", "name a game")
    return name, *MAPPINGS[name].setup_from_proto(setup, path)


def move_to_proto(game: AnyGame, move: Any) -> game_pb2.Move:
    """Return a move in both forms."""
    proto = MAPPINGS[game.NAME].move_to_proto(move)
    proto.notation = game.format_move(move)
    return proto


def move_input(move: game_pb2.Move, path: str) -> MoveInput:
    """Read a move as it came.

    Raises:
        FieldInvalid: neither form is there, or one is not well formed.
    """
    name = move.WhichOneof("game")
    if name is None and not move.notation:
        raise FieldInvalid(path, "give its notation or its typed form")
    if len(move.notation) > MOST_NOTATION:
        raise FieldInvalid(f"{path}.notation", f"at most {MOST_NOTATION} characters")
    typed = MAPPINGS[name].move_from_proto(move, path) if name else None
    return MoveInput(move.notation, name, typed)


def fact_to_proto(game: AnyGame, fact: Any) -> game_pb2.Fact:
    """Return a projected fact with its line of text."""
    proto = MAPPINGS[game.NAME].fact_to_proto(fact)
    proto.text = game.format_fact(fact)
    return proto


def view_to_proto(game: AnyGame, view: Any) -> game_pb2.View:
    """Return a view."""
    return MAPPINGS[game.NAME].view_to_proto(view)

"""The games by name. A further game is one line here."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from dragonhall_engine import dragonheart, dragonkeepers
from dragonhall_engine.core.game import Game

GAMES: Mapping[str, Game[Any, Any, Any, Any]] = MappingProxyType(
    {
        dragonheart.NAME: dragonheart,
        dragonkeepers.NAME: dragonkeepers,
    }
)

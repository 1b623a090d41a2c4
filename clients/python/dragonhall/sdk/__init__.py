"""The asyncio SDK: typed calls that may be repeated, watches that resume, errors by reason."""

from dragonhall.sdk.client import Client
from dragonhall.sdk.errors import (
    DragonhallError,
    FieldInvalid,
    IllegalMove,
    MatchNotFound,
    MatchOver,
    NotYourTurn,
    SeatLeft,
    SeatTaken,
    VersionConflict,
)
from dragonhall.sdk.retry import Retry
from dragonhall.sdk.tls import Tls
from dragonhall.sdk.token import new_token

__all__ = [
    "Client",
    "DragonhallError",
    "FieldInvalid",
    "IllegalMove",
    "MatchNotFound",
    "MatchOver",
    "NotYourTurn",
    "Retry",
    "SeatLeft",
    "SeatTaken",
    "Tls",
    "VersionConflict",
    "new_token",
]

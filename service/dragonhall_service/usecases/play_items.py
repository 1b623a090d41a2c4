"""What goes over a bot's stream, each way."""

from dataclasses import dataclass, field
from typing import Any

from dragonhall_engine.core.game import Seat
from dragonhall_service.match import MatchRecord
from dragonhall_service.usecases.moving import MoveInput
from dragonhall_service.usecases.refusals import Refusal


@dataclass(frozen=True, slots=True)
class Answer:
    """A move for the turn at a version: its place in the list, or the move itself."""

    match_id: str
    version: int
    index: int | None
    move: MoveInput | None


@dataclass(frozen=True, slots=True)
class Resignation:
    """The bot's seat gives up."""

    match_id: str


@dataclass(frozen=True, slots=True)
class Pong:
    """The bot is alive."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A seat of the bot must move; `moves` are its legal ones in `state`."""

    record: MatchRecord
    seat: Seat
    state: Any = field(repr=False)
    moves: tuple[Any, ...]
    sent_s: float


@dataclass(frozen=True, slots=True)
class Accepted:
    """A move was applied, now or before."""

    match_id: str
    version: int
    replayed: bool


@dataclass(frozen=True, slots=True)
class Refused:
    """A move, or at version 0 a resignation, was refused."""

    match_id: str
    version: int
    refusal: Refusal


@dataclass(frozen=True, slots=True)
class Ended:
    """A match of the bot is over."""

    record: MatchRecord
    seat: Seat


@dataclass(frozen=True, slots=True)
class Ping:
    """Is the bot alive?"""


@dataclass(frozen=True, slots=True)
class TakenOver:
    """A newer stream has taken over; the last item."""


@dataclass(frozen=True, slots=True)
class Stopping:
    """The server is stopping; the last item."""


Incoming = Answer | Resignation | Pong
Outgoing = Turn | Accepted | Refused | Ended | Ping | TakenOver | Stopping
LAST = (TakenOver, Stopping)
"""After these nothing more comes."""

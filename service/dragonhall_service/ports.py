"""What use cases need from the outside, and what passes between them and it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import Enum, unique
from typing import Any, Protocol

from dragonhall_engine.core.game import Game, Seat
from dragonhall_service.match import Entry, LoggedEntry, MatchRecord, Phase

AnyGame = Game[Any, Any, Any, Any]


@dataclass(frozen=True, slots=True)
class RequestKey:
    """Who asks and under which name.

    Attributes:
        actor: a short name of the token, the same on every server.
        request_id: the client's name for the request.
    """

    actor: str
    request_id: str


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """What a request did.

    Attributes:
        fingerprint: a digest of everything that was asked.
        first: the first version that it made.
        last: the last version that it made.
    """

    fingerprint: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Loaded:
    """A match together with the caller's earlier request, read at one instant."""

    record: MatchRecord
    earlier: RequestRecord | None


@dataclass(frozen=True, slots=True)
class Applied:
    """The commit was made.

    Attributes:
        record: the match after it.
        entries: what it added to the log.
    """

    record: MatchRecord
    entries: tuple[LoggedEntry, ...]


@dataclass(frozen=True, slots=True)
class Repeated:
    """The request had been applied before; nothing was written."""

    earlier: RequestRecord


@dataclass(frozen=True, slots=True)
class Conflict:
    """The match is at another version; nothing was written."""

    current_version: int


@dataclass(frozen=True, slots=True)
class Missed:
    """The commit came on the wrong side of the running deadline; nothing was written."""


@unique
class Window(Enum):
    """On which side of the running deadline a commit may be made, by the store's clock."""

    ANY = "any"
    BEFORE_DUE = "before"
    FROM_DUE = "from"


@dataclass(frozen=True, slots=True)
class Countdown:
    """A new deadline: `allowance_ms` from the commit on, and then what is in the next seat's bank.

    Attributes:
        charged: the seat whose bank pays for what it took beyond `allowance_ms`.
        next: the seat that begins to think.
    """

    allowance_ms: int
    charged: Seat | None = None
    next: Seat | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    """The next versions of a match, one per entry.

    Attributes:
        before: the version that the entries follow; 0 creates the match.
        record: the match after them; the store gives it `version`, `tag`, `timing` and times.
        fingerprint: a digest of everything that was asked.
        countdown: the next deadline; None lets the running one run on. An ending stops it.
    """

    before: int
    record: MatchRecord
    entries: tuple[Entry, ...]
    request: RequestKey
    fingerprint: str
    window: Window = Window.ANY
    countdown: Countdown | None = None


class StorageUnavailable(Exception):
    """The store did not answer. `applied` is False if surely nothing was written, else None."""

    def __init__(self, applied: bool | None, why: str) -> None:
        super().__init__(why)
        self.applied = applied


class StorageFull(Exception):
    """The store is out of memory; nothing was written."""


class RecordTooNew(Exception):
    """A newer release wrote this match."""


class RecordCorrupt(Exception):
    """The stored match is damaged."""


class MatchStore(Protocol):
    """Matches and their logs.

    Every method raises StorageUnavailable; reads raise RecordTooNew and RecordCorrupt too.
    """

    async def load(self, match_id: str, request: RequestKey | None = None) -> Loaded | None:
        """Read a match, with what `request` did if it was made before; None if there is none."""

    async def commit(self, commit: Commit) -> Applied | Repeated | Conflict | Missed:
        """Write record, log, request record and deadline in one atomic step.

        Raises:
            StorageFull: nothing was written.
        """

    async def entries(self, match_id: str, first: int, limit: int) -> Sequence[LoggedEntry]:
        """Read the log from version `first` on, at most `limit` entries."""

    async def due(self, limit: int) -> Sequence[str]:
        """List the ids of matches whose deadline has passed, at most about `limit`."""

    async def public_matches(
        self, phase: Phase | None, after: str, limit: int
    ) -> tuple[Sequence[MatchRecord], str]:
        """List public matches, newest first, and the place to go on from ("" at the end)."""


class Doorbell(Protocol):
    """Tells that a match may have a new version; only a hint, the log is the truth."""

    def listen(self, match_id: str, ring: Callable[[], None]) -> AbstractContextManager[None]:
        """Call `ring` at each hint for one match while the context lasts."""


class Ids(Protocol):
    """Unpredictable bytes from the operating system."""

    def seed(self) -> bytes:
        """Return 64 secret bytes."""

    def tag(self) -> str:
        """Return a short random text."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long the server waits for people, in milliseconds.

    Attributes:
        lobby_ms: for the seats of a match to be filled.
        idle_ms: for a move in a match without a clock.
    """

    lobby_ms: int
    idle_ms: int


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything a use case may reach."""

    games: Mapping[str, AnyGame]
    store: MatchStore
    ids: Ids
    patience: Patience

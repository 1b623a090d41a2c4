"""What use cases need from the outside, and the values that pass between them and it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import Enum, unique
from typing import Any, Protocol

from dragonhall_engine.core.game import Game, Seat, Setup
from dragonhall_engine.core.outcome import Outcome
from dragonhall_engine.core.rng import Deal

AnyGame = Game[Any, Any, Any, Any]


@unique
class Phase(Enum):
    """Where in its life a match is."""

    LOBBY = "lobby"
    RUNNING = "running"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Options:
    """What the host chose, fixed for the life of a match."""

    game: str
    setup: Setup
    public: bool


@dataclass(frozen=True, slots=True)
class SeatRecord:
    """A taken seat; `token_hash` is the SHA-256 of the holder's token."""

    token_hash: bytes = field(repr=False)
    player_name: str
    contribution: bytes


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """A stored match at one version. Holds every secret of the match: never log it.

    Attributes:
        version: 1, 2, 3 ...
        tag: random text stored with that version; tells two histories apart.
        seats: one entry per seat, None while it is open.
        state: the encoded game state; None before the deal.
        seat_to_move: None unless running.
        created_ms: store time, milliseconds since 1970.
    """

    match_id: str
    version: int
    tag: str
    phase: Phase
    options: Options
    host_hash: bytes = field(repr=False)
    seed: bytes = field(repr=False)
    deal_id: str
    seed_chosen: bool
    seats: tuple[SeatRecord | None, ...]
    state: bytes | None = field(repr=False)
    seat_to_move: Seat | None
    ending: "Ending | None"
    created_ms: int

    @property
    def deal(self) -> Deal:
        """Everything that fixes the luck; contributions count once every seat is taken."""
        taken = [seat for seat in self.seats if seat is not None]
        return Deal(self.seed, self.deal_id, tuple(seat.contribution for seat in taken))


@unique
class EndCause(Enum):
    """Why a match ended other than by a player; the engine's `Cause` names the rest."""

    ABORTED = "aborted"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class Ending:
    """How a match ended: the engine's outcome, or none for a match that ended before the deal."""

    cause: EndCause | None
    outcome: Outcome | None


@unique
class EntryKind(Enum):
    """What an entry of the log records."""

    CREATED = "created"
    JOINED = "joined"
    DEALT = "dealt"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class Entry:
    """One version of a match as the log keeps it, unprojected: facts hold hidden cards.

    Attributes:
        seat: who joined or moved.
        move: in notation, of a MOVED entry.
        facts: encoded by the game, of DEALT and MOVED entries.
        seat_to_move: after this version.
        ending: on the last entry.
    """

    kind: EntryKind
    seat: Seat | None = None
    move: str | None = None
    facts: bytes | None = field(default=None, repr=False)
    seat_to_move: Seat | None = None
    ending: Ending | None = None


@dataclass(frozen=True, slots=True)
class LoggedEntry:
    """An entry with what the commit gave it: version, tag and store time in milliseconds."""

    version: int
    tag: str
    committed_ms: int
    entry: Entry


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
class Commit:
    """The next versions of a match, one per entry.

    Attributes:
        before: the version that the entries follow; 0 creates the match.
        record: the match after them; the store gives it its `version`, `tag` and `created_ms`.
        fingerprint: a digest of everything that was asked.
    """

    before: int
    record: MatchRecord
    entries: tuple[Entry, ...]
    request: RequestKey
    fingerprint: str


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

    async def commit(self, commit: Commit) -> Applied | Repeated | Conflict:
        """Write record, log and request record in one atomic step.

        Raises:
            StorageFull: nothing was written.
        """

    async def entries(self, match_id: str, first: int, limit: int) -> Sequence[LoggedEntry]:
        """Read the log from version `first` on, at most `limit` entries."""

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
class Ports:
    """Everything a use case may reach."""

    games: Mapping[str, AnyGame]
    store: MatchStore
    ids: Ids

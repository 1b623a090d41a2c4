"""What use cases need from the outside, and what passes between them and it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import Enum, unique
from typing import Any, Protocol

from dragonhall_engine.core.errors import CorruptData, FormatTooNew
from dragonhall_engine.core.game import Game, Seat
from dragonhall_service.match import Entry, LoggedEntry, MatchRecord, Phase
from dragonhall_service.recent import Recent

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
        record: the match after them, still with the `version` and `tag` before them (0 and none
            create it); the store gives it new ones, and times.
        fingerprint: a digest of everything that was asked.
        countdown: the next deadline; None lets the running one run on. An ending stops it.
        reseated: who holds the seats changes otherwise than by joining.
    """

    record: MatchRecord
    entries: tuple[Entry, ...]
    request: RequestKey
    fingerprint: str
    window: Window = Window.ANY
    countdown: Countdown | None = None
    reseated: bool = False


class StorageUnavailable(Exception):
    """The store did not answer. `applied` is False if surely nothing was written, else None."""

    def __init__(self, applied: bool | None, why: str) -> None:
        super().__init__(why)
        self.applied = applied


class StorageFull(StorageUnavailable):
    """The store is out of memory; nothing was written."""

    def __init__(self) -> None:
        super().__init__(False, "the store is out of memory")


class RecordTooNew(Exception):
    """A newer release wrote this match."""


class RecordCorrupt(Exception):
    """The stored match is damaged."""


UNREADABLE = (RecordTooNew, RecordCorrupt, FormatTooNew, CorruptData)
"""This release cannot read a match, be it the record or the game's state: it leaves it as it is."""


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

    async def extend(self, match_id: str, version: int, grace_ms: int) -> bool:
        """Move the deadline of a version that has passed on, once; False if that was done before.

        No version is made: whoever has decided at this one may still answer.
        """

    async def due(self, limit: int, late_ms: int = 0) -> Sequence[str]:
        """List the ids of matches whose deadline passed `late_ms` ago, at most about `limit`."""

    async def public_matches(
        self, phase: Phase | None, after: str, limit: int
    ) -> tuple[Sequence[MatchRecord], str]:
        """List public matches, newest first, and the place to go on from ("" at the end)."""


@dataclass(frozen=True, slots=True)
class BotRecord:
    """A registered bot; `token_hash` is the SHA-256 of its token."""

    name: str
    token_hash: bytes = field(repr=False)
    games: tuple[str, ...]
    created_ms: int = 0
    revoked: bool = False


@dataclass(frozen=True, slots=True)
class Presence:
    """A bot's stream, by the store's clock in milliseconds since 1970.

    Attributes:
        since_ms: since when the bot could be asked without a break.
        heard_ms: when it last said anything.
        stayed_ms: when its server last said that the stream is open; it does so every second.
    """

    since_ms: int
    heard_ms: int
    stayed_ms: int


@unique
class CallKind(Enum):
    """What happened on a bot's stream."""

    CONNECTED = "connected"
    DISCONNECTED = "disconnected"
    TURN = "turn"
    MOVE = "move"
    REFUSED = "refused"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class BotCall:
    """Something that happened on a bot's stream; for the bot's author alone."""

    kind: CallKind
    match_id: str = ""
    version: int = 0
    text: str = ""
    thinking_ms: int = 0
    time_ms: int = 0


class BotStore(Protocol):
    """Bots, their streams and the matches they have a seat in.

    Every method raises StorageUnavailable.
    """

    async def register(self, bot: BotRecord) -> tuple[BotRecord, bool] | None:
        """Keep a bot, or find it if it is there already (True); None if the name is another's."""

    async def named(self, name: str) -> BotRecord | None:
        """Read a bot, a revoked one too."""

    async def of_token(self, token_hash: bytes) -> BotRecord | None:
        """Read the bot of a token, unless it was revoked."""

    async def page(self, after: str, limit: int) -> Sequence[BotRecord]:
        """List bots by name, from the first after `after` on."""

    async def revoke(self, bot: BotRecord) -> None:
        """Withdraw a bot: its token is no bot's any more, its name stays taken."""

    async def assign(self, name: str, match_id: str) -> None:
        """Note, before it is committed, that a bot takes a seat, and ring for the bot."""

    async def unassign(self, name: str, match_id: str) -> None:
        """Forget a match that is over or never came to be."""

    async def assigned(self, name: str) -> Sequence[str]:
        """List the matches in which a bot may have a seat."""

    async def connect(self, name: str, session: str) -> None:
        """Make a session the bot's only one, and ring for the older one."""

    async def stay(self, name: str, session: str, unheard_ms: int, *, anew: bool) -> bool:
        """Say that a session lives; False if another one has taken over.

        Args:
            unheard_ms: how long the bot has said nothing.
            anew: there was a break; the bot can be asked from now on.
        """

    async def disconnect(self, name: str, session: str) -> None:
        """End a session, unless another one has taken over."""

    async def presence(self, name: str) -> Presence | None:
        """Say how a bot is connected; None if it is not."""

    async def note(self, name: str, calls: Sequence[BotCall]) -> None:
        """Append to what a bot's author may read; the oldest are let go."""

    async def calls(self, name: str, limit: int) -> Sequence[BotCall]:
        """Read the newest calls, oldest first."""


Ring = Callable[[int], object]
"""Is told the version that is new; 0 if it is not known or the topic has none."""


class Doorbell(Protocol):
    """Tells that something is new about a topic; only a hint, the store is the truth.

    A topic is a match id, for a new version, or `bot_topic` of a bot.
    """

    def listen(self, topic: str, ring: Ring) -> AbstractContextManager[None]:
        """Call `ring` at each hint for one topic while the context lasts."""


def bot_topic(name: str) -> str:
    """Return the topic that is rung when a bot gets a match or another stream."""
    return f"bot:{name}"


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
        bot_grace_ms: once a turn, for a bot that could not be asked all the time.
    """

    lobby_ms: int
    idle_ms: int
    bot_grace_ms: int


@dataclass(frozen=True, slots=True)
class Known:
    """A match as this server committed it last, with its state decoded.

    Another server may have gone on since; a commit upon it says so (`Conflict`).
    """

    record: MatchRecord
    state: Any = field(repr=False)


LATELY = 1_000
"""So many known matches are kept; the one asked for longest ago is let go first."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything a use case may reach."""

    games: Mapping[str, AnyGame]
    store: MatchStore
    bots: BotStore
    ids: Ids
    patience: Patience
    lately: Recent[Known] = field(default_factory=lambda: Recent(LATELY), compare=False)

"""A match and its log as values: what is stored, and what use cases work on."""

from dataclasses import dataclass, field
from enum import Enum, unique
from typing import Any

from dragonhall_engine.core.game import Seat, Setup
from dragonhall_engine.core.outcome import Cause, Leaver, Outcome
from dragonhall_engine.core.rng import Deal


@unique
class Phase(Enum):
    """Where in its life a match is."""

    LOBBY = "lobby"
    RUNNING = "running"
    OVER = "over"


@unique
class ExpiryAction(Enum):
    """What happens to a seat that runs out of time."""

    LOSE = "lose"
    DEFAULT_MOVE = "default_move"


@dataclass(frozen=True, slots=True)
class Clock:
    """How long a seat may think, in milliseconds.

    Attributes:
        move_limit_ms: for each move.
        bank_ms: for the whole match, used by what a move takes beyond its limit.
    """

    move_limit_ms: int
    bank_ms: int
    on_expiry: ExpiryAction


@dataclass(frozen=True, slots=True)
class Options:
    """What the host chose, fixed for the life of a match.

    Attributes:
        clock: None lets everybody think as long as the server's own patience lasts.
        auto_pass: the server passes where every spectator knows that a seat may only pass.
    """

    game: str
    setup: Setup
    public: bool
    clock: Clock | None = None
    auto_pass: bool = True


@dataclass(frozen=True, slots=True)
class SeatRecord:
    """A taken seat; `token_hash` is the SHA-256 of the holder's token.

    Attributes:
        bot: name of the registered bot that holds it; "" for anybody else.
    """

    token_hash: bytes = field(repr=False)
    player_name: str
    contribution: bytes
    bot: str = ""


@dataclass(frozen=True, slots=True)
class Timing:
    """A running deadline, by the store's clock in milliseconds since 1970.

    Attributes:
        since_ms: when the seat to move began to think; in a lobby, when it was opened.
        due_ms: when that seat is out of time; in a lobby, when it expires.
        banks_ms: what was left of each seat's bank at `since_ms`; () without a clock.
    """

    since_ms: int
    due_ms: int
    banks_ms: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """A stored match at one version. Holds every secret of the match: never log it.

    Attributes:
        version: 1, 2, 3 ...
        tag: random text stored with that version; tells two histories apart.
        seats: one entry per seat, None while it is open.
        state: the encoded game state; None before the deal.
        seat_to_move: None unless running.
        moves: how many moves have been made.
        leavers: seats that left, in the order in which they did.
        created_ms: store time, milliseconds since 1970.
        timing: the deadline that runs; None once the match is over.
        as_of_ms: store time at which this was read or written.
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
    moves: int = 0
    leavers: tuple[Leaver, ...] = ()
    created_ms: int = 0
    timing: Timing | None = None
    as_of_ms: int = field(default=0, compare=False)

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
    SERVER_FAULT = "server_fault"


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
    LEFT = "left"
    ABORTED = "aborted"
    EXPIRED = "expired"
    FAILED = "failed"


@unique
class MoveReason(Enum):
    """Who decided a move: the player, or the server and why."""

    PLAYER = "player"
    TIMED_OUT = "timed_out"
    SEAT_LEFT = "seat_left"
    AUTO_PASS = "auto_pass"


@dataclass(frozen=True, slots=True)
class Entry:
    """One version of a match as the log keeps it, unprojected: facts hold hidden cards.

    Attributes:
        seat: who joined, moved or left.
        move: in notation, of a MOVED entry.
        reason: who decided it.
        cause: how the seat of a LEFT entry left.
        facts: encoded by the game, of DEALT and MOVED entries.
        told: the same facts as the game has them, if they are at hand; not stored.
        seat_to_move: after this version.
        ending: on the last entry.
    """

    kind: EntryKind
    seat: Seat | None = None
    move: str | None = None
    reason: MoveReason | None = None
    cause: Cause | None = None
    facts: bytes | None = field(default=None, repr=False)
    seat_to_move: Seat | None = None
    ending: Ending | None = None
    told: tuple[Any, ...] | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class LoggedEntry:
    """An entry with what the commit gave it: version, tag and store time in milliseconds.

    Attributes:
        timing: the deadline that runs after the commit, on its last entry.
    """

    version: int
    tag: str
    committed_ms: int
    entry: Entry
    timing: Timing | None = None

"""A match carried on in memory: what becomes its next commit.

After what a player or the clock does, the server acts at once for seats that have left and passes
where every spectator knows that a seat may only pass. All of it is one commit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from dragonhall_engine.core.game import Seat
from dragonhall_engine.core.outcome import Cause, Leaver, Outcome, with_leavers
from dragonhall_service.credentials import Role
from dragonhall_service.match import (
    Ending,
    Entry,
    EntryKind,
    LoggedEntry,
    MatchRecord,
    MoveReason,
    Phase,
)
from dragonhall_service.ports import AnyGame, Commit, Countdown, Patience, RequestKey, Window


@dataclass(frozen=True, slots=True)
class Done:
    """What a request did: the match, the caller's role, and the log of the commit.

    Attributes:
        upon: the tag of the version that the entries of a move follow; "" of a repeat.
    """

    record: MatchRecord
    role: Role
    entries: Sequence[LoggedEntry]
    replayed: bool
    upon: str = ""


class Course:
    """Carries a running match on; every step appends an entry."""

    def __init__(self, game: AnyGame, record: MatchRecord, state: Any = None) -> None:
        """Begin at a record that is RUNNING; its state is decoded unless it is at hand."""
        assert record.state is not None
        self._game = game
        self._record = record
        self._state = game.decode(record.state) if state is None else state
        self._leavers = list(record.leavers)
        self._entries: list[Entry] = []
        self._outcome: Outcome | None = None

    @property
    def state(self) -> Any:
        """The game's state after what was done so far."""
        return self._state

    def move(self, seat: Seat, move: Any, reason: MoveReason) -> None:
        """Make a move.

        Raises:
            IllegalMove: the engine names the rule.
        """
        game = self._game
        after, facts = game.apply(self._state, seat, move)
        canonical = game.canonical(self._state, move)
        self._state = after
        played = game.outcome(after)
        if played:
            self._outcome = with_leavers(played, len(self._record.seats), self._leavers)
        self._append(
            EntryKind.MOVED,
            seat=seat,
            move=game.format_move(canonical),
            reason=reason,
            facts=game.encode_facts(facts),
            told=tuple(facts),
        )

    def default(self, seat: Seat, reason: MoveReason) -> None:
        """Make the moves of a seat that is out of time or gone (DH-8.1, DK-10.1)."""
        for move in self._game.default_moves(self._state):
            self.move(seat, move, reason)

    def leave(self, seat: Seat, cause: Cause) -> None:
        """Let a seat leave; when fewer than two play on, the match is over."""
        self._leavers.append(Leaver(seat, cause))
        seats = len(self._record.seats)
        if seats - len(self._leavers) < 2:
            self._outcome = with_leavers(None, seats, self._leavers)
        self._append(EntryKind.LEFT, seat=seat, cause=cause)

    def commit(
        self, request: RequestKey, fingerprint: str, patience: Patience, window: Window
    ) -> Commit:
        """Let the server act for whom it may, and return the commit."""
        while (seat := self._to_move()) is not None and self._acts_for(seat):
            pass
        to_move = self._to_move()
        moves = sum(entry.kind is EntryKind.MOVED for entry in self._entries)
        record = replace(
            self._record,
            phase=Phase.OVER if self._outcome else Phase.RUNNING,
            state=self._game.encode(self._state),
            seat_to_move=to_move,
            ending=Ending(None, self._outcome) if self._outcome else None,
            moves=self._record.moves + moves,
            leavers=tuple(self._leavers),
        )
        countdown = None
        if moves and to_move is not None:
            countdown = countdown_for(record, patience, self._record.seat_to_move)
        return Commit(record, tuple(self._entries), request, fingerprint, window, countdown)

    def _acts_for(self, seat: Seat) -> bool:
        if any(leaver.seat == seat for leaver in self._leavers):
            self.default(seat, MoveReason.SEAT_LEFT)
            return True
        forced = self._game.public_pass(self._state) if self._record.options.auto_pass else None
        if forced is not None:
            self.move(seat, forced, MoveReason.AUTO_PASS)
        return forced is not None

    def _to_move(self) -> Seat | None:
        return None if self._outcome else self._game.seat_to_move(self._state)

    def _append(self, kind: EntryKind, **told: Any) -> None:
        ending = Ending(None, self._outcome) if self._outcome else None
        self._entries.append(Entry(kind, seat_to_move=self._to_move(), ending=ending, **told))


def countdown_for(record: MatchRecord, patience: Patience, charged: Seat | None) -> Countdown:
    """Return the deadline of the seat that is to move now; `charged` pays for the time before."""
    clock = record.options.clock
    if clock is None:
        return Countdown(patience.idle_ms)
    return Countdown(clock.move_limit_ms, charged, record.seat_to_move)

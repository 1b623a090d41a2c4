"""Two worlds over the service: pairs of matches that one reader cannot tell apart.

The states of a pair come from the engine's own pairs (tests/engine/<game>/two_worlds.py). Its logs
tell the same public story; what they hide from the reader is exchanged. Ids, tags and times are
the same, so that answers must be, byte for byte.
"""

import base64
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from dragonhall_engine.core.game import Setup
from dragonhall_engine.core.rng import Deal
from dragonhall_service.credentials import Caller, caller_of
from dragonhall_service.match import (
    Ending,
    Entry,
    EntryKind,
    LoggedEntry,
    MatchRecord,
    MoveReason,
    Options,
    Phase,
    SeatRecord,
)

MATCH_ID = "a" * 26
TAG = "0123456789abcdef"
START_MS = 1_700_000_000_000
NAMES = ("Ann", "Ben", "Cid", "Dee")
TOKENS = [base64.urlsafe_b64encode(bytes([n]) * 32).decode().rstrip("=") for n in range(5)]
"""Of the seats, then of the host."""


class Worlds(Protocol):
    """What a game adds: a module tests/contract/worlds_<game>.py."""

    @property
    def GAME(self) -> Any:
        """The game's engine package."""

    def setup(self, number: int) -> Setup: ...

    def deal(self, number: int) -> Deal: ...

    def decisions(self, number: int) -> Iterator[Any]:
        """Play the match of a number: `before`, `move`, `after`, `facts` of each decision."""

    def twin(self, state: Any, reader: int | None, number: int) -> tuple[Any, bool]:
        """Return a state that a reader cannot tell apart.

        Also whether it is near: what the next move turns up for the reader is the same too.
        """

    def other(self, fact: Any, reader: int | None, chance: random.Random) -> Any:
        """Exchange what a fact hides from a reader."""

    def attempts(self, number: int) -> Sequence[Any]:
        """List moves of all kinds, most of them illegal."""


@dataclass(frozen=True)
class World:
    """A match as stored.

    Attributes:
        told: who is told other hidden things than the log holds; -1 for the true log.
    """

    of: Worlds
    record: MatchRecord
    log: tuple[LoggedEntry, ...]
    told: int | None = -1
    number: int = 0

    def entries(self, first: int, limit: int) -> list[LoggedEntry]:
        """Read the log."""
        found = list(self.log[first - 1 : first - 1 + limit])
        return found if self.told == -1 else [self._disguised(logged) for logged in found]

    def _disguised(self, logged: LoggedEntry) -> LoggedEntry:
        if logged.entry.facts is None:
            return logged
        game, chance = self.of.GAME, random.Random(self.number * 1_000 + logged.version)
        facts = game.decode_facts(logged.entry.facts)
        others = tuple(self.of.other(fact, self.told, chance) for fact in facts)
        return replace(logged, entry=replace(logged.entry, facts=game.encode_facts(others)))


@dataclass(frozen=True)
class Pair:
    """Two worlds that a reader cannot tell apart.

    Attributes:
        move: one that is legal in both, where the pair is near; else None.
        attempts: moves that the reader may try and that are illegal.
    """

    worlds: tuple[World, World]
    reader: int | None
    move: Any
    attempts: tuple[Any, ...]


def pairs(of: Worlds, first: int) -> Iterator[Pair]:
    """Yield pairs for ever, one for each decision of match after match, its reader random."""
    number = first
    while True:
        log = list(_opening(of, number))
        for decision in of.decisions(number):
            yield _pair(of, number, decision, tuple(log))
            log.append(_logged(len(log) + 1, _moved(of, decision)))
        number += 1


def _pair(of: Worlds, number: int, decision: Any, log: tuple[LoggedEntry, ...]) -> Pair:
    game, state = of.GAME, decision.before
    at = number * 1_000 + len(log)
    chance = random.Random(at)
    seats = of.setup(number).seats
    reader = chance.choice((None, *range(seats)))
    twin, near = of.twin(state, reader, at)
    true = World(of, _record(of, number, state, len(log)), log)
    other = World(of, _record(of, number, twin, len(log)), log, reader, at)
    mover = game.seat_to_move(state)
    both = set(game.legal_moves(state, mover)) & set(game.legal_moves(twin, mover))
    move = chance.choice(sorted(both, key=game.format_move)) if near and both else None
    if move is not None and _ends(game, state, move):
        move = None  # the end may reveal what was hidden
    attempts = [a for a in of.attempts(at) if reader != mover or game.check(state, mover, a)]
    some = tuple(chance.sample(attempts, min(3, len(attempts))))
    return Pair((true, other), reader, move, some)


def _ends(game: Any, state: Any, move: Any) -> bool:
    """Say whether a match ends with a move and the automatic ones after it."""
    while move is not None:
        state, _ = game.apply(state, game.seat_to_move(state), move)
        if game.outcome(state):
            return True
        move = game.public_pass(state)
    return False


def _record(of: Worlds, number: int, state: Any, version: int) -> MatchRecord:
    setup, deal = of.setup(number), of.deal(number)
    seats = [
        SeatRecord(_hash(TOKENS[seat]), NAMES[seat], b"share-%d" % seat)
        for seat in range(setup.seats)
    ]
    return MatchRecord(
        match_id=MATCH_ID,
        version=version,
        tag=TAG,
        phase=Phase.RUNNING,
        options=Options(of.GAME.NAME, setup, public=True),
        host_hash=_hash(TOKENS[-1]),
        seed=deal.seed,
        deal_id=deal.deal_id,
        seed_chosen=False,
        seats=tuple(seats),
        state=of.GAME.encode(state),
        seat_to_move=of.GAME.seat_to_move(state),
        ending=None,
        created_ms=START_MS,
        as_of_ms=START_MS,
    )


def _opening(of: Worlds, number: int) -> Iterator[LoggedEntry]:
    game, setup = of.GAME, of.setup(number)
    state = game.new_match(setup, of.deal(number))
    facts, seat = game.encode_facts(game.opening(state)), game.seat_to_move(state)
    joins = [Entry(EntryKind.JOINED, seat=n) for n in range(setup.seats)]
    dealt = Entry(EntryKind.DEALT, facts=facts, seat_to_move=seat)
    for version, entry in enumerate([Entry(EntryKind.CREATED), *joins, dealt], start=1):
        yield _logged(version, entry)


def _moved(of: Worlds, decision: Any) -> Entry:
    game, outcome = of.GAME, of.GAME.outcome(decision.after)
    return Entry(
        EntryKind.MOVED,
        seat=game.seat_to_move(decision.before),
        move=game.format_move(game.canonical(decision.before, decision.move)),
        reason=MoveReason.PLAYER,
        facts=game.encode_facts(decision.facts),
        seat_to_move=game.seat_to_move(decision.after),
        ending=Ending(None, outcome) if outcome else None,
    )


def _logged(version: int, entry: Entry) -> LoggedEntry:
    return LoggedEntry(version, TAG, START_MS + version, entry)


def _hash(token: str) -> bytes:
    caller: Caller = caller_of(token)
    assert caller.token_hash is not None
    return caller.token_hash


Games = Mapping[str, Any]
"""The registry that a world is served with: the engine's, or one that leaks."""

"""A finished match told again by the engine, from its revealed seed: every state, or what differs.

Nothing that the replay claims is taken over where the seed and the decisions give it too.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from dragonhall.v1 import game_pb2, match_pb2
from dragonhall.v1.match_service_pb2 import GetReplayResponse, ReplayLeave, ReplayMove
from dragonhall_engine.core.errors import EngineError, NotationError
from dragonhall_engine.core.game import Game, Seat, Setup
from dragonhall_engine.core.outcome import Cause, Leaver, Outcome, with_leavers
from dragonhall_engine.core.rng import Deal
from dragonhall_engine.registry import GAMES
from dragonhall_service.api.mapping.games import (
    MAPPINGS,
    fact_to_proto,
    move_to_proto,
    setup_from_proto,
)
from dragonhall_service.api.mapping.matches import CAUSES
from dragonhall_service.usecases.refusals import FieldInvalid

AnyGame = Game[Any, Any, Any, Any]


class Differs(Exception):
    """A finished match is not what its seed and its moves give; the text says where."""


@dataclass(frozen=True, slots=True)
class Told:
    """One version of a match, as the engine has it.

    Attributes:
        state: after it.
        facts: what happened, whole.
        event: the same for the log, without facts and times.
    """

    state: Any
    facts: tuple[Any, ...]
    event: match_pb2.Event


def game_of(replay: GetReplayResponse) -> AnyGame:
    """Return the game that was played."""
    return GAMES[_setup(replay.match)[0]]


def event_for(game: AnyGame, told: Told, reader: Seat | None) -> match_pb2.Event:
    """Return what a reader was told at a version."""
    facts = [fact_to_proto(game, game.project(fact, reader)) for fact in told.facts]
    event = match_pb2.Event()
    event.CopyFrom(told.event)
    if event.HasField("dealt"):
        event.dealt.facts.extend(facts)
    elif event.HasField("move_made"):
        event.move_made.facts.extend(facts)
    return event


def check_commitment(replay: GetReplayResponse) -> None:
    """Check that the seed revealed is the one that the server was bound to.

    Raises:
        Differs: it is not.
    """
    deal = replay.match.deal
    if _deal(replay).commitment != deal.commitment:
        raise Differs("the seed and deal id do not give the commitment")
    edition = _setup(replay.match)[1].edition
    if game_of(replay).ruleset(edition) != deal.ruleset:
        raise Differs(f"the deal is bound to other rules: {deal.ruleset}")


def retell(replay: GetReplayResponse) -> Iterator[Told]:
    """Deal again, decide everything again, and yield each state.

    A match that was called off before its first move tells nothing, not even who had left it; one
    that the server ended is told as far as it was played.

    Raises:
        Differs: the deal cannot be, a decision is not possible, or the outcome is another one.
    """
    match = replay.match
    if not match.outcome.results and not (replay.moves and _is_fault(match)):
        if replay.moves:
            raise Differs("a match that was called off has no moves")
        return
    telling = _Telling(replay)
    yield telling.deal()
    acts: list[ReplayMove | ReplayLeave] = [*replay.moves, *replay.leaves]
    for act in sorted(acts, key=lambda act: act.version):
        yield telling.move(act) if isinstance(act, ReplayMove) else telling.leave(act)
    telling.check_end()


def _is_fault(match: match_pb2.Match) -> bool:
    """Tell whether the server, or its operator, ended a match before its end."""
    return match.outcome.cause == match_pb2.OUTCOME_CAUSE_SERVER_FAULT


def _setup(match: match_pb2.Match) -> tuple[str, Setup]:
    options = match.options
    try:
        game, edition, seats = setup_from_proto(options.setup, "match.options.setup")
    except FieldInvalid as unknown:
        raise Differs(str(unknown)) from None
    if seats != len(match.seats):
        raise Differs(f"the setup is for {seats} seats, the match has {len(match.seats)}")
    if [seat.seat for seat in match.seats] != list(range(seats)):
        raise Differs("the seats are not in order")
    start = options.start_seat if options.HasField("start_seat") else None
    return game, Setup(edition, seats, start)


def _deal(replay: GetReplayResponse) -> Deal:
    contributions = tuple(seat.contribution for seat in replay.match.seats)
    try:
        return Deal(replay.seed, replay.match.deal.deal_id, contributions)
    except ValueError as impossible:
        raise Differs(str(impossible)) from None


class _Telling:
    """The match so far."""

    def __init__(self, replay: GetReplayResponse) -> None:
        self._replay = replay
        self._match = replay.match
        self._game = game_of(replay)
        self._setup = _setup(replay.match)[1]
        self._version = self._setup.seats + 2  # one creates, each seat is taken, one deals
        self._state: Any = None
        self._leavers: list[Leaver] = []
        self._outcome: Outcome | None = None

    def deal(self) -> Told:
        try:
            self._state = self._game.new_match(self._setup, _deal(self._replay))
        except EngineError as impossible:
            raise Differs(f"such a match cannot be dealt: {impossible}") from None
        event = match_pb2.Event(version=self._version)
        event.dealt.contributions.extend(seat.contribution for seat in self._match.seats)
        return Told(self._state, self._game.opening(self._state), event)

    def move(self, given: ReplayMove) -> Told:
        where, game = self._next(given), self._game
        move = _read(game, given.move, where)
        self._check_decider(given, where)
        try:
            after, facts = game.apply(self._state, given.seat, move)
        except EngineError as broken:
            raise Differs(f"{where}: {broken}") from None
        proto = move_to_proto(game, game.canonical(self._state, move))
        self._state = after
        played = game.outcome(after)
        self._outcome = played and with_leavers(played, self._setup.seats, self._leavers)
        made = match_pb2.MoveMade(seat=given.seat, move=proto, reason=given.reason)
        return Told(after, facts, match_pb2.Event(version=given.version, move_made=made))

    def leave(self, given: ReplayLeave) -> Told:
        where, seats = self._next(given), self._setup.seats
        if given.seat >= seats or self._has_left(given.seat) or given.cause not in _LEAVING:
            raise Differs(f"{where}: it cannot leave so")
        self._leavers.append(Leaver(given.seat, _LEAVING[given.cause]))
        if seats - len(self._leavers) < 2:
            self._outcome = with_leavers(None, seats, self._leavers)
        left = match_pb2.SeatLeft(seat=given.seat, cause=given.cause)
        return Told(self._state, (), match_pb2.Event(version=given.version, seat_left=left))

    def _next(self, act: ReplayMove | ReplayLeave) -> str:
        """Go on to the next version, and say where that is."""
        self._version += 1
        if act.version != self._version:
            raise Differs(f"version {self._version} is missing: {act.version} follows")
        where = f"version {act.version}, seat {act.seat}"
        if self._outcome:
            raise Differs(f"{where}: the match was over before")
        return where

    def _has_left(self, seat: Seat) -> bool:
        return any(leaver.seat == seat for leaver in self._leavers)

    def _check_decider(self, given: ReplayMove, where: str) -> None:
        """Check that the server decided nothing for a player but what it must."""
        gone = given.reason == match_pb2.MOVE_REASON_SEAT_LEFT
        if gone != self._has_left(given.seat):
            raise Differs(f"{where}: it had{' not' if gone else ''} left")
        if given.reason in _SERVERS:
            may, decision = _SERVERS[given.reason]
            forced = decision(self._game, self._state) if may(self._match.options) else None
            if forced is None or self._game.format_move(forced) != given.move.notation:
                raise Differs(f"{where}: {given.move.notation} is not the server's to decide")

    def check_end(self) -> None:
        match, outcome = self._match, self._outcome
        if _is_fault(match):
            if outcome is not None or match.version != self._version + 1:
                raise Differs("the server did not end the match where it stood")
            return
        if match.version != self._version:
            raise Differs(f"the match has version {match.version}, not {self._version}")
        if outcome is None:
            raise Differs("after the last move the match is not over")
        if match.outcome.cause != CAUSES[outcome.cause]:
            raise Differs(f"the match ended otherwise: {outcome.cause.value}")
        given = [(r.seat, r.rank, r.score, r.cause) for r in match.outcome.results]
        real = [(n, r.rank, r.score, CAUSES[r.cause]) for n, r in enumerate(outcome.seats)]
        for claimed, found in zip_longest(given, real):
            if claimed != found:
                raise Differs(f"seat, rank, score and cause are {found}, not {claimed}")


_LEAVING = {CAUSES[cause]: cause for cause in Cause if cause is not Cause.COMPLETED}
_May = Callable[[match_pb2.MatchOptions], bool]
_Decision = Callable[[AnyGame, Any], Any]


def _default(game: AnyGame, state: Any) -> Any:
    return game.default_moves(state)[0]


_SERVERS: Mapping[int, tuple[_May, _Decision]] = {
    match_pb2.MOVE_REASON_TIMED_OUT: (
        lambda options: options.clock.on_expiry == match_pb2.EXPIRY_ACTION_DEFAULT_MOVE,
        _default,
    ),
    match_pb2.MOVE_REASON_SEAT_LEFT: (lambda options: True, _default),
    match_pb2.MOVE_REASON_AUTO_PASS: (
        lambda options: options.auto_pass or not options.HasField("auto_pass"),
        lambda game, state: game.public_pass(state),
    ),
}
"""What the server may decide for a player: where the options of the match let it, and what."""


def _read(game: AnyGame, given: game_pb2.Move, where: str) -> Any:
    where = f"{where}, {given.notation}"
    try:
        move = game.parse_move(given.notation)
        typed = MAPPINGS[game.NAME].move_from_proto(given, "move")
    except (NotationError, FieldInvalid) as unreadable:
        raise Differs(f"{where}: {unreadable}") from None
    if game.format_move(typed) != game.format_move(move):
        raise Differs(f"{where}: its typed form is {game.format_move(typed)}")
    return move

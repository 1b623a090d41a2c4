"""Submitting a move: a repeat is answered first, then version, turn and rules are asked."""

from dataclasses import dataclass
from typing import Any

from dragonhall_engine.core.errors import IllegalMove, NotationError
from dragonhall_engine.core.game import Seat
from dragonhall_service.credentials import Caller, role_of
from dragonhall_service.match import MatchRecord, MoveReason, Phase
from dragonhall_service.ports import (
    AnyGame,
    Applied,
    Conflict,
    Known,
    Missed,
    Ports,
    Repeated,
    RequestKey,
    Window,
)
from dragonhall_service.telling import tell_seat
from dragonhall_service.usecases.course import Course, Done
from dragonhall_service.usecases.deadlines import fire
from dragonhall_service.usecases.ending import check_not_left
from dragonhall_service.usecases.reading import (
    Seen,
    check_repeat,
    entries_of,
    fingerprint,
    seat_of,
    see,
)
from dragonhall_service.usecases.refusals import (
    FieldInvalid,
    Reason,
    Refusal,
    conflict,
    match_over,
)


@dataclass(frozen=True, slots=True)
class MoveInput:
    """A move as it came: in notation, typed for the game `game`, or both."""

    notation: str
    game: str | None
    typed: Any


@dataclass(frozen=True, slots=True)
class Submission:
    """What a player asks for."""

    request_id: str
    expected_version: int
    move: MoveInput


async def submit_move(ports: Ports, caller: Caller, match_id: str, submission: Submission) -> Done:
    """Apply a move, once, however often it is sent.

    Raises:
        Refusal: MATCH_NOT_FOUND, UNAUTHENTICATED, WRONG_ROLE, FIELD_INVALID, REQUEST_ID_REUSED,
            NOT_STARTED, VERSION_CONFLICT, MATCH_OVER, SEAT_LEFT, NOT_YOUR_TURN, ILLEGAL_MOVE.
    """
    request = RequestKey(caller.actor, submission.request_id)
    known = ports.lately.find(match_id)
    if known is not None and known.record.version == submission.expected_version:
        done = await _upon_known(ports, caller, known, request, submission)
        if done is not None:
            return done
    seen = await see(ports, caller, match_id, request)
    record, earlier = seen.record, seen.earlier
    asked = _read(ports, caller, seen, submission)
    if earlier is None:
        _check_turn(record, asked.seat, submission.expected_version)
        course = _moved(asked, record)
        result = await _commit(ports, course, request, asked)
        if isinstance(result, Missed):  # time ran out; but a bot may be given a little more
            await fire(ports, match_id)
            result = await _commit(ports, course, request, asked)
        if isinstance(result, Applied):
            return Done(result.record, seen.role, result.entries, False, record.tag)
        if isinstance(result, Missed):
            raise conflict(record.version, record.version + 1)
        if isinstance(result, Conflict):
            raise conflict(submission.expected_version, result.current_version)
        earlier = result.earlier
    check_repeat(earlier, asked.fingerprint)
    entries_then = await entries_of(ports, match_id, earlier)
    return Done(record, seen.role, entries_then, replayed=True)


async def _upon_known(
    ports: Ports, caller: Caller, known: Known, request: RequestKey, submission: Submission
) -> Done | None:
    """Move without loading the match; None where only the store knows what is to be answered."""
    role = role_of(caller, known.record)
    if role is None:
        return None
    tell_seat(role.seat)
    seen = Seen(known.record, role)
    try:
        asked = _read(ports, caller, seen, submission)
        _check_turn(known.record, asked.seat, submission.expected_version)
        course = _moved(asked, known.record, known.state)
    except Refusal:
        return None
    result = await _commit(ports, course, request, asked)
    if not isinstance(result, Applied):
        return None
    return Done(result.record, role, result.entries, False, known.record.tag)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A submission as read: who moves in which game and how, and a digest of all that was said."""

    seat: Seat
    game: AnyGame
    move: Any
    fingerprint: str


def _read(ports: Ports, caller: Caller, seen: Seen, submission: Submission) -> _Asked:
    seat = seat_of(caller, seen.role)
    game = ports.games[seen.record.options.game]
    move = _move(game, submission.move)
    asked = fingerprint("move", submission.expected_version, game.format_move(move))
    return _Asked(seat, game, move, asked)


def _move(game: AnyGame, given: MoveInput) -> Any:
    if given.game not in (None, game.NAME):
        raise FieldInvalid("move.game", f"this is a match of {game.NAME}")
    if not given.notation:
        return given.typed
    try:
        move = game.parse_move(given.notation)
    except NotationError as wrong:
        raise FieldInvalid("move.notation", str(wrong)) from wrong
    if given.typed in (None, move):
        return move
    if game.format_move(given.typed) != game.format_move(move):
        raise FieldInvalid("move", "notation and typed form are different moves")
    return move


def _check_turn(record: MatchRecord, seat: Seat, expected_version: int) -> None:
    if record.phase is Phase.LOBBY:
        raise Refusal(Reason.NOT_STARTED, "a seat is still open")
    if record.version != expected_version:
        raise conflict(expected_version, record.version)
    if record.phase is Phase.OVER:
        raise match_over()
    check_not_left(record, seat)
    if record.seat_to_move != seat:
        raise Refusal(Reason.NOT_YOUR_TURN, f"seat {record.seat_to_move} must move")


def _moved(asked: _Asked, record: MatchRecord, state: Any = None) -> Course:
    course = Course(asked.game, record, state)
    try:
        course.move(asked.seat, asked.move, MoveReason.PLAYER)
    except IllegalMove as illegal:
        broken = illegal.violation
        raise Refusal(
            Reason.ILLEGAL_MOVE, broken.message, rule=broken.rule, code=broken.code
        ) from illegal
    return course


async def _commit(
    ports: Ports, course: Course, request: RequestKey, asked: _Asked
) -> Applied | Repeated | Conflict | Missed:
    """Commit, and remember the match for its next move."""
    commit = course.commit(request, asked.fingerprint, ports.patience, Window.BEFORE_DUE)
    result = await ports.store.commit(commit)
    if isinstance(result, Applied):
        if result.record.phase is Phase.RUNNING:
            ports.lately.put(result.record.match_id, Known(result.record, course.state))
        else:
            ports.lately.drop(result.record.match_id)
    return result

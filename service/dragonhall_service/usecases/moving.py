"""Submitting a move: a repeat is answered first, then version, turn and rules are asked."""

from dataclasses import dataclass
from typing import Any

from dragonhall_engine.core.errors import IllegalMove, NotationError
from dragonhall_engine.core.game import Seat
from dragonhall_service.credentials import Caller
from dragonhall_service.match import MatchRecord, MoveReason, Phase
from dragonhall_service.ports import (
    AnyGame,
    Applied,
    Commit,
    Conflict,
    Missed,
    Ports,
    RequestKey,
    Window,
)
from dragonhall_service.usecases.course import Course, Done
from dragonhall_service.usecases.deadlines import fire
from dragonhall_service.usecases.ending import check_not_left
from dragonhall_service.usecases.reading import (
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
    seen = await see(ports, caller, match_id, request)
    record = seen.record
    seat = seat_of(caller, seen.role)
    game = ports.games[record.options.game]
    move = _move(game, submission.move)
    asked = fingerprint("move", submission.expected_version, game.format_move(move))
    earlier = seen.earlier
    if earlier is None:
        _check_turn(record, seat, submission.expected_version)
        commit = _moving(ports, game, record, seat, move, request, asked)
        result = await ports.store.commit(commit)
        if isinstance(result, Missed):  # time ran out; but a bot may be given a little more
            await fire(ports, match_id)
            result = await ports.store.commit(commit)
        if isinstance(result, Applied):
            return Done(result.record, seen.role, result.entries, replayed=False)
        if isinstance(result, Missed):
            raise conflict(record.version, record.version + 1)
        if isinstance(result, Conflict):
            raise conflict(submission.expected_version, result.current_version)
        earlier = result.earlier
    check_repeat(earlier, asked)
    entries_then = await entries_of(ports, match_id, earlier)
    return Done(record, seen.role, entries_then, replayed=True)


def _move(game: AnyGame, given: MoveInput) -> Any:
    if given.game not in (None, game.NAME):
        raise FieldInvalid("move.game", f"this is a match of {game.NAME}")
    if not given.notation:
        return given.typed
    try:
        move = game.parse_move(given.notation)
    except NotationError as wrong:
        raise FieldInvalid("move.notation", str(wrong)) from wrong
    if given.typed is not None and game.format_move(given.typed) != game.format_move(move):
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


def _moving(
    ports: Ports,
    game: AnyGame,
    record: MatchRecord,
    seat: Seat,
    move: Any,
    request: RequestKey,
    asked: str,
) -> Commit:
    course = Course(game, record)
    try:
        course.move(seat, move, MoveReason.PLAYER)
    except IllegalMove as illegal:
        broken = illegal.violation
        raise Refusal(
            Reason.ILLEGAL_MOVE, broken.message, rule=broken.rule, code=broken.code
        ) from illegal
    return course.commit(request, asked, ports.patience, Window.BEFORE_DUE)

"""Ending a match by a decision: resigning and aborting."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from dragonhall_engine.core.game import Seat
from dragonhall_engine.core.outcome import Cause
from dragonhall_service.credentials import Caller
from dragonhall_service.match import EndCause, Ending, Entry, EntryKind, MatchRecord, Phase
from dragonhall_service.ports import Applied, Commit, Ports, Repeated, RequestKey, Window
from dragonhall_service.usecases.course import Course, Done
from dragonhall_service.usecases.reading import (
    Seen,
    check_repeat,
    entries_of,
    fingerprint,
    seat_of,
    see,
)
from dragonhall_service.usecases.refusals import (
    Reason,
    Refusal,
    conflict,
    match_over,
    seat_left,
)

_ATTEMPTS = 16
"""Each lost race means that the match has moved on meanwhile."""


async def resign_match(ports: Ports, caller: Caller, match_id: str, request_id: str) -> Done:
    """Let the caller's seat leave, at whatever version the match is.

    Raises:
        Refusal: MATCH_NOT_FOUND, UNAUTHENTICATED, WRONG_ROLE, NOT_STARTED, MATCH_OVER, SEAT_LEFT,
            REQUEST_ID_REUSED.
    """
    request, asked = RequestKey(caller.actor, request_id), fingerprint("resign")

    def resigning(seen: Seen) -> Commit:
        seat, record = seat_of(caller, seen.role), seen.record
        if record.phase is Phase.LOBBY:
            raise Refusal(Reason.NOT_STARTED, "a seat is still open")
        if record.phase is Phase.OVER:
            raise match_over()
        check_not_left(record, seat)
        course = Course(ports.games[record.options.game], record)
        course.leave(seat, Cause.RESIGNED)
        return course.commit(request, asked, ports.patience, Window.ANY)

    return await _at_any_version(ports, caller, match_id, request, asked, resigning)


async def abort_match(ports: Ports, caller: Caller, match_id: str, request_id: str) -> Done:
    """Call a match off before its first move.

    Raises:
        Refusal: MATCH_NOT_FOUND, UNAUTHENTICATED, WRONG_ROLE, ALREADY_STARTED, MATCH_OVER,
            REQUEST_ID_REUSED.
    """
    request, asked = RequestKey(caller.actor, request_id), fingerprint("abort")

    def aborting(seen: Seen) -> Commit:
        record = seen.record
        if caller.token_hash is None:
            raise Refusal(Reason.UNAUTHENTICATED, "send the token of the host as metadata")
        if not seen.role.host:
            raise Refusal(Reason.WRONG_ROLE, "only the host may abort a match")
        if record.phase is Phase.OVER:
            raise match_over()
        if record.moves:
            raise Refusal(Reason.ALREADY_STARTED, "a move has been made: it is too late to abort")
        return _calling_off(record, request, asked)

    return await _at_any_version(ports, caller, match_id, request, asked, aborting)


def _calling_off(record: MatchRecord, request: RequestKey, asked: str) -> Commit:
    ending = Ending(EndCause.ABORTED, None)
    entry = Entry(EntryKind.ABORTED, ending=ending)
    return Commit(ended(record, ending), (entry,), request, asked)


async def forfeit(ports: Ports, caller: Caller, match_id: str, version: int) -> None:
    """Let the caller's seat leave because it answered its turn at `version` with no legal move.

    Raises:
        Refusal: it was not its turn, or the match has moved on.
    """
    request, asked = RequestKey(caller.actor, f":forfeit-{version}"), fingerprint("forfeit")

    def forfeiting(seen: Seen) -> Commit:
        seat, record = seat_of(caller, seen.role), seen.record
        if record.version != version or record.seat_to_move != seat:
            raise conflict(version, record.version)
        course = Course(ports.games[record.options.game], record)
        course.leave(seat, Cause.ILLEGAL)
        return course.commit(request, asked, ports.patience, Window.BEFORE_DUE)

    await _at_any_version(ports, caller, match_id, request, asked, forfeiting)


async def leave_as_revoked(ports: Ports, bot: Caller, match_id: str) -> None:
    """Let the seat of a bot that was withdrawn leave; a match that waits for players is called off.

    Raises:
        Refusal: the match is over, or it has no seat there.
    """
    request, asked = RequestKey(bot.actor, ":revoked"), fingerprint("revoked")

    def leaving(seen: Seen) -> Commit:
        seat, record = seat_of(bot, seen.role), seen.record
        if record.phase is Phase.OVER:
            raise match_over()
        if record.phase is Phase.LOBBY:
            return _calling_off(record, request, asked)
        check_not_left(record, seat)
        course = Course(ports.games[record.options.game], record)
        course.leave(seat, Cause.LEFT)
        return course.commit(request, asked, ports.patience, Window.ANY)

    await _at_any_version(ports, bot, match_id, request, asked, leaving)


async def end_by_fault(ports: Ports, match_id: str) -> None:
    """End a match with which this server cannot go on; no seat is to blame.

    Raises:
        StorageUnavailable, RecordCorrupt, RecordTooNew: it could not be done.
    """
    loaded = await ports.store.load(match_id)
    if loaded is None or loaded.record.phase is Phase.OVER:
        return
    record, ending = loaded.record, Ending(EndCause.SERVER_FAULT, None)
    entry = Entry(EntryKind.FAILED, ending=ending)
    request = RequestKey("fault", str(record.version))
    await ports.store.commit(Commit(ended(record, ending), (entry,), request, "fault"))


def ended(record: MatchRecord, ending: Ending) -> MatchRecord:
    """Return a match that ends before its game does."""
    return replace(record, phase=Phase.OVER, seat_to_move=None, ending=ending)


def check_not_left(record: MatchRecord, seat: Seat) -> None:
    """Check that a seat still plays.

    Raises:
        Refusal: SEAT_LEFT.
    """
    if any(leaver.seat == seat for leaver in record.leavers):
        raise seat_left(seat)


async def at_any_version(
    ports: Ports,
    look: Callable[[], Awaitable[Seen]],
    request: RequestKey,
    asked: str,
    committing: Callable[[Seen], Commit],
) -> Done:
    """Commit once, at whatever version the match is.

    Args:
        look: loads the match with what `request` did, or refuses.
        committing: makes the commit of what was loaded, or refuses.

    Raises:
        Refusal: REQUEST_ID_REUSED, VERSION_CONFLICT; what the two raise.
    """
    for _ in range(_ATTEMPTS):
        seen = await look()
        earlier = seen.earlier
        if earlier is None:
            result = await ports.store.commit(committing(seen))
            if isinstance(result, Applied):
                return Done(result.record, seen.role, result.entries, replayed=False)
            if not isinstance(result, Repeated):
                continue
            earlier = result.earlier
        check_repeat(earlier, asked)
        entries = await entries_of(ports, seen.record.match_id, earlier)
        return Done(seen.record, seen.role, entries, replayed=True)
    raise conflict(seen.record.version, seen.record.version)


async def _at_any_version(
    ports: Ports,
    caller: Caller,
    match_id: str,
    request: RequestKey,
    asked: str,
    committing: Callable[[Seen], Commit],
) -> Done:
    def look() -> Awaitable[Seen]:
        return see(ports, caller, match_id, request)

    return await at_any_version(ports, look, request, asked, committing)

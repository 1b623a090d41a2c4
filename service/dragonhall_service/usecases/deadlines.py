"""What happens when a deadline passes. Any server may fire it; the commit lets exactly one."""

import asyncio

from dragonhall_engine.core.outcome import Cause
from dragonhall_service.match import (
    EndCause,
    Ending,
    Entry,
    EntryKind,
    ExpiryAction,
    MatchRecord,
    MoveReason,
    Phase,
)
from dragonhall_service.ports import Commit, Ports, RequestKey, Window
from dragonhall_service.usecases.course import Course
from dragonhall_service.usecases.ending import ended

_AT_ONCE = 64
_ACTOR = "clock"
"""No caller's: those are hexadecimal digits."""


async def fire_due(ports: Ports) -> int:
    """Fire every deadline that has passed, and return how many were found.

    Raises:
        StorageUnavailable: the store did not answer.
        ExceptionGroup: some could not be fired; the others were.
    """
    found = await ports.store.due(_AT_ONCE)
    results = await asyncio.gather(
        *(fire(ports, match_id) for match_id in found), return_exceptions=True
    )
    failures = [result for result in results if isinstance(result, Exception)]
    if failures:
        raise ExceptionGroup("deadlines not fired", failures)
    return len(found)


async def fire(ports: Ports, match_id: str) -> None:
    """Do what the match says for a deadline that has passed; before it nothing happens.

    Raises:
        StorageUnavailable, RecordCorrupt, RecordTooNew: it could not be done.
    """
    loaded = await ports.store.load(match_id)
    if loaded is None or loaded.record.phase is Phase.OVER:
        return
    await ports.store.commit(_expiry(ports, loaded.record))


def _expiry(ports: Ports, record: MatchRecord) -> Commit:
    request = RequestKey(_ACTOR, str(record.version))
    if record.phase is Phase.LOBBY:
        ending = Ending(EndCause.EXPIRED, None)
        entry = Entry(EntryKind.EXPIRED, ending=ending)
        after = ended(record, ending)
        return Commit(record.version, after, (entry,), request, "", Window.FROM_DUE)
    seat, clock = record.seat_to_move, record.options.clock
    assert seat is not None
    course = Course(ports.games[record.options.game], record)
    if clock is None:
        course.leave(seat, Cause.LEFT)
    elif clock.on_expiry is ExpiryAction.LOSE:
        course.leave(seat, Cause.TIMED_OUT)
    else:
        course.default_move(seat, MoveReason.TIMED_OUT)
    return course.commit(request, "", ports.patience, Window.FROM_DUE)

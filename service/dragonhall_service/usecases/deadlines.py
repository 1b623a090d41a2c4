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
SILENT_MS = 3_000
"""A connected bot that has said nothing for so long, not even to a ping, is silent, not slow."""
GONE_MS = 2_000
"""A server that has said nothing of a bot's stream for so long has stopped, and the stream too."""
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
    record = loaded.record
    if record.timing is None or record.as_of_ms < record.timing.due_ms:
        return
    if record.phase is Phase.LOBBY:
        await ports.store.commit(_lobby_expiry(record))
        return
    cause = await _cause(ports, record)
    if cause is not None:
        await ports.store.commit(_expiry(ports, record, cause))


async def _cause(ports: Ports, record: MatchRecord) -> Cause | None:
    """Say why the seat to move is out of time; None if it is given a little more.

    A bot that could not be asked all the time, because it or its server was away, gets more once.
    """
    assert record.seat_to_move is not None
    assert record.timing is not None
    holder = record.seats[record.seat_to_move]
    assert holder is not None
    if not holder.bot:
        return Cause.TIMED_OUT if record.options.clock else Cause.LEFT
    presence = await ports.bots.presence(holder.bot)
    if presence is not None and record.as_of_ms - presence.stayed_ms >= GONE_MS:
        presence = None
    asked = presence is not None and presence.since_ms <= record.timing.since_ms
    grace = ports.patience.bot_grace_ms
    if not asked and await ports.store.extend(record.match_id, record.version, grace):
        return None
    if presence is None:
        return Cause.CRASHED
    silent = record.as_of_ms - presence.heard_ms >= SILENT_MS
    return Cause.SILENT if silent else Cause.TIMED_OUT


def _lobby_expiry(record: MatchRecord) -> Commit:
    ending = Ending(EndCause.EXPIRED, None)
    entry = Entry(EntryKind.EXPIRED, ending=ending)
    request = RequestKey(_ACTOR, str(record.version))
    return Commit(ended(record, ending), (entry,), request, "", Window.FROM_DUE)


def _expiry(ports: Ports, record: MatchRecord, cause: Cause) -> Commit:
    seat, clock = record.seat_to_move, record.options.clock
    assert seat is not None
    course = Course(ports.games[record.options.game], record)
    if clock is not None and clock.on_expiry is ExpiryAction.DEFAULT_MOVE:
        course.default(seat, MoveReason.TIMED_OUT)
    else:
        course.leave(seat, cause)
    request = RequestKey(_ACTOR, str(record.version))
    return course.commit(request, "", ports.patience, Window.FROM_DUE)

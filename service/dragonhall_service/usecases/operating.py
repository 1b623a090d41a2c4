"""What operators do to matches and tokens; they hold no seat and see no more than everybody."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, unique

from dragonhall_engine.core.errors import CorruptData, FormatTooNew
from dragonhall_engine.core.game import Seat
from dragonhall_engine.core.outcome import Cause
from dragonhall_service.credentials import Role
from dragonhall_service.match import EndCause, Ending, Entry, EntryKind, MatchRecord, Phase
from dragonhall_service.ports import (
    BotRecord,
    Commit,
    Ports,
    RecordCorrupt,
    RecordTooNew,
    RequestKey,
    Window,
)
from dragonhall_service.usecases.course import Course, Done
from dragonhall_service.usecases.ending import at_any_version, check_not_left, ended
from dragonhall_service.usecases.reading import Seen, fingerprint
from dragonhall_service.usecases.refusals import (
    FieldInvalid,
    Reason,
    Refusal,
    bot_not_found,
    match_over,
    not_found,
)
from dragonhall_service.usecases.registering import withdraw

_ACTOR = "operator"
"""No caller's: those are hexadecimal digits."""


@unique
class Trouble(Enum):
    """Why a match is stuck."""

    OVERDUE = "overdue"
    CORRUPT = "corrupt"
    TOO_NEW = "too_new"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Stuck:
    """A match that no server could go on with; `record` if it can be read."""

    match_id: str
    trouble: Trouble
    record: MatchRecord | None = None


async def inspect_match(ports: Ports, match_id: str, request: RequestKey | None = None) -> Seen:
    """Load any match, as a spectator would see it if it were public.

    Raises:
        Refusal: MATCH_NOT_FOUND.
    """
    loaded = await ports.store.load(match_id, request)
    if loaded is None:
        raise not_found()
    return Seen(loaded.record, Role(), loaded.earlier)


def overdue_ms(record: MatchRecord) -> int | None:
    """Return how long ago the deadline of a match passed; None if it has not."""
    if record.timing is None or record.as_of_ms < record.timing.due_ms:
        return None
    return record.as_of_ms - record.timing.due_ms


async def end_match(ports: Ports, match_id: str, request_id: str) -> Done:
    """End a match for good; no seat is to blame.

    Raises:
        Refusal: MATCH_NOT_FOUND, MATCH_OVER, REQUEST_ID_REUSED.
    """
    request, asked = RequestKey(_ACTOR, request_id), fingerprint("end")

    def closing(seen: Seen) -> Commit:
        if seen.record.phase is Phase.OVER:
            raise match_over()
        ending = Ending(EndCause.SERVER_FAULT, None)
        entry = Entry(EntryKind.FAILED, ending=ending)
        return Commit(ended(seen.record, ending), (entry,), request, asked)

    return await at_any_version(
        ports, lambda: inspect_match(ports, match_id, request), request, asked, closing
    )


async def revoke_seat(ports: Ports, match_id: str, seat: Seat, request_id: str) -> Done:
    """Let a seat leave a running match; its token opens nothing there any more.

    Raises:
        Refusal: MATCH_NOT_FOUND, FIELD_INVALID, NOT_STARTED, MATCH_OVER, SEAT_LEFT,
            REQUEST_ID_REUSED.
    """
    request, asked = RequestKey(_ACTOR, request_id), fingerprint("revoke", seat)

    def leaving(seen: Seen) -> Commit:
        record = seen.record
        _check_plays(record, seat)
        holders = list(record.seats)
        holder = holders[seat]
        assert holder is not None
        nobody = ports.ids.seed()[: len(holder.token_hash)]
        holders[seat] = replace(holder, token_hash=nobody)
        course = Course(ports.games[record.options.game], replace(record, seats=tuple(holders)))
        course.leave(seat, Cause.LEFT)
        return replace(course.commit(request, asked, ports.patience, Window.ANY), reseated=True)

    return await at_any_version(
        ports, lambda: inspect_match(ports, match_id, request), request, asked, leaving
    )


def _check_plays(record: MatchRecord, seat: Seat) -> None:
    if seat >= len(record.seats):
        raise FieldInvalid("seat.seat", f"0 to {len(record.seats) - 1}")
    if record.phase is Phase.LOBBY:
        raise Refusal(Reason.NOT_STARTED, "the match is not dealt yet: end it instead")
    if record.phase is Phase.OVER:
        raise match_over()
    check_not_left(record, seat)


async def revoke_bot(ports: Ports, name: str) -> BotRecord:
    """Withdraw any bot and let its seats leave; again, to no further effect.

    Raises:
        Refusal: BOT_NOT_FOUND.
    """
    bot = await ports.bots.named(name)
    if bot is None:
        raise bot_not_found()
    return await withdraw(ports, bot)


async def stuck_matches(ports: Ports, late_ms: int, limit: int) -> Sequence[Stuck]:
    """List matches whose deadline passed at least so long ago and that are still there."""
    found = (await ports.store.due(limit, late_ms))[:limit]
    looked = await asyncio.gather(*(_look(ports, match_id, late_ms) for match_id in found))
    return [stuck for stuck in looked if stuck is not None]


async def _look(ports: Ports, match_id: str, late_ms: int) -> Stuck | None:
    try:
        loaded = await ports.store.load(match_id)
        if loaded is None:
            return Stuck(match_id, Trouble.ABSENT)
        record = loaded.record
        if record.state is not None:
            ports.games[record.options.game].decode(record.state)
    except (RecordTooNew, FormatTooNew):
        return Stuck(match_id, Trouble.TOO_NEW)
    except (RecordCorrupt, CorruptData):
        return Stuck(match_id, Trouble.CORRUPT)
    late = overdue_ms(record)
    return None if late is None or late < late_ms else Stuck(match_id, Trouble.OVERDUE, record)

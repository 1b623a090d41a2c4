"""Loading a match for somebody, and what everybody may read of it."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from dragonhall_engine.core.game import Seat
from dragonhall_service.credentials import Caller, Role, role_of
from dragonhall_service.match import LoggedEntry, MatchRecord, Phase
from dragonhall_service.ports import Ports, RequestKey, RequestRecord
from dragonhall_service.telling import tell_seat
from dragonhall_service.usecases.refusals import Reason, Refusal, not_found


@dataclass(frozen=True, slots=True)
class Seen:
    """A match as loaded for one caller, with what its request did if it was made before."""

    record: MatchRecord
    role: Role
    earlier: RequestRecord | None = None


async def see(
    ports: Ports, caller: Caller, match_id: str, request: RequestKey | None = None
) -> Seen:
    """Load a match that the caller may see.

    Raises:
        Refusal: MATCH_NOT_FOUND.
    """
    loaded = await ports.store.load(match_id, request)
    role = role_of(caller, loaded.record) if loaded else None
    if loaded is None or role is None:
        raise not_found()
    tell_seat(role.seat)
    return Seen(loaded.record, role, loaded.earlier)


def seat_of(caller: Caller, role: Role) -> Seat:
    """Return the caller's seat.

    Raises:
        Refusal: UNAUTHENTICATED without a token, WRONG_ROLE for a host without a seat.
    """
    if caller.token_hash is None:
        raise Refusal(Reason.UNAUTHENTICATED, "send the token of your seat as metadata")
    if role.seat is None:
        raise Refusal(Reason.WRONG_ROLE, "the host holds no seat in this match")
    return role.seat


def fingerprint(*asked: object) -> str:
    """Digest what was asked; `repr` of numbers, texts and bytes tells any two lists apart."""
    return hashlib.sha256(repr(asked).encode()).hexdigest()[:32]


def check_repeat(earlier: RequestRecord, asked: str) -> None:
    """Check that a repeat asks what the first request asked.

    Raises:
        Refusal: REQUEST_ID_REUSED.
    """
    if earlier.fingerprint != asked:
        raise Refusal(
            Reason.REQUEST_ID_REUSED,
            "this request_id was used for something else in this match; make a new one",
        )


async def entries_of(ports: Ports, match_id: str, request: RequestRecord) -> Sequence[LoggedEntry]:
    """Read what a request once wrote."""
    size = request.last - request.first + 1
    return await ports.store.entries(match_id, request.first, size)


async def replayable(ports: Ports, caller: Caller, match_id: str) -> Seen:
    """Load a finished match.

    Raises:
        Refusal: MATCH_NOT_FOUND, or NOT_FINISHED while the seed is a secret.
    """
    seen = await see(ports, caller, match_id)
    if seen.record.phase is not Phase.OVER:
        raise Refusal(Reason.NOT_FINISHED, "the seed is a secret until the match has ended")
    return seen


async def log_page(
    ports: Ports, record: MatchRecord, first: int, limit: int
) -> Sequence[LoggedEntry]:
    """Read at most `limit` entries from version `first` on, up to the record's own version.

    What was committed after the record was loaded cannot be told from it: seats may be missing.
    """
    size = min(limit, record.version - first + 1)
    return await ports.store.entries(record.match_id, first, size) if size > 0 else ()


async def whole_log(ports: Ports, record: MatchRecord) -> Sequence[LoggedEntry]:
    """Read every entry of a match."""
    return await ports.store.entries(record.match_id, 1, record.version)

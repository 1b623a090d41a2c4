"""The stored format of matches and log entries, its version, and its upgrades.

Names are short because they are stored once per entry. A field that this release does not know
is an error only in a newer format: `FORMAT` is raised when old readers must not go on.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from dragonhall_engine.core.game import Seat, Setup
from dragonhall_engine.core.outcome import Cause, Leaver, Outcome, SeatResult
from dragonhall_service.match import (
    Clock,
    EndCause,
    Ending,
    Entry,
    EntryKind,
    ExpiryAction,
    LoggedEntry,
    MatchRecord,
    MoveReason,
    Options,
    Phase,
    SeatRecord,
    Timing,
)
from dragonhall_service.ports import RecordCorrupt, RecordTooNew, RequestRecord

FORMAT = 1

_SEATING = (EntryKind.CREATED, EntryKind.JOINED)

Fields = dict[bytes, bytes]
"""Names and values as Redis keeps them."""


def pairs(reply: Sequence[bytes] | Mapping[bytes, bytes]) -> Fields:
    """Read names and values, given alternately."""
    if isinstance(reply, Mapping):
        return dict(reply)
    return dict(zip(reply[::2], reply[1::2], strict=True))


def encode_record(
    record: MatchRecord, added: Sequence[Entry], version: int, tag: str, *, reseated: bool = False
) -> list[str | bytes | int]:
    """Return the names and values of a match that entries change; times are the store's to write.

    `version` and `tag` are what the record gets by them.
    What is fixed once the last seat is taken is written until then only, or if `reseated`.
    """
    fields: list[str | bytes | int] = ["format", FORMAT, "version", version]
    fields += ["tag", tag, "phase", record.phase.value]
    fields += ["next", _text(record.seat_to_move), "state", record.state or b""]
    fields += ["ending", _encode_ending(record.ending), "moves", record.moves]
    fields += ["leavers", _encode_leavers(record.leavers)]
    if reseated or any(entry.kind in _SEATING for entry in added):
        fields += _encode_seating(record)
    return fields


def _encode_seating(record: MatchRecord) -> list[str | bytes | int]:
    fields: list[str | bytes | int] = ["fixed", _encode_fixed(record)]
    fields += ["seed", record.seed, "host", record.host_hash]
    for number, seat in enumerate(record.seats):
        if seat is not None:
            fields += [f"seat{number}", seat.token_hash, f"name{number}", seat.player_name]
            fields += [f"part{number}", seat.contribution, f"bot{number}", seat.bot]
    return fields


def decode_record(match_id: str, fields: Fields, now_ms: int) -> MatchRecord:
    """Read a match as it was at a store time.

    Raises:
        RecordTooNew: a newer release wrote it.
        RecordCorrupt: it is damaged.
    """
    try:
        if int(fields[b"format"]) > FORMAT:
            raise RecordTooNew
        return _decode_record(match_id, fields, now_ms)
    except (KeyError, ValueError, TypeError, IndexError) as damage:
        raise RecordCorrupt from damage


def _decode_record(match_id: str, fields: Fields, now_ms: int) -> MatchRecord:
    fixed = json.loads(fields[b"fixed"])
    setup = Setup(fixed["edition"], fixed["seats"], fixed["start"])
    clock = _decode_clock(fixed["clock"])
    phase = Phase(fields[b"phase"].decode())
    return MatchRecord(
        match_id=match_id,
        version=int(fields[b"version"]),
        tag=fields[b"tag"].decode(),
        phase=phase,
        options=Options(fixed["game"], setup, fixed["public"], clock, fixed["auto_pass"]),
        host_hash=fields[b"host"],
        seed=fields[b"seed"],
        deal_id=fixed["deal"],
        seed_chosen=fixed["chosen"],
        seats=tuple(_decode_seat(fields, seat) for seat in range(setup.seats)),
        state=fields[b"state"] or None,
        seat_to_move=_number(fields[b"next"]),
        ending=_decode_ending(fields[b"ending"]),
        moves=int(fields[b"moves"]),
        leavers=_decode_leavers(fields[b"leavers"]),
        created_ms=int(fields[b"created_ms"]),
        timing=None if phase is Phase.OVER else _decode_running(fields),
        as_of_ms=now_ms,
    )


def _encode_fixed(record: MatchRecord) -> str:
    setup = record.options.setup
    return json.dumps(
        {
            "game": record.options.game,
            "edition": setup.edition,
            "seats": setup.seats,
            "start": setup.start_seat,
            "public": record.options.public,
            "deal": record.deal_id,
            "chosen": record.seed_chosen,
            "clock": _encode_clock(record.options.clock),
            "auto_pass": record.options.auto_pass,
        }
    )


def _encode_clock(clock: Clock | None) -> list[int | str] | None:
    return [clock.move_limit_ms, clock.bank_ms, clock.on_expiry.value] if clock else None


def _decode_clock(stored: list[Any] | None) -> Clock | None:
    return Clock(stored[0], stored[1], ExpiryAction(stored[2])) if stored else None


def encode_banks(options: Options) -> str:
    """Return every seat's bank at the start; empty without a clock."""
    clock = options.clock
    return ",".join([str(clock.bank_ms)] * options.setup.seats) if clock else ""


def decode_timing(since: bytes, due: bytes, banks: bytes) -> Timing | None:
    """Read the running deadline; None if there is none."""
    if not due:
        return None
    return Timing(int(since), int(due), tuple(int(b) for b in banks.split(b",") if b))


def _decode_running(fields: Fields) -> Timing | None:
    return decode_timing(fields[b"since"], fields[b"due"], fields[b"banks"])


def _encode_leavers(leavers: Sequence[Leaver]) -> str:
    return ",".join(f"{leaver.seat}:{leaver.cause.value}" for leaver in leavers)


def _decode_leavers(value: bytes) -> tuple[Leaver, ...]:
    parted = [item.split(":") for item in value.decode().split(",") if item]
    return tuple(Leaver(int(seat), Cause(cause)) for seat, cause in parted)


def _decode_seat(fields: Fields, seat: Seat) -> SeatRecord | None:
    token_hash = fields.get(b"seat%d" % seat)
    if token_hash is None:
        return None
    name, bot = (fields[part % seat].decode() for part in (b"name%d", b"bot%d"))
    return SeatRecord(token_hash, name, fields[b"part%d" % seat], bot)


def encode_entry(entry: Entry, tag: str) -> list[str | bytes]:
    """Return an entry's names and values; version and time are the store's to write."""
    fields: list[str | bytes] = ["t", tag, "k", entry.kind.value]
    if entry.seat is not None:
        fields += ["s", str(entry.seat)]
    if entry.move is not None:
        fields += ["m", entry.move]
    if entry.reason is not None:
        fields += ["w", entry.reason.value]
    if entry.cause is not None:
        fields += ["c", entry.cause.value]
    if entry.facts is not None:
        fields += ["f", entry.facts]
    if entry.seat_to_move is not None:
        fields += ["n", str(entry.seat_to_move)]
    if entry.ending is not None:
        fields += ["e", _encode_ending(entry.ending)]
    return fields


def decode_entry(stream_id: bytes, fields: Fields) -> LoggedEntry:
    """Read an entry.

    Raises:
        RecordCorrupt: it is damaged.
    """
    try:
        entry = Entry(
            kind=EntryKind(fields[b"k"].decode()),
            seat=_number(fields.get(b"s", b"")),
            move=fields[b"m"].decode() if b"m" in fields else None,
            reason=MoveReason(fields[b"w"].decode()) if b"w" in fields else None,
            cause=Cause(fields[b"c"].decode()) if b"c" in fields else None,
            facts=fields.get(b"f"),
            seat_to_move=_number(fields.get(b"n", b"")),
            ending=_decode_ending(fields.get(b"e", b"")),
        )
        version = int(stream_id.partition(b"-")[2])
        timing = _decode_running(fields) if b"due" in fields else None
        return LoggedEntry(version, fields[b"t"].decode(), int(fields[b"ms"]), entry, timing)
    except (KeyError, ValueError, TypeError, IndexError) as damage:
        raise RecordCorrupt from damage


def encode_request(first: int, last: int, fingerprint: str) -> str:
    """Return what a request did, as one value."""
    return f"{first}:{last}:{fingerprint}"


def decode_request(value: bytes) -> RequestRecord:
    """Read what a request did.

    Raises:
        RecordCorrupt: it is damaged.
    """
    try:
        first, last, fingerprint = value.decode().split(":")
        return RequestRecord(fingerprint, int(first), int(last))
    except ValueError as damage:
        raise RecordCorrupt from damage


def _encode_ending(ending: Ending | None) -> str:
    if ending is None:
        return ""
    outcome = ending.outcome
    return json.dumps(
        {
            "cause": ending.cause and ending.cause.value,
            "outcome": outcome and outcome.cause.value,
            "seats": outcome and [[s.rank, s.score, s.cause.value] for s in outcome.seats],
        }
    )


def _decode_ending(value: bytes) -> Ending | None:
    if not value:
        return None
    fields: dict[str, Any] = json.loads(value)
    cause = EndCause(fields["cause"]) if fields["cause"] else None
    if not fields["outcome"]:
        return Ending(cause, None)
    seats = tuple(SeatResult(rank, score, Cause(how)) for rank, score, how in fields["seats"])
    return Ending(cause, Outcome(Cause(fields["outcome"]), seats))


def _text(number: int | None) -> str:
    return "" if number is None else str(number)


def _number(text: bytes) -> int | None:
    return int(text) if text else None

"""The stored format of matches and log entries, its version, and its upgrades.

Names are short because they are stored once per entry. A field that this release does not know
is an error only in a newer format: `FORMAT` is raised when old readers must not go on.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from dragonhall_engine.core.game import Seat, Setup
from dragonhall_engine.core.outcome import Cause, Outcome, SeatResult
from dragonhall_service.ports import (
    EndCause,
    Ending,
    Entry,
    EntryKind,
    LoggedEntry,
    MatchRecord,
    Options,
    Phase,
    RecordCorrupt,
    RecordTooNew,
    RequestRecord,
    SeatRecord,
)

FORMAT = 1

Fields = dict[bytes, bytes]
"""Names and values as Redis keeps them."""


def pairs(reply: Sequence[bytes] | Mapping[bytes, bytes]) -> Fields:
    """Read names and values, given alternately."""
    if isinstance(reply, Mapping):
        return dict(reply)
    return dict(zip(reply[::2], reply[1::2], strict=True))


def encode_record(record: MatchRecord) -> list[str | bytes | int]:
    """Return a match's names and values; `created_ms` is the store's to write."""
    fields: list[str | bytes | int] = ["format", FORMAT, "version", record.version]
    fields += ["tag", record.tag, "phase", record.phase.value]
    fields += ["fixed", _encode_fixed(record), "seed", record.seed, "host", record.host_hash]
    fields += ["next", _text(record.seat_to_move), "state", record.state or b""]
    fields += ["ending", _encode_ending(record.ending)]
    for number, seat in enumerate(record.seats):
        if seat is not None:
            fields += [f"seat{number}", seat.token_hash, f"name{number}", seat.player_name]
            fields += [f"part{number}", seat.contribution]
    return fields


def decode_record(match_id: str, fields: Fields) -> MatchRecord:
    """Read a match.

    Raises:
        RecordTooNew: a newer release wrote it.
        RecordCorrupt: it is damaged.
    """
    try:
        if int(fields[b"format"]) > FORMAT:
            raise RecordTooNew
        return _decode_record(match_id, fields)
    except (KeyError, ValueError, TypeError, IndexError) as damage:
        raise RecordCorrupt from damage


def _decode_record(match_id: str, fields: Fields) -> MatchRecord:
    fixed = json.loads(fields[b"fixed"])
    setup = Setup(fixed["edition"], fixed["seats"], fixed["start"])
    return MatchRecord(
        match_id=match_id,
        version=int(fields[b"version"]),
        tag=fields[b"tag"].decode(),
        phase=Phase(fields[b"phase"].decode()),
        options=Options(fixed["game"], setup, fixed["public"]),
        host_hash=fields[b"host"],
        seed=fields[b"seed"],
        deal_id=fixed["deal"],
        seed_chosen=fixed["chosen"],
        seats=tuple(_decode_seat(fields, seat) for seat in range(setup.seats)),
        state=fields[b"state"] or None,
        seat_to_move=_number(fields[b"next"]),
        ending=_decode_ending(fields[b"ending"]),
        created_ms=int(fields[b"created_ms"]),
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
        }
    )


def _decode_seat(fields: Fields, seat: Seat) -> SeatRecord | None:
    token_hash = fields.get(b"seat%d" % seat)
    if token_hash is None:
        return None
    return SeatRecord(token_hash, fields[b"name%d" % seat].decode(), fields[b"part%d" % seat])


def encode_entry(entry: Entry, tag: str) -> list[str | bytes]:
    """Return an entry's names and values; version and time are the store's to write."""
    fields: list[str | bytes] = ["t", tag, "k", entry.kind.value]
    if entry.seat is not None:
        fields += ["s", str(entry.seat)]
    if entry.move is not None:
        fields += ["m", entry.move]
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
            facts=fields.get(b"f"),
            seat_to_move=_number(fields.get(b"n", b"")),
            ending=_decode_ending(fields.get(b"e", b"")),
        )
        version = int(stream_id.partition(b"-")[2])
        return LoggedEntry(version, fields[b"t"].decode(), int(fields[b"ms"]), entry)
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


def stored(record: MatchRecord, version: int, tag: str, now_ms: int) -> MatchRecord:
    """Return a record with what a commit gave it."""
    created = record.created_ms or now_ms
    return replace(record, version=version, tag=tag, created_ms=created)


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

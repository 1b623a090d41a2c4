"""Ways to spoil a good request: each field wrong in turn, and the bytes as a whole.

A change takes a good request and gives the bytes to send, or None where it does not apply.
"""

import random
from collections.abc import Callable, Sequence

from google.protobuf.descriptor import FieldDescriptor as F
from google.protobuf.message import Message

from tests.contract import wire
from tests.contract.methods import Path

Change = Callable[[Message, random.Random], bytes | None]

_MOST = 60_000
"""Bytes that still fit into a request."""
_TOO_LARGE = 70_000
_NUMBERS = (
    0,
    -1,
    1,
    2,
    7,
    255,
    256,
    2**31 - 1,
    2**31,
    -(2**31),
    2**32,
    2**53 + 1,
    2**63 - 1,
    -(2**63),
)
_TEXTS = {
    "empty": "", "blank": " ", "NUL": "\0", "new line": "a\nb", "escape": "\x1b[2J", "DEL": "\x7f",
    "bidi": "\u202eabc", "zero width": "a\u200bb", "line separator": "a\u2028b",
    "other digits": "\u0664", "wide": "\U0001f409" * 30, "unassigned": "\U000e0fff",
    "key": "{b1}:m:*", "glob": "*", "script": "';redis.call('FLUSHALL')--", "quote": '"\'`\\',
    "format": "%s%n{0.__class__}", "path": "../../etc/passwd", "null": "null", "minus": "-1",
    "long": "a" * 300, "longer": "a" * 5_000, "huge": "é" * (_MOST // 2),
}  # fmt: skip
_LENGTHS = (0, 1, 31, 32, 33, 63, 65, 1_000, _MOST)


def field_changes(path: Path) -> dict[str, Change]:
    """List the ways to spoil one field, by what they are."""
    leaf = path[-1]
    found: dict[str, Change] = {"missing": _without(path), "another wire type": _retyped(path)}
    found |= _of_type(path)
    if leaf.is_repeated:
        found |= {f"{count} elements": _repeated(path, count) for count in (7, 60, 1_000, 20_000)}
    if leaf.containing_oneof and len(leaf.containing_oneof.fields) > 1:
        found["every member of the oneof"] = _all_members(path)
    return found


def byte_changes() -> dict[str, Change]:
    """List the ways to spoil a request as a whole."""
    found: dict[str, Change] = {name: _after(raw) for name, raw in wire.UNPARSABLE.items()}
    found |= {f"{name}, alone": _only(raw) for name, raw in wire.UNPARSABLE.items()}
    found |= {f"truncated {n}": _truncated for n in range(8)}
    found |= {f"flipped {n}": _flipped for n in range(4)}
    found |= {f"noise {n}": _noise for n in range(4)}
    return found | {
        "spliced": _spliced,
        "empty": _only(b""),
        "too large": _too_large,
        "halved": _halved,
    }


def harmless_changes() -> dict[str, Change]:
    """List what every receiver must accept or overlook: fields of a later release."""
    return {
        "unknown number": _after(wire.tag(19_999, wire.VARINT) + b"\x01"),
        "unknown text": _after(wire.delimited(536_870_911, b"from the future")),
        "unknown group": _after(wire.tag(777, wire.START) + wire.tag(777, wire.END)),
        "sent twice": lambda request, _: request.SerializeToString() * 2,
    }


# ---- one field ----------------------------------------------------------------------------------


def _of_type(path: Path) -> dict[str, Change]:
    leaf = path[-1]
    if leaf.type == F.TYPE_STRING:
        texts = {name: _put(path, text.encode()) for name, text in _TEXTS.items()}
        broken = {f"bad UTF-8 {n}": _put(path, raw) for n, raw in enumerate(wire.NOT_UTF8)}
        return texts | broken
    if leaf.type == F.TYPE_BYTES:
        return {f"{size} bytes": _put(path, b"\xa5" * size) for size in _LENGTHS}
    if leaf.type == F.TYPE_MESSAGE:
        spoilt = {f"{name} inside": _put(path, raw) for name, raw in wire.UNPARSABLE.items()}
        return spoilt | {
            "empty inside": _emptied(path),
            "unknown inside": _put(path, b"\xf8\x06\x01"),
        }
    return {f"number {number}": _number(path, number) for number in _NUMBERS}


def _append(path: Path, raw: bytes) -> Change:
    return lambda request, _: request.SerializeToString() + wire.within(path[:-1], raw)


def _put(path: Path, payload: bytes) -> Change:
    return _append(path, wire.delimited(path[-1].number, payload))


def _number(path: Path, number: int) -> Change:
    return _append(path, wire.numeric(path[-1], number))


def _without(path: Path) -> Change:
    def change(request: Message, _: random.Random) -> bytes | None:
        return request.SerializeToString() if _clear(request, path) else None

    return change


def _emptied(path: Path) -> Change:
    def change(request: Message, _: random.Random) -> bytes | None:
        _clear(request, path)
        return request.SerializeToString() + wire.within(path, b"")

    return change


def _retyped(path: Path) -> Change:
    leaf = path[-1]
    if wire.wire_type_of(leaf) == wire.BYTES:
        raw = wire.tag(leaf.number, wire.VARINT) + b"\x01"
    else:
        raw = wire.delimited(leaf.number, b"text")

    def change(request: Message, _: random.Random) -> bytes | None:
        _clear(request, path)
        return request.SerializeToString() + wire.within(path[:-1], raw)

    return change


def _repeated(path: Path, count: int) -> Change:
    one = wire.delimited(path[-1].number, b"")
    if wire.wire_type_of(path[-1]) != wire.BYTES:
        one = wire.numeric(path[-1], 1)
    return _append(path, one * count)


def _all_members(path: Path) -> Change:
    oneof = path[-1].containing_oneof
    members: Sequence[F] = oneof.fields if oneof else ()
    raw = b"".join(
        wire.delimited(member.number, b"")
        if wire.wire_type_of(member) == wire.BYTES
        else wire.numeric(member, 1)
        for member in members
    )
    return _append(path, raw)


def _clear(request: Message, path: Path) -> bool:
    """Clear a field, in the first element of each list above it; False if it was not there."""
    for field in path[:-1]:
        inner = getattr(request, field.name)
        if field.is_repeated:
            if not inner:
                return False
            inner = inner[0]
        elif not request.HasField(field.name):
            return False
        request = inner
    there = path[-1].name in [field.name for field, _ in request.ListFields()]
    request.ClearField(path[-1].name)
    return there


# ---- the whole ----------------------------------------------------------------------------------


def _after(raw: bytes) -> Change:
    return lambda request, _: request.SerializeToString() + raw


def _only(raw: bytes) -> Change:
    return lambda request, _: raw


def _truncated(request: Message, chance: random.Random) -> bytes | None:
    data = request.SerializeToString()
    return data[: chance.randrange(1, len(data))] if len(data) > 1 else None


def _halved(request: Message, _: random.Random) -> bytes | None:
    data = request.SerializeToString()
    return data[len(data) // 2 :] if data else None


def _flipped(request: Message, chance: random.Random) -> bytes | None:
    data = bytearray(request.SerializeToString())
    for _ in range(chance.randrange(1, 4) if data else 0):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(data) or None


def _noise(_: Message, chance: random.Random) -> bytes:
    return chance.randbytes(chance.choice((1, 2, 5, 20, 100, 3_000)))


def _spliced(request: Message, chance: random.Random) -> bytes:
    data = request.SerializeToString()
    at = chance.randrange(len(data) + 1)
    return data[:at] + chance.randbytes(chance.randrange(1, 9)) + data[at:]


def _too_large(request: Message, _: random.Random) -> bytes:
    return request.SerializeToString() + wire.delimited(19_999, b"\0" * _TOO_LARGE)

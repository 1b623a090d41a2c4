"""Protobuf's wire format by hand: to send what no generated class would."""

from google.protobuf.descriptor import FieldDescriptor as F

from tests.contract.methods import Path

VARINT, FIXED64, BYTES, START, END, FIXED32 = 0, 1, 2, 3, 4, 5
_FIXED = {
    F.TYPE_DOUBLE: FIXED64, F.TYPE_FIXED64: FIXED64, F.TYPE_SFIXED64: FIXED64,
    F.TYPE_FLOAT: FIXED32, F.TYPE_FIXED32: FIXED32, F.TYPE_SFIXED32: FIXED32,
}  # fmt: skip
_DELIMITED = (F.TYPE_STRING, F.TYPE_BYTES, F.TYPE_MESSAGE)


def varint(number: int) -> bytes:
    """Encode a number; a negative one as its 64-bit complement."""
    number %= 1 << 64
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def tag(number: int, wire_type: int) -> bytes:
    return varint(number << 3 | wire_type)


def delimited(number: int, payload: bytes) -> bytes:
    """Encode a string, bytes or message field."""
    return tag(number, BYTES) + varint(len(payload)) + payload


def wire_type_of(field: F) -> int:
    return BYTES if field.type in _DELIMITED else _FIXED.get(field.type, VARINT)


def numeric(field: F, number: int) -> bytes:
    """Encode a number in a field of any numeric type, by its bits."""
    kind = wire_type_of(field)
    size = {FIXED64: 8, FIXED32: 4}.get(kind)
    if size is None:
        return tag(field.number, VARINT) + varint(number)
    return tag(field.number, kind) + (number % (1 << 8 * size)).to_bytes(size, "little")


def within(path: Path, raw: bytes) -> bytes:
    """Put encoded fields into the message at a path; appended to a message they override it."""
    for field in reversed(path):
        raw = delimited(field.number, raw)
    return raw


UNPARSABLE = {
    "ff": b"\xff" * 9,
    "field number 0": tag(0, VARINT) + b"\x01",
    "wire type 6": b"\x0e",
    "wire type 7": b"\x0f",
    "endless varint": tag(1, VARINT) + b"\x80" * 10 + b"\x01",
    "open group": tag(1, START),
    "group ended unopened": tag(1, END),
    "groups crossed": tag(1, START) + tag(2, END),
    "depth 101": tag(15, START) * 101 + tag(15, END) * 101,
    "depth 9000": tag(15, START) * 9000 + tag(15, END) * 9000,
    "length beyond the end": tag(1, BYTES) + b"\x7f",
    "length of 2 GiB": tag(1, BYTES) + varint(1 << 31),
    "length of 2^63": tag(1, BYTES) + varint(1 << 63),
}
"""What protobuf does not allow in any message."""

NOT_UTF8 = (
    b"\xff\xfe",
    b"\xc0\x80",
    b"\xed\xa0\x80",
    b"\xe2\x82",
    b"\xf8\x88\x80\x80\x80",
    b"a\x80",
)
"""Stray bytes, an overlong NUL, a surrogate, a cut character, five bytes, a lone continuation."""

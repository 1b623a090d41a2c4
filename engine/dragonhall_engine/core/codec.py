"""Compact bytes: unsigned varints, short byte strings and lists of small numbers.

Games build their state and fact codecs from these two classes, so that truncated or foreign
bytes are refused in one place. Every encoding starts with its format version and ends with a
checksum; both stay where they are in every format, so that a newer one is told from a broken one.
"""

import zlib
from collections.abc import Iterable, Sequence

from dragonhall_engine.core.errors import CorruptData, FormatTooNew

MAX_NUMBER = 2**64 - 1
_CHECKSUM_BYTES = 4
_MAX_SHIFT = 63
_ONE_BYTE = 0x7F
"""Most numbers are at most this and take one byte: they have a way of their own."""


class Writer:
    """Collects fields; `finish` seals them with a checksum."""

    def __init__(self, version: int) -> None:
        self._out = bytearray()
        self.number(version)

    def number(self, value: int) -> None:
        """Append an integer, 0 <= value <= MAX_NUMBER."""
        if 0 <= value <= _ONE_BYTE:
            self._out.append(value)
            return
        if not 0 <= value <= MAX_NUMBER:
            raise ValueError("only numbers from 0 to 2**64 - 1 are encoded")
        while value > _ONE_BYTE:
            self._out.append(value & 0x7F | 0x80)
            value >>= 7
        self._out.append(value)

    def optional(self, value: int | None) -> None:
        """Append an integer, 0 <= value < MAX_NUMBER, or nothing."""
        if value == -1:  # would read back as nothing
            raise ValueError("only numbers >= 0 are encoded")
        self.number(0 if value is None else value + 1)

    def data(self, value: bytes) -> None:
        """Append a byte string with its length."""
        self.number(len(value))
        self._out += value

    def numbers(self, values: Sequence[int]) -> None:
        """Append a list of integers >= 0 with its length."""
        size = len(values)
        try:
            row = bytes(values)
        except ValueError:  # of more than one byte, or none that is encoded
            row = b""
        if size == len(row) <= _ONE_BYTE and row.isascii():
            self._out.append(size)
            self._out += row
            return
        self.number(size)
        for value in values:
            self.number(value)

    def lists(self, values: Iterable[Sequence[int]]) -> None:
        """Append a list of lists with its length."""
        rows = list(values)
        self.number(len(rows))
        for row in rows:
            self.numbers(row)

    def finish(self) -> bytes:
        """Return everything appended, sealed."""
        return bytes(self._out) + zlib.crc32(self._out).to_bytes(_CHECKSUM_BYTES, "big")


class Reader:
    """Reads what a `Writer` wrote, in the same order.

    Raises (from every method):
        CorruptData: the bytes are truncated, altered or hold something else.
    """

    def __init__(self, data: bytes, newest: int) -> None:
        """Open sealed bytes; `newest` is the highest format version the caller reads.

        Raises:
            FormatTooNew: a newer release wrote them.
        """
        body, seal = data[:-_CHECKSUM_BYTES], data[-_CHECKSUM_BYTES:]
        if not body or zlib.crc32(body).to_bytes(_CHECKSUM_BYTES, "big") != seal:
            raise CorruptData("checksum differs")
        self._data = body
        self._at = 0
        self.version = self.number()
        if self.version > newest:
            raise FormatTooNew(f"format {self.version}; this release reads up to {newest}")

    def number(self) -> int:
        """Read an integer >= 0."""
        if self._at < len(self._data) and (byte := self._data[self._at]) <= _ONE_BYTE:
            self._at += 1
            return byte
        value = shift = 0
        while True:
            if self._at >= len(self._data):
                raise CorruptData("truncated")
            byte = self._data[self._at]
            self._at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
            if shift > _MAX_SHIFT:
                raise CorruptData("a number out of range")
        if value > MAX_NUMBER or (shift and not byte):  # one number has one encoding
            raise CorruptData("a number out of range")
        return value

    def optional(self) -> int | None:
        """Read an integer >= 0 or nothing."""
        value = self.number()
        return None if value == 0 else value - 1

    def data(self) -> bytes:
        """Read a byte string."""
        size = self.number()
        if self._at + size > len(self._data):
            raise CorruptData("truncated")
        self._at += size
        return self._data[self._at - size : self._at]

    def numbers(self) -> list[int]:
        """Read a list of integers >= 0."""
        size = self._size()
        row = self._data[self._at : self._at + size]
        if row.isascii():  # each of them is one byte
            self._at += size
            return list(row)
        return [self.number() for _ in range(size)]

    def lists(self) -> list[list[int]]:
        """Read a list of lists."""
        return [self.numbers() for _ in range(self._size())]

    def finish(self) -> None:
        """Check that nothing is left."""
        if self._at != len(self._data):
            raise CorruptData("trailing bytes")

    def _size(self) -> int:
        size = self.number()
        if size > len(self._data) - self._at:
            raise CorruptData("a list longer than the data")
        return size

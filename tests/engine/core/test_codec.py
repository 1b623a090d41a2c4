"""The byte codec: what was written is read, and nothing else is."""

import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragonhall_engine.core.codec import MAX_NUMBER, Reader, Writer
from dragonhall_engine.core.errors import CorruptData, FormatTooNew

NUMBER = st.integers(0, 300) | st.integers(0, MAX_NUMBER)
OPTIONAL = st.none() | st.integers(0, 300) | st.integers(0, MAX_NUMBER - 1)
NUMBERS = st.lists(NUMBER, max_size=8)
FIELD = st.one_of(
    st.tuples(st.just("number"), NUMBER),
    st.tuples(st.just("optional"), OPTIONAL),
    st.tuples(st.just("data"), st.binary(max_size=200)),
    st.tuples(st.just("numbers"), NUMBERS),
    st.tuples(st.just("lists"), st.lists(NUMBERS, max_size=5)),
)
FIELDS = st.lists(FIELD, max_size=6)
Fields = list[tuple[str, Any]]


def written(fields: Fields, version: int = 1) -> bytes:
    writer = Writer(version)
    for kind, value in fields:
        getattr(writer, kind)(value)
    return writer.finish()


def read(data: bytes, kinds: list[str], newest: int = 1) -> list[Any]:
    reader = Reader(data, newest)
    values = [getattr(reader, kind)() for kind in kinds]
    reader.finish()
    return values


def sealed(body: bytes) -> bytes:
    """Return a body that no `Writer` made, under a right checksum."""
    return body + zlib.crc32(body).to_bytes(4, "big")


@given(FIELDS)
def test_what_was_written_is_read(fields: Fields) -> None:
    values = read(written(fields), [kind for kind, _ in fields])
    assert values == [value for _, value in fields]


@given(FIELDS)
def test_every_truncation_is_refused(fields: Fields) -> None:
    data = written(fields)
    for size in range(len(data)):
        with pytest.raises(CorruptData):
            Reader(data[:size], newest=1)


@given(FIELDS)
def test_every_flipped_bit_is_refused(fields: Fields) -> None:
    data = written(fields)
    for bit in range(8 * len(data)):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        with pytest.raises(CorruptData):
            Reader(bytes(flipped), newest=1)


@given(st.binary(max_size=60))
def test_foreign_bytes_under_a_right_checksum_raise_nothing_else(body: bytes) -> None:
    kinds = ["lists", "numbers", "data", "optional", "number"]
    with pytest.raises((CorruptData, FormatTooNew)):
        read(sealed(body), [*kinds, *kinds * 20])


@given(st.integers(2, MAX_NUMBER), FIELDS)
def test_a_newer_format_is_told_from_a_broken_one(version: int, fields: Fields) -> None:
    data = written(fields, version)
    with pytest.raises(FormatTooNew, match=str(version)):
        Reader(data, newest=1)
    with pytest.raises(CorruptData):
        Reader(data[:-1], newest=1)


def test_an_older_format_is_read_under_its_number() -> None:
    assert Reader(written([], version=3), newest=5).version == 3


def test_a_field_too_many_or_too_few_is_refused() -> None:
    data = written([("number", 5), ("number", 6)])
    with pytest.raises(CorruptData, match="trailing"):
        read(data, ["number"])
    with pytest.raises(CorruptData, match="truncated"):
        read(data, ["number"] * 3)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("number", -1),
        ("optional", -1),  # must not read back as None
        ("optional", -2),
        ("numbers", [3, -1]),
        ("lists", [[0], [-5]]),
        ("number", MAX_NUMBER + 1),
        ("optional", MAX_NUMBER),
    ],
)
def test_a_number_out_of_range_is_not_written(kind: str, value: Any) -> None:
    with pytest.raises(ValueError):
        written([(kind, value)])


@pytest.mark.parametrize(
    "number",
    [
        b"\x80\x00",  # 0 in two bytes
        b"\x85\x80\x00",  # 5 in three
        b"\xff" * 9 + b"\x02",  # 2**64 and more
        b"\x80" * 10 + b"\x01",
        b"\x80" * 50_000 + b"\x01",
        b"\x80",
    ],
    ids=["zero", "five", "2**64", "eleven bytes", "endless", "cut"],
)
def test_a_number_has_one_encoding_and_a_bound(number: bytes) -> None:
    with pytest.raises(CorruptData):
        read(sealed(b"\x01" + number), ["number"])


@pytest.mark.parametrize("kind", ["data", "numbers", "lists"])
def test_a_length_beyond_the_data_is_refused_at_once(kind: str) -> None:
    with pytest.raises(CorruptData):
        read(written([("number", 2**60)]), [kind])


def test_finish_may_be_called_again() -> None:
    writer = Writer(1)
    assert writer.finish() == writer.finish()

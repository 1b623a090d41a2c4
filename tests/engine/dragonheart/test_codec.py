"""Bytes of states and facts: round trips, and refusal of everything else."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragonhall_engine import dragonheart
from dragonhall_engine.core.codec import Writer
from dragonhall_engine.core.errors import CorruptData, FormatTooNew
from dragonhall_engine.dragonheart import State
from dragonhall_engine.dragonheart.codec import FORMAT
from tests.budget import cases
from tests.engine.dragonheart.matches import dealt, numbers, reached, states, turns

EXAMPLES = cases(ci=200, sweep=10_000)


@settings(max_examples=EXAMPLES)
@given(states)
def test_a_state_comes_back_equal(state: State) -> None:
    again = dragonheart.decode(dragonheart.encode(state))
    assert again == state and dragonheart.encode(again) == dragonheart.encode(state)


@settings(max_examples=EXAMPLES // 10)
@given(numbers)
def test_facts_come_back_equal(number: int) -> None:
    every = [dragonheart.opening(dealt(number)), *(turn.facts for turn in turns(number))]
    for facts in every:
        assert dragonheart.decode_facts(dragonheart.encode_facts(facts)) == facts


@settings(max_examples=EXAMPLES)
@given(states, st.data())
def test_a_flipped_bit_is_refused(state: State, data: st.DataObject) -> None:
    whole = bytearray(dragonheart.encode(state))
    bit = data.draw(st.integers(0, 8 * len(whole) - 1))
    whole[bit // 8] ^= 1 << bit % 8
    with pytest.raises(CorruptData):
        dragonheart.decode(bytes(whole))


def test_every_truncation_is_refused() -> None:
    state = reached(1, 20)
    facts = dragonheart.encode_facts(dragonheart.opening(state))
    whole = dragonheart.encode(state)
    for size in range(len(whole)):
        with pytest.raises(CorruptData):
            dragonheart.decode(whole[:size])
    for size in range(len(facts)):
        with pytest.raises(CorruptData):
            dragonheart.decode_facts(facts[:size])


@settings(max_examples=EXAMPLES)
@given(st.lists(st.integers(0, 60), max_size=40))
def test_well_sealed_nonsense_is_refused_or_canonical(numbers: list[int]) -> None:
    out = Writer(FORMAT)
    for number in numbers:
        out.number(number)
    data = out.finish()
    with suppress(CorruptData):
        assert dragonheart.encode(dragonheart.decode(data)) == data
    with suppress(CorruptData):
        assert dragonheart.encode_facts(dragonheart.decode_facts(data)) == data


def _sealed_state(*, hand: list[int], seat: int = 0, trigger: int = 0, seats: int = 2) -> bytes:
    """Write a state field by field, so that one field can be wrong."""
    out = Writer(FORMAT)
    out.data(b"root")
    for number in (seat, 1):
        out.number(number)
    nothing: list[list[int]] = [[], []]
    out.lists([hand, *nothing[: seats - 1], *nothing[: seats - 2]])
    out.lists(nothing)
    out.numbers([0, 0])
    out.lists(nothing)
    out.lists([[]] * 9)
    for number in (0, 0, 0, 0, 1, trigger, 0):
        out.number(number)
    return out.finish()


def test_a_state_written_field_by_field_is_read() -> None:
    assert dragonheart.decode(_sealed_state(hand=[1])).hands == [[1], []]


@pytest.mark.parametrize(
    "data",
    [
        _sealed_state(hand=[45]),
        _sealed_state(hand=[1], seat=2),
        _sealed_state(hand=[1], trigger=2),
        _sealed_state(hand=[1], seats=3),
    ],
)
def test_impossible_values_are_refused(data: bytes) -> None:
    with pytest.raises(CorruptData):
        dragonheart.decode(data)


def test_a_newer_format_is_told_apart_from_damage() -> None:
    with pytest.raises(FormatTooNew):
        dragonheart.decode(Writer(FORMAT + 1).finish())
    with pytest.raises(FormatTooNew):
        dragonheart.decode_facts(Writer(FORMAT + 1).finish())


def test_a_projected_fact_is_not_stored() -> None:
    told = tuple(dragonheart.project(fact, None) for fact in dragonheart.opening(dealt(1)))
    with pytest.raises(ValueError, match="projected"):
        dragonheart.encode_facts(told)


def test_a_state_is_small() -> None:
    assert max(len(dragonheart.encode(turn.after)) for turn in turns(1)) < 256

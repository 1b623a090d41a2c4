"""Bytes of states and facts: round trips, and refusal of everything else."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragonhall_engine import dragonkeepers
from dragonhall_engine.core.codec import Writer
from dragonhall_engine.core.errors import CorruptData, FormatTooNew
from dragonhall_engine.dragonkeepers import State
from dragonhall_engine.dragonkeepers.codec import FORMAT
from tests.budget import cases
from tests.engine.dragonkeepers.matches import dealt, decisions, numbers, reached, states

EXAMPLES = cases(ci=200, sweep=5000)


@settings(max_examples=EXAMPLES, deadline=None)
@given(states)
def test_a_state_comes_back_equal(state: State) -> None:
    again = dragonkeepers.decode(dragonkeepers.encode(state))
    assert again == state and dragonkeepers.encode(again) == dragonkeepers.encode(state)


@settings(max_examples=EXAMPLES // 10, deadline=None)
@given(numbers)
def test_facts_come_back_equal(number: int) -> None:
    every = [dragonkeepers.opening(dealt(number)), *(d.facts for d in decisions(number))]
    for facts in every:
        assert dragonkeepers.decode_facts(dragonkeepers.encode_facts(facts)) == facts


@settings(max_examples=EXAMPLES, deadline=None)
@given(states, st.data())
def test_a_flipped_bit_is_refused(state: State, data: st.DataObject) -> None:
    whole = bytearray(dragonkeepers.encode(state))
    bit = data.draw(st.integers(0, 8 * len(whole) - 1))
    whole[bit // 8] ^= 1 << bit % 8
    with pytest.raises(CorruptData):
        dragonkeepers.decode(bytes(whole))


def test_every_truncation_is_refused() -> None:
    state = reached(1, 60)
    facts = dragonkeepers.encode_facts(dragonkeepers.opening(dealt(1)))
    whole = dragonkeepers.encode(state)
    for size in range(len(whole)):
        with pytest.raises(CorruptData):
            dragonkeepers.decode(whole[:size])
    for size in range(len(facts)):
        with pytest.raises(CorruptData):
            dragonkeepers.decode_facts(facts[:size])


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(st.integers(0, 60), max_size=40))
def test_well_sealed_nonsense_is_refused_or_canonical(numbers: list[int]) -> None:
    data = _sealed(numbers)
    with suppress(CorruptData):
        assert dragonkeepers.encode(dragonkeepers.decode(data)) == data
    with suppress(CorruptData):
        assert dragonkeepers.encode_facts(dragonkeepers.decode_facts(data)) == data


@settings(max_examples=EXAMPLES, deadline=None)
@given(states, st.data())
def test_a_changed_number_is_refused_or_canonical(state: State, data: st.DataObject) -> None:
    """Every number of a state is changed, and the seal made anew: ranges are looked at."""
    body = list(dragonkeepers.encode(state)[1:-4])
    at = data.draw(st.integers(0, len(body) - 1))
    changed = _sealed([*body[:at], data.draw(st.integers(0, 127)), *body[at + 1 :]])
    with suppress(CorruptData):
        assert dragonkeepers.encode(dragonkeepers.decode(changed)) == changed


def _sealed(numbers: list[int]) -> bytes:
    out = Writer(FORMAT)
    for number in numbers:
        out.number(number)
    return out.finish()


@pytest.mark.parametrize("numbers", [[2, 2], [0, 1], [0, 5], [0, 2, 1, 37]])
def test_impossible_values_are_refused(numbers: list[int]) -> None:
    """Editions, numbers of seats, cards."""
    with pytest.raises(CorruptData):
        dragonkeepers.decode(_sealed(numbers))


def test_a_newer_format_is_told_apart_from_damage() -> None:
    for decode in (dragonkeepers.decode, dragonkeepers.decode_facts):
        with pytest.raises(FormatTooNew):
            decode(Writer(FORMAT + 1).finish())


def test_a_projected_fact_is_not_stored() -> None:
    told = tuple(dragonkeepers.project(fact, None) for fact in dragonkeepers.opening(dealt(1)))
    with pytest.raises(ValueError, match="projected"):
        dragonkeepers.encode_facts(told)
    pearl = dragonkeepers.facts.PearlDrawn(0, None)
    with pytest.raises(ValueError, match="projected"):
        dragonkeepers.encode_facts((pearl,))


def test_a_state_is_small() -> None:
    sizes = [len(dragonkeepers.encode(decision.after)) for decision in decisions(2)]
    assert max(sizes) < 400

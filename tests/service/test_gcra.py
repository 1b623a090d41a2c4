"""Rates: what a key may do, told by a clock of the test's own."""

import pytest

from dragonhall_service.usecases.gcra import Gcra

# Of two a second, three seconds' worth at once: six, and then one each half second.
TABLE = [
    ("a burst, and no more", [0, 0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1, 0]),
    ("the pace after it", [0] * 6 + [0.4, 0.5, 0.5, 0.99, 1.0], [1] * 6 + [0, 1, 0, 0, 1]),
    ("a rest gives one back each half second", [0] * 6 + [1.2] * 3, [1] * 6 + [1, 1, 0]),
    ("a long rest gives a burst and no more", [0] * 6 + [99] * 7, [1] * 6 + [1] * 6 + [0]),
    ("below the pace nothing is refused", [n / 2 for n in range(20)], [1] * 20),
]


def use(rate: Gcra, key: str, now: float) -> bool:
    if rate.opens(key, now) > now:
        return False
    rate.pay(key, now)
    return True


@pytest.mark.parametrize(("what", "times", "answers"), TABLE, ids=[row[0] for row in TABLE])
def test_uses(what: str, times: list[float], answers: list[int]) -> None:
    rate = Gcra(2, 3)
    assert [int(use(rate, "key", 100 + at)) for at in times] == answers


def test_the_time_told_is_when_it_opens_and_not_before() -> None:
    rate = Gcra(2, 3)
    assert all(use(rate, "key", 100) for _ in range(6))
    opens = rate.opens("key", 100)
    assert opens == pytest.approx(100.5)
    assert not use(rate, "key", opens - 0.001)
    assert use(rate, "key", opens)


def test_less_than_one_at_once_is_one() -> None:
    rate = Gcra(10, 0.01)
    assert [use(rate, "key", 100 + at) for at in (0, 0.05, 0.1)] == [True, False, True]


def test_keys_do_not_share() -> None:
    rate = Gcra(1, 1)
    assert use(rate, "a", 100)
    assert use(rate, "b", 100)
    assert not use(rate, "a", 100)


def test_no_number_of_keys_makes_it_grow() -> None:
    rate = Gcra(1, 1, most_keys=10)
    for number in range(1_000):
        assert use(rate, f"key {number}", 100)
    assert len(rate) == 10
    assert not use(rate, "key 999", 100)
    assert use(rate, "key 0", 100), "what was forgotten may be used anew"

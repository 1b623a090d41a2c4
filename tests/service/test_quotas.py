"""Quotas: when a call of a token or address must wait, and that a wait that is obeyed succeeds."""

import heapq
import random
from collections.abc import Hashable

import pytest

from dragonhall_service.credentials import Caller
from dragonhall_service.usecases import quotas as module
from dragonhall_service.usecases.quotas import KEPT_S, LONGEST_WAIT_S, Kind, Quotas, Rate
from dragonhall_service.usecases.refusals import OverQuota, Reason

ANN, BEN = Caller(b"a" * 32, "192.0.2.1"), Caller(b"b" * 32, "192.0.2.1")
ELSEWHERE = Caller(b"c" * 32, "192.0.2.2")
ORGANISER = Caller(b"o" * 32, "192.0.2.1")
NOBODY = Caller(None, "192.0.2.1")


class Door:
    """Quotas with a clock of the test's own: 2 a second by a token, 3 by an address."""

    def __init__(self, per_token: int = 2, per_address: int = 3, burst_s: float = 1) -> None:
        self.now = 100.0
        rates = {kind: Rate(per_token, per_address, burst_s) for kind in Kind}
        self.quotas = Quotas(rates, 2, lambda caller: caller == ORGANISER, lambda: self.now)

    def wait_s(
        self, caller: Caller, request: Hashable = "", kind: Kind = Kind.CALL
    ) -> float | None:
        """Call; return the wait that was told, None if it was let in."""
        try:
            self.quotas.admit(kind, caller, request)
        except OverQuota as refused:
            assert refused.reason is Reason.QUOTA
            assert refused.wait_ms is not None
            return refused.wait_ms / 1000
        return None


def test_a_token_is_limited_whatever_others_do() -> None:
    door = Door()
    assert [door.wait_s(ANN, n) for n in range(3)] == [None, None, 0.5]
    assert door.wait_s(ELSEWHERE) is None


def test_an_address_is_limited_whatever_tokens_it_sends() -> None:
    door = Door()
    tokens = [Caller(bytes([n]) * 32, "192.0.2.1") for n in range(3)]
    assert [door.wait_s(caller) for caller in tokens] == [None] * 3
    assert door.wait_s(NOBODY) == pytest.approx(0.334)
    assert door.wait_s(ELSEWHERE) is None


def test_kinds_do_not_share() -> None:
    door = Door()
    assert [door.wait_s(ANN) for _ in range(2)] == [None, None]
    assert door.wait_s(ANN, kind=Kind.OPENING) is None


def test_an_organiser_is_never_limited_and_costs_nobody_else_anything() -> None:
    door = Door()
    assert [door.wait_s(ORGANISER, n) for n in range(100)] == [None] * 100
    assert door.quotas.pace_s(Kind.CALL, ORGANISER) == 0
    assert door.wait_s(BEN) is None


def test_what_comes_back_in_time_is_let_in_before_what_is_new() -> None:
    door = Door()
    assert [door.wait_s(ANN, n) for n in range(2)] == [None, None]
    wait = door.wait_s(ANN, "patient")
    assert wait == 0.5
    door.now += wait
    assert door.wait_s(ANN, "new") == 0.5, "the place that is free now was promised"
    assert door.wait_s(ANN, "patient") is None
    assert door.wait_s(ANN, "patient") is not None, "a place is used once"


def test_what_comes_back_early_must_wait_anew() -> None:
    door = Door()
    assert [door.wait_s(ANN, n) for n in range(2)] == [None, None]
    assert [door.wait_s(ANN, "hasty") for _ in range(3)] == [0.5, 1.0, 1.5]


def test_whatever_is_called_at_once_a_wait_that_is_obeyed_succeeds() -> None:
    """Many tokens of two addresses call as they like; each call is refused once at most."""
    chance = random.Random(5)
    door = Door(per_token=5, per_address=20)
    callers = [Caller(bytes([n]) * 32, f"192.0.2.{n % 2}") for n in range(6)] + [NOBODY]
    coming = [(100 + chance.uniform(0, 20), n, chance.choice(callers), False) for n in range(700)]
    heapq.heapify(coming)
    refused = 0
    while coming:
        door.now, number, caller, again = heapq.heappop(coming)
        wait = door.wait_s(caller, number)
        if wait is not None:
            assert not again, "it had obeyed"
            assert wait <= LONGEST_WAIT_S
            refused += 1
            late = chance.choice([0, 0.01, KEPT_S])
            heapq.heappush(coming, (door.now + wait + late, number, caller, True))
    assert refused > 100


def test_a_wait_is_never_longer_than_is_promised() -> None:
    door = Door(per_token=1)
    waits = [door.wait_s(ANN, n) for n in range(1_000)]
    assert waits[0] is None
    assert max(filter(None, waits)) <= LONGEST_WAIT_S + 1
    door.now += LONGEST_WAIT_S + 1
    assert door.wait_s(ANN, "new") is None, "what nobody came back for is over"


def test_the_pace_of_a_stream_is_the_rate() -> None:
    door = Door()
    waits = [door.quotas.pace_s(Kind.CALL, ANN) for _ in range(4)]
    assert waits == [0, 0, 0.5, 1.0]


@pytest.fixture
def few_promises(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(module, "_MOST_PROMISED", 50)
    return 50


def test_no_flood_makes_it_grow(few_promises: int) -> None:
    door = Door()
    for number in range(2_000):
        door.now += 0.05
        flood = Caller(number.to_bytes(32), f"192.0.2.{number % 40}")
        for again in range(4):
            door.wait_s(flood, (number, again))
        promises = door.quotas._promises
        assert sum(map(len, promises._young.values())) <= few_promises
        assert sum(map(len, promises._old.values())) <= few_promises
    door.now += 2 * (LONGEST_WAIT_S + KEPT_S)
    assert [door.wait_s(ANN, n) for n in range(2)] == [None, None]
    wait = door.wait_s(ANN, "patient")
    assert wait is not None
    door.now += wait
    assert door.wait_s(ANN, "patient") is None


def test_streams_of_an_address_are_counted_while_they_are_open() -> None:
    quotas = Door().quotas
    for _ in range(3):
        with quotas.stream(ANN), quotas.stream(BEN):
            with pytest.raises(OverQuota), quotas.stream(NOBODY):
                pass
            with quotas.stream(ELSEWHERE), quotas.stream(ORGANISER):
                pass
    assert not quotas._streams

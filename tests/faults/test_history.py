"""The six rules of a history, each on a history that keeps it and on one that breaks it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from dragonhall_engine.core.game import Setup
from dragonhall_engine.dragonheart import NAME
from dragonhall_engine.registry import GAMES
from dragonhall_service.match import Entry, EntryKind, LoggedEntry, MoveReason, Options, Phase
from dragonhall_service.match import SeatRecord as Holder
from dragonhall_service.ports import RequestKey, RequestRecord
from tests.faults.history import Attempt, Stored, Verdict, violations
from tests.service.store_driver import fresh

GAME = GAMES[NAME]
MOVES = 5
DEALT = 4
Case = tuple[Stored, list[Attempt]]


def key(version: int) -> RequestKey:
    return RequestKey("actor", f"r{version}")


def whole() -> Case:
    """A match of a few moves, and what its clients were told, one call after the other."""
    holders = tuple(Holder(b"t%d" % seat, "", b"") for seat in range(2))
    record = replace(fresh(), options=Options(NAME, Setup("standard", 2, 0), True), seats=holders)
    state = GAME.new_match(record.options.setup, record.deal)
    entries = [Entry(EntryKind.CREATED), *(Entry(EntryKind.JOINED, seat=s) for s in range(2))]
    entries.append(Entry(EntryKind.DEALT, facts=GAME.encode_facts(GAME.opening(state))))
    for _ in range(MOVES):
        seat = GAME.seat_to_move(state)
        assert seat is not None
        move = GAME.legal_moves(state, seat)[0]
        state, facts = GAME.apply(state, seat, move)
        written = GAME.format_move(move), MoveReason.PLAYER, None, GAME.encode_facts(facts)
        entries.append(Entry(EntryKind.MOVED, seat, *written))
    log = [LoggedEntry(n, f"tag{n}", n, entry) for n, entry in enumerate(entries, start=1)]
    record = replace(
        record, phase=Phase.RUNNING, version=len(log), tag=log[-1].tag, state=GAME.encode(state)
    )
    requests = {key(n): RequestRecord("print", n, n) for n in range(1, len(log) + 1)}
    attempts = [
        Attempt(record.match_id, key(n), n, n + 0.5, Verdict.APPLIED, n, log[n - 1].entry.move)
        for n in range(1, len(log) + 1)
    ]
    return Stored(record, log, requests), attempts


def changed(attempts: list[Attempt], at: int, /, **changes: Any) -> list[Attempt]:
    return [
        replace(attempt, **changes) if attempt.request == key(at) else attempt
        for attempt in attempts
    ]


def test_a_good_history_breaks_nothing() -> None:
    stored, attempts = whole()
    repeated = replace(attempts[5], sent=90, answered=91, replayed=True)
    conflict = Attempt("", RequestKey("actor", "late"), 7, 8, Verdict.REFUSED)
    abandoned = Attempt("", RequestKey("actor", "gone"), 7, None, Verdict.UNKNOWN)
    retried = replace(attempts[6], sent=6.8, verdict=Verdict.NOT_APPLIED, version=None, move=None)
    assert violations(stored, [*attempts, repeated, conflict, abandoned, retried]) == []


def test_an_answer_that_came_late_says_nothing_about_order() -> None:
    stored, attempts = whole()
    overlapping = changed(changed(attempts, 8, answered=20), 9, sent=7)
    assert violations(stored, overlapping) == []


def _log(stored: Stored, log: list[LoggedEntry]) -> Stored:
    return replace(stored, log=log)


def _facts(stored: Stored) -> list[LoggedEntry]:
    log = list(stored.log)
    log[6] = replace(log[6], entry=replace(log[6].entry, facts=log[5].entry.facts))
    return log


def _swapped(stored: Stored) -> list[LoggedEntry]:
    log = list(stored.log)
    log[5], log[6] = (
        replace(log[here], entry=log[there].entry) for here, there in ((5, 6), (6, 5))
    )
    return log


def _without(stored: Stored, version: int) -> Stored:
    return replace(stored, requests={k: r for k, r in stored.requests.items() if k != key(version)})


def _also(stored: Stored, name: str, version: int) -> Stored:
    more = {RequestKey("actor", name): RequestRecord("print", version, version)}
    return replace(stored, requests={**stored.requests, **more})


BROKEN: dict[str, tuple[int, Callable[[Stored, list[Attempt]], Case]]] = {
    "a version is missing": (1, lambda s, a: (_log(s, [*s.log[:5], *s.log[6:]]), a)),
    "the log ends early": (1, lambda s, a: (_log(s, [*s.log[:-1]]), a)),
    "state without event": (
        1,
        lambda s, a: (replace(s, record=replace(s.record, version=s.record.version + 1)), a),
    ),
    "another history's record": (
        1,
        lambda s, a: (replace(s, record=replace(s.record, tag="other")), a),
    ),
    "a version of two requests": (2, lambda s, a: (_also(s, "r8 again", 8), a)),
    "a version of no request": (
        2,
        lambda s, a: (_without(s, 8), changed(a, 8, verdict=Verdict.UNKNOWN)),
    ),
    "a request acts twice": (2, lambda s, a: (s, [*a, a[7]])),
    "a request has two answers": (
        2,
        lambda s, a: (s, [*a, replace(a[7], version=9, replayed=True)]),
    ),
    "another state": (
        3,
        lambda s, a: (replace(s, record=replace(s.record, state=b"other")), a),
    ),
    "other facts": (3, lambda s, a: (_log(s, _facts(s)), a)),
    "moves in another order": (3, lambda s, a: (_log(s, _swapped(s)), a)),
    "an acknowledged request is lost": (4, lambda s, a: (_without(s, 8), a)),
    "an answer names another version": (4, lambda s, a: (s, changed(a, 8, version=7))),
    "an answer names another move": (4, lambda s, a: (s, changed(a, 8, move="something else"))),
    "a refused request is in the log": (
        5,
        lambda s, a: (s, changed(a, 8, verdict=Verdict.REFUSED)),
    ),
    "a conflict after the success": (
        5,
        lambda s, a: (s, [*a, replace(a[7], verdict=Verdict.REFUSED, version=None)]),
    ),
    "not applied, and in the log": (
        5,
        lambda s, a: (s, changed(a, 8, verdict=Verdict.NOT_APPLIED)),
    ),
    "sent after a later one was answered": (
        6,
        lambda s, a: (s, changed(a, 7, sent=30, answered=31)),
    ),
    "sent so, and never answered": (
        6,
        lambda s, a: (s, changed(a, 7, sent=30, answered=None, verdict=Verdict.UNKNOWN)),
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_history_is_noticed(name: str) -> None:
    rule, spoil = BROKEN[name]
    assert rule in {violation.rule for violation in violations(*spoil(*whole()))}


def test_a_match_that_is_gone_has_lost_all_that_was_acknowledged() -> None:
    _, attempts = whole()
    assert [violation.rule for violation in violations(None, attempts)] == [4] * (DEALT + MOVES)

"""Matches, events and replays as protos: complete for those who may know, silent to the others."""

import re
from dataclasses import replace
from typing import Any

import pytest

from dragonhall.v1 import match_pb2, match_service_pb2
from dragonhall_engine import dragonheart
from dragonhall_engine.core.outcome import Cause
from dragonhall_service.api import validation
from dragonhall_service.api.mapping.matches import (
    CAUSES,
    EXPIRY_ACTIONS,
    MOVE_REASONS,
    PHASES,
    RESETS,
    event_to_proto,
    match_to_proto,
    replay_to_proto,
    snapshot_to_proto,
)
from dragonhall_service.match import (
    EndCause,
    Ending,
    Entry,
    EntryKind,
    ExpiryAction,
    LoggedEntry,
    MatchRecord,
    MoveReason,
    Options,
    Phase,
    SeatRecord,
)
from dragonhall_service.usecases.feeds import Break, Place
from dragonhall_service.usecases.refusals import FieldInvalid
from tests.budget import cases
from tests.engine.dragonheart.matches import READERS, SETUP, Turn, deal, dealt, turns

HASHES = (b"host-hash" * 4, b"seat0hash" * 4, b"seat1hash" * 4)
SHARES = (b"share-of-seat-0", b"share-of-seat-1")
TAG = "0123456789abcdef"
CARD = re.compile(r"\b([DHFCTKPS][1-4]|V)\b")


def record_of(state: dragonheart.State | None, phase: Phase, **more: Any) -> MatchRecord:
    """Return a match of two seated players, dealt where there is a state."""
    names = ("Ann", "Ben")
    seats = zip(HASHES[1:], names, SHARES, strict=True)
    fields: dict[str, Any] = {
        "match_id": "a" * 26, "version": 4, "tag": TAG, "phase": phase,
        "options": Options("dragonheart", SETUP, public=True),
        "host_hash": HASHES[0], "seed": deal(1).seed, "deal_id": "deal-1", "seed_chosen": True,
        "seats": tuple(SeatRecord(*seat) for seat in seats),
        "state": None if state is None else dragonheart.encode(state),
        "seat_to_move": None if state is None or state.over else state.to_move,
        "ending": None, "created_ms": 1_700_000_000_123,
    }  # fmt: skip
    return MatchRecord(**(fields | more))


def logged(version: int, entry: Entry) -> LoggedEntry:
    return LoggedEntry(version, TAG, 1_700_000_000_000 + version, entry)


def log_of(number: int) -> tuple[list[LoggedEntry], MatchRecord]:
    """Play the match of a number; return its log and its record at the end."""
    state = dealt(number)
    opening = dragonheart.encode_facts(dragonheart.opening(state))
    entries = [Entry(EntryKind.CREATED), *(Entry(EntryKind.JOINED, seat=n) for n in (0, 1))]
    entries.append(Entry(EntryKind.DEALT, facts=opening, seat_to_move=state.to_move))
    for turn in turns(number):
        entries.append(moved(turn))
        state = turn.after
    ending = entries[-1].ending
    log = [logged(n, entry) for n, entry in enumerate(entries, start=1)]
    return log, record_of(state, Phase.OVER, version=len(log), ending=ending)


def moved(turn: Turn) -> Entry:
    """Return the entry of a turn."""
    outcome = dragonheart.outcome(turn.after)
    return Entry(
        EntryKind.MOVED,
        seat=turn.before.to_move,
        move=dragonheart.format_move(dragonheart.canonical(turn.before, turn.move)),
        reason=MoveReason.PLAYER,
        facts=dragonheart.encode_facts(turn.facts),
        seat_to_move=dragonheart.seat_to_move(turn.after),
        ending=Ending(None, outcome) if outcome else None,
    )


def facts_of(event: match_pb2.Event) -> list[Any]:
    return [*event.dealt.facts, *event.move_made.facts]


# ---- enums and tokens ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "enum", "ours"),
    [
        (PHASES, match_pb2.MatchPhase, set(Phase)),
        (RESETS, match_service_pb2.ResetReason, set(Break)),
        (CAUSES, match_pb2.OutcomeCause, {*Cause, *EndCause}),
        (MOVE_REASONS, match_pb2.MoveReason, set(MoveReason)),
        (EXPIRY_ACTIONS, match_pb2.ExpiryAction, set(ExpiryAction)),
    ],
)
def test_every_member_has_its_own_number(table: Any, enum: Any, ours: set[Any]) -> None:
    assert set(table) == ours
    assert sorted(table.values()) == sorted(number for number in enum.values() if number)
    assert all(enum.Name(number).endswith(f"_{key.name}") for key, number in table.items())


@pytest.mark.parametrize("place", [Place(1, TAG), Place(10**15 - 1, "f" * 16)])
def test_a_resume_token_reads_back(place: Place) -> None:
    assert validation.resume_token(validation.token_of(place)) == place


@pytest.mark.parametrize("text", ["4", "0-" + TAG, "-1-" + TAG, "4-xyz", f"4-{TAG}\n", "٤-" + TAG])
def test_what_is_no_resume_token_is_refused(text: str) -> None:
    with pytest.raises(FieldInvalid) as refused:
        validation.resume_token(text)
    assert refused.value.field == "resume_token"


# ---- matches ------------------------------------------------------------------------------------


def test_a_match_tells_everything_that_is_public() -> None:
    _, record = log_of(1)
    proto = match_to_proto(dragonheart, record)
    filled = {field.name for field, _ in proto.ListFields()}
    assert filled == set(proto.DESCRIPTOR.fields_by_name) - {"seat_to_move", "clock"}
    assert [(s.seat, s.taken, s.player_name, s.contribution) for s in proto.seats] == [
        (0, True, "Ann", SHARES[0]),
        (1, True, "Ben", SHARES[1]),
    ]
    assert proto.deal.commitment == record.deal.commitment
    assert proto.create_time.ToMilliseconds() == record.created_ms
    assert record.ending is not None and record.ending.outcome is not None
    scores = [result.score for result in record.ending.outcome.seats]
    assert [result.score for result in proto.outcome.results] == scores


def test_a_match_never_tells_its_seed_or_token_hashes() -> None:
    _, record = log_of(1)
    data = match_to_proto(dragonheart, record).SerializeToString()
    assert not [secret for secret in (record.seed, *HASHES) if secret in data]
    planted = match_pb2.Match(deal=match_pb2.Deal(commitment=record.seed)).SerializeToString()
    assert record.seed in planted


def test_contributions_are_told_once_dealt() -> None:
    before = match_to_proto(dragonheart, record_of(None, Phase.LOBBY)).SerializeToString()
    assert not [share for share in SHARES if share in before]
    after = match_to_proto(dragonheart, record_of(dealt(1), Phase.RUNNING)).SerializeToString()
    assert all(share in after for share in SHARES)


@pytest.mark.parametrize("start", [None, 0, 1])
def test_options_read_back(start: int | None) -> None:
    for public in (True, False):
        options = Options("dragonheart", replace(SETUP, start_seat=start), public)
        record = record_of(None, Phase.LOBBY, options=options)
        assert validation.options(match_to_proto(dragonheart, record).options) == options


@pytest.mark.parametrize("cause", EndCause)
def test_a_match_that_was_never_dealt_ends_without_results(cause: EndCause) -> None:
    record = record_of(None, Phase.OVER, ending=Ending(cause, None))
    snapshot = snapshot_to_proto(dragonheart, record, None)
    assert snapshot.match.outcome == match_pb2.Outcome(cause=CAUSES[cause])
    assert not snapshot.HasField("view")


# ---- events and replays -------------------------------------------------------------------------


@pytest.mark.parametrize("reader", READERS)
def test_a_random_match_maps_whole(reader: int | None) -> None:
    for number in range(cases(ci=5, sweep=200)):
        log, record = log_of(number)
        events = [event_to_proto(dragonheart, record, entry, reader) for entry in log]
        assert [event.version for event in events] == list(range(1, len(log) + 1))
        assert [event.HasField("outcome") for event in events] == [False] * (len(log) - 1) + [True]
        assert [e.commit_time.ToMilliseconds() for e in events] == [e.committed_ms for e in log]
        assert [event.joined.player_name for event in events[1:3]] == ["Ann", "Ben"]
        assert tuple(events[3].dealt.contributions) == SHARES
        for event, entry in zip(events[4:], log[4:], strict=True):
            made, kept = event.move_made, entry.entry
            assert (made.seat, made.move.notation) == (kept.seat, kept.move)
            assert len(made.facts) == len(dragonheart.decode_facts(kept.facts or b""))
            assert all(fact.text for fact in made.facts)


@pytest.mark.parametrize("reader", READERS)
def test_events_hide_the_cards_of_others(reader: int | None) -> None:
    for number in range(cases(ci=5, sweep=200)):
        log, record = log_of(number)
        events = [event_to_proto(dragonheart, record, entry, reader) for entry in log]
        hidden = [fact for event in events for fact in facts_of(event) if is_hidden(fact, reader)]
        assert hidden
        assert not [fact for fact in hidden if shows_a_card(fact)]


def test_the_owner_alone_is_shown_its_cards() -> None:
    log, record = log_of(1)
    for reader in (0, 1):
        facts = facts_of(event_to_proto(dragonheart, record, log[3], reader))
        shown = [fact.dragonheart.cards_drawn.seat for fact in facts if shows_a_card(fact)]
        assert shown == [reader]


def is_hidden(fact: Any, reader: int | None) -> bool:
    """Tell whether a fact is of cards that its reader may not know."""
    kind = fact.dragonheart.WhichOneof("fact")
    if kind not in ("cards_drawn", "card_sent_back"):
        return False
    return bool(getattr(fact.dragonheart, kind).seat != reader)


def shows_a_card(fact: Any) -> bool:
    """Tell whether a fact of a draw or a loss holds a card, typed or in its text."""
    drawn, back = fact.dragonheart.cards_drawn, fact.dragonheart.card_sent_back
    return bool(drawn.cards) or back.HasField("card") or CARD.search(fact.text) is not None


def test_a_replay_tells_seed_and_every_move() -> None:
    log, record = log_of(1)
    proto = replay_to_proto(dragonheart, record, log)
    assert proto.seed == record.seed
    assert [(m.version, m.seat, m.move.notation) for m in proto.moves] == [
        (entry.version, entry.entry.seat, entry.entry.move) for entry in log[4:]
    ]
    assert all(move.move.dragonheart.cards for move in proto.moves)

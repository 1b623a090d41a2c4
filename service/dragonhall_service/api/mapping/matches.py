"""Matches, events and replays as protos, built field by field from what a reader may know."""

from collections.abc import Iterable
from typing import Any

from dragonhall.v1 import match_pb2, match_service_pb2
from dragonhall_engine.core.game import Seat
from dragonhall_engine.core.outcome import Cause
from dragonhall_service.api.mapping.games import (
    MAPPINGS,
    fact_to_proto,
    move_to_proto,
    view_to_proto,
)
from dragonhall_service.api.mapping.times import duration, timestamp
from dragonhall_service.match import (
    Clock,
    EndCause,
    Ending,
    EntryKind,
    ExpiryAction,
    LoggedEntry,
    MatchRecord,
    MoveReason,
    Phase,
    Timing,
)
from dragonhall_service.ports import AnyGame
from dragonhall_service.usecases.feeds import Break

PHASES = {
    Phase.LOBBY: match_pb2.MATCH_PHASE_LOBBY,
    Phase.RUNNING: match_pb2.MATCH_PHASE_RUNNING,
    Phase.OVER: match_pb2.MATCH_PHASE_OVER,
}
CAUSES = {
    Cause.COMPLETED: match_pb2.OUTCOME_CAUSE_COMPLETED,
    Cause.RESIGNED: match_pb2.OUTCOME_CAUSE_RESIGNED,
    Cause.TIMED_OUT: match_pb2.OUTCOME_CAUSE_TIMED_OUT,
    Cause.LEFT: match_pb2.OUTCOME_CAUSE_LEFT,
    Cause.SILENT: match_pb2.OUTCOME_CAUSE_SILENT,
    Cause.CRASHED: match_pb2.OUTCOME_CAUSE_CRASHED,
    Cause.ILLEGAL: match_pb2.OUTCOME_CAUSE_ILLEGAL,
    EndCause.ABORTED: match_pb2.OUTCOME_CAUSE_ABORTED,
    EndCause.EXPIRED: match_pb2.OUTCOME_CAUSE_EXPIRED,
    EndCause.SERVER_FAULT: match_pb2.OUTCOME_CAUSE_SERVER_FAULT,
}
MOVE_REASONS = {
    MoveReason.PLAYER: match_pb2.MOVE_REASON_PLAYER,
    MoveReason.TIMED_OUT: match_pb2.MOVE_REASON_TIMED_OUT,
    MoveReason.SEAT_LEFT: match_pb2.MOVE_REASON_SEAT_LEFT,
    MoveReason.AUTO_PASS: match_pb2.MOVE_REASON_AUTO_PASS,
}
EXPIRY_ACTIONS = {
    ExpiryAction.LOSE: match_pb2.EXPIRY_ACTION_LOSE,
    ExpiryAction.DEFAULT_MOVE: match_pb2.EXPIRY_ACTION_DEFAULT_MOVE,
}
RESETS = {
    Break.REWOUND: match_service_pb2.RESET_REASON_REWOUND,
    Break.DIVERGED: match_service_pb2.RESET_REASON_DIVERGED,
    Break.TRIMMED: match_service_pb2.RESET_REASON_TRIMMED,
}


def match_to_proto(game: AnyGame, record: MatchRecord) -> match_pb2.Match:
    """Return what everybody who may see a match sees of it."""
    dealt = record.state is not None
    return match_pb2.Match(
        match_id=record.match_id,
        version=record.version,
        phase=PHASES[record.phase],
        options=_options(record),
        seats=[_seat(record, seat, dealt=dealt) for seat in range(len(record.seats))],
        seat_to_move=record.seat_to_move,
        deal=match_pb2.Deal(
            deal_id=record.deal_id,
            commitment=record.deal.commitment,
            seed_chosen=record.seed_chosen,
            ruleset=game.ruleset(record.options.setup.edition),
        ),
        create_time=timestamp(record.created_ms),
        outcome=_outcome(record.ending) if record.ending else None,
        clock=_reading(record.timing, record.as_of_ms),
    )


def _options(record: MatchRecord) -> match_pb2.MatchOptions:
    options, setup = record.options, record.options.setup
    public = match_pb2.VISIBILITY_PUBLIC if options.public else match_pb2.VISIBILITY_PRIVATE
    return match_pb2.MatchOptions(
        setup=MAPPINGS[options.game].setup_to_proto(setup.edition, setup.seats),
        visibility=public,
        start_seat=setup.start_seat,
        clock=_clock(options.clock) if options.clock else None,
        auto_pass=options.auto_pass,
    )


def _clock(clock: Clock) -> match_pb2.Clock:
    return match_pb2.Clock(
        move_limit=duration(clock.move_limit_ms),
        bank=duration(clock.bank_ms),
        on_expiry=EXPIRY_ACTIONS[clock.on_expiry],
    )


def _reading(timing: Timing | None, as_of_ms: int) -> match_pb2.ClockReading | None:
    if timing is None:
        return None
    return match_pb2.ClockReading(
        as_of=timestamp(as_of_ms),
        due_time=timestamp(timing.due_ms),
        banks=[duration(bank) for bank in timing.banks_ms],
    )


def _seat(record: MatchRecord, seat: Seat, *, dealt: bool) -> match_pb2.Seat:
    holder = record.seats[seat]
    if holder is None:
        return match_pb2.Seat(seat=seat)
    contribution = holder.contribution if dealt else b""
    return match_pb2.Seat(
        seat=seat,
        taken=True,
        player_name=holder.player_name,
        contribution=contribution,
        bot=holder.bot,
    )


def _outcome(ending: Ending) -> match_pb2.Outcome:
    if ending.outcome is None:
        assert ending.cause is not None
        return match_pb2.Outcome(cause=CAUSES[ending.cause])
    results = [
        match_pb2.SeatResult(
            seat=seat, rank=result.rank, score=result.score, cause=CAUSES[result.cause]
        )
        for seat, result in enumerate(ending.outcome.seats)
    ]
    return match_pb2.Outcome(cause=CAUSES[ending.outcome.cause], results=results)


def event_to_proto(
    game: AnyGame, record: MatchRecord, logged: LoggedEntry, reader: Seat | None
) -> match_pb2.Event:
    """Return an entry of the log as a reader may know it."""
    entry = logged.entry
    event = match_pb2.Event(
        version=logged.version,
        commit_time=timestamp(logged.committed_ms),
        seat_to_move=entry.seat_to_move,
        outcome=_outcome(entry.ending) if entry.ending else None,
        clock=_reading(logged.timing, logged.committed_ms),
    )
    facts = entry.told
    if facts is None:
        facts = game.decode_facts(entry.facts) if entry.facts else ()
    told = [fact_to_proto(game, game.project(fact, reader)) for fact in facts]
    match entry.kind:
        case EntryKind.CREATED:
            event.created.SetInParent()
        case EntryKind.JOINED:
            holder = record.seats[entry.seat or 0]
            name = holder.player_name if holder else ""
            event.joined.CopyFrom(match_pb2.SeatJoined(seat=entry.seat or 0, player_name=name))
        case EntryKind.DEALT:
            parts = record.deal.contributions
            event.dealt.CopyFrom(match_pb2.MatchDealt(contributions=parts, facts=told))
        case EntryKind.MOVED:
            move = move_to_proto(game, game.parse_move(entry.move or ""))
            reason = MOVE_REASONS[entry.reason or MoveReason.PLAYER]
            made = match_pb2.MoveMade(seat=entry.seat or 0, move=move, facts=told, reason=reason)
            event.move_made.CopyFrom(made)
        case EntryKind.LEFT:
            assert entry.cause is not None
            left = match_pb2.SeatLeft(seat=entry.seat or 0, cause=CAUSES[entry.cause])
            event.seat_left.CopyFrom(left)
        case EntryKind.ABORTED:
            event.aborted.SetInParent()
        case EntryKind.EXPIRED:
            event.expired.SetInParent()
        case EntryKind.FAILED:
            event.failed.SetInParent()
    return event


def view_of(game: AnyGame, record: MatchRecord, reader: Seat | None) -> Any:
    """Return a reader's view as a proto; None before the deal.

    It is nobody's turn in a match that is over, also where its rules would let it go on.
    """
    if record.state is None:
        return None
    view = view_to_proto(game, game.view(game.decode(record.state), reader))
    if record.phase is Phase.OVER and (typed := view.WhichOneof("game")):
        getattr(view, typed).ClearField("seat_to_move")
    return view


def snapshot_to_proto(
    game: AnyGame, record: MatchRecord, reader: Seat | None
) -> match_service_pb2.Snapshot:
    """Return a match at one version."""
    return match_service_pb2.Snapshot(
        match=match_to_proto(game, record), view=view_of(game, record, reader)
    )


def replay_to_proto(
    game: AnyGame, record: MatchRecord, log: Iterable[LoggedEntry]
) -> match_service_pb2.GetReplayResponse:
    """Return everything that re-deals and replays a finished match."""
    moves, leaves = [], []
    for logged in log:
        version, entry = logged.version, logged.entry
        seat = entry.seat or 0
        if entry.kind is EntryKind.MOVED:
            move = move_to_proto(game, game.parse_move(entry.move or ""))
            reason = MOVE_REASONS[entry.reason or MoveReason.PLAYER]
            moves.append(
                match_service_pb2.ReplayMove(version=version, seat=seat, move=move, reason=reason)
            )
        elif entry.cause is not None:
            left = CAUSES[entry.cause]
            leaves.append(match_service_pb2.ReplayLeave(version=version, seat=seat, cause=left))
    return match_service_pb2.GetReplayResponse(
        match=match_to_proto(game, record), seed=record.seed, moves=moves, leaves=leaves
    )

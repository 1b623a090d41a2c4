"""From a finished match to a line of results."""

from collections.abc import Collection, Sequence
from typing import Any

from google.protobuf import json_format

from dragonhall.tournament.plan import Game
from dragonhall.tournament.results import GameRecord
from dragonhall.v1 import match_pb2
from dragonhall.v1 import match_service_pb2 as pb

_FAULTS = (
    match_pb2.OUTCOME_CAUSE_SERVER_FAULT,
    match_pb2.OUTCOME_CAUSE_ABORTED,
    match_pb2.OUTCOME_CAUSE_EXPIRED,
)
"""Endings that say nothing about the players: the deal is played again."""
_AWAY = (
    match_pb2.OUTCOME_CAUSE_CRASHED,
    match_pb2.OUTCOME_CAUSE_SILENT,
    match_pb2.OUTCOME_CAUSE_TIMED_OUT,
)
"""How seats leave whose bots are not there."""


def record_of(
    game: Game,
    attempt: int,
    players: Sequence[str],
    replay: pb.GetReplayResponse,
    events: Sequence[match_pb2.Event],
    *,
    deserted: bool,
) -> GameRecord:
    """Return the record of a finished game; one that the run itself had deserted does not count."""
    outcome = replay.match.outcome
    results = outcome.results
    limit_ms = replay.match.options.clock.move_limit.ToMilliseconds()
    moves, thinking_ms = _thinking(len(players), events, limit_ms)
    illegal = [leave for leave in replay.leaves if leave.cause == match_pb2.OUTCOME_CAUSE_ILLEGAL]
    return GameRecord(
        key=game.key,
        attempt=attempt,
        lineup=game.lineup,
        deal=game.deal,
        rotation=game.rotation,
        players=tuple(players),
        match_id=replay.match.match_id,
        cause=_cause(outcome.cause),
        ranks=tuple(result.rank for result in results),
        scores=tuple(result.score for result in results),
        causes=tuple(_cause(result.cause) for result in results),
        counts=outcome.cause not in _FAULTS and not deserted,
        versions=replay.match.version,
        moves=len(replay.moves),
        moves_by_seat=tuple(moves),
        thinking_ms=tuple(thinking_ms),
        illegal=f"{players[illegal[0].seat]} at version {illegal[0].version}" if illegal else "",
    )


def was_deserted(replay: pb.GetReplayResponse, found: int, hosted: Collection[int]) -> bool:
    """Tell whether a seat ran out of time while nobody hosted its bot.

    Args:
        found: the version at which this run found the game.
        hosted: seats whose bots live and die with the run.
    """
    return any(
        leave.version <= found and leave.seat in hosted and leave.cause in _AWAY
        for leave in replay.leaves
    )


def replay_of(replay: pb.GetReplayResponse) -> dict[str, Any]:
    """Return a replay as `dragonhall replay --json` writes it."""
    return json_format.MessageToDict(replay, preserving_proto_field_name=True)


def _thinking(
    seats: int, events: Sequence[match_pb2.Event], limit_ms: int
) -> tuple[list[int], list[int]]:
    """Return by seat its own moves, and the time between becoming the one to move and the end.

    What is beyond the limit of a move was nobody's thinking: the run was stopped or a bot away.
    """
    moves, total = [0] * seats, [0] * seats
    since, seat = 0, None
    for event in events:
        now = event.commit_time.ToMilliseconds()
        if seat is not None:
            total[seat] += min(now - since, limit_ms)
        if event.move_made.reason == match_pb2.MOVE_REASON_PLAYER:
            moves[event.move_made.seat] += 1
        since, seat = now, event.seat_to_move if event.HasField("seat_to_move") else None
    return moves, total


def _cause(cause: match_pb2.OutcomeCause.ValueType) -> str:
    return match_pb2.OutcomeCause.Name(cause).removeprefix("OUTCOME_CAUSE_")

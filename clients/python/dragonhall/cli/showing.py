"""Matches and events as lines of text."""

from collections.abc import Callable, Iterable

from google.protobuf import json_format
from google.protobuf.message import Message

from dragonhall.cli.boards.table import SEAT_LETTERS
from dragonhall.cli.connecting import connected
from dragonhall.cli.mistakes import Mistake
from dragonhall.v1 import game_pb2, match_pb2
from dragonhall.v1.match_service_pb2 import WatchMatchResponse

_PHASES = {
    "any": match_pb2.MATCH_PHASE_UNSPECIFIED,
    "lobby": match_pb2.MATCH_PHASE_LOBBY,
    "running": match_pb2.MATCH_PHASE_RUNNING,
    "over": match_pb2.MATCH_PHASE_OVER,
}
_WHY = {
    match_pb2.MOVE_REASON_TIMED_OUT: "  (out of time)",
    match_pb2.MOVE_REASON_SEAT_LEFT: "  (seat has left)",
    match_pb2.MOVE_REASON_AUTO_PASS: "  (nothing else is possible)",
}
_EVENTS = {
    "created": "the match is created",
    "aborted": "the host aborts the match",
    "expired": "the match expires: its seats were not filled in time",
    "failed": "the server, or its operator, ends the match: no seat is to blame",
}


async def list_matches(server: str, phase: str, *, as_json: bool) -> None:
    """Print a line for each public match."""
    if phase not in _PHASES:
        raise Mistake(f"--phase is one of {', '.join(_PHASES)}")
    async with connected(server) as client:
        async for match in client.list_matches(_PHASES[phase]):
            print(json_line(match) if as_json else match_line(match))


def news_lines(message: WatchMatchResponse) -> list[str]:
    """Return what a watch tells as lines."""
    body = message.WhichOneof("body")
    if body == "event":
        return event_lines(message.event)
    if body == "superseded":
        return ["the same token watches the match elsewhere now"]
    if body == "reset":
        return [f"history changed; the match is now: {match_line(message.reset.snapshot.match)}"]
    return [match_line(message.snapshot.match)]


def json_line(message: Message) -> str:
    """Return a message as one line of JSON; what has no presence is written out, zeros too."""
    return json_format.MessageToJson(
        message, indent=None, always_print_fields_with_no_presence=True, ensure_ascii=False
    )


def match_line(match: match_pb2.Match) -> str:
    """Return a match as one line."""
    phase = match_pb2.MatchPhase.Name(match.phase).removeprefix("MATCH_PHASE_").lower()
    game = match.options.setup.WhichOneof("game")
    players = ", ".join(seat.player_name or "?" if seat.taken else "open" for seat in match.seats)
    return f"{match.match_id}  {phase:<8}{game}  version {match.version}  {players}"


def _seat_name(seat: int) -> str:
    return f"seat {seat}"


def event_lines(event: match_pb2.Event, who: Callable[[int], str] = _seat_name) -> list[str]:
    """Return an event as a line for itself and one for each fact; `who` names a seat."""
    body = event.WhichOneof("body")
    if body == "joined":
        seat, name = event.joined.seat, event.joined.player_name
        if who is not _seat_name:
            return [f"{event.version:4} {who(seat)} joins"]
        return [f"{event.version:4} seat {seat}: {name} joins as {SEAT_LETTERS[seat]}"]
    if body == "dealt":
        return [f"{event.version:4} the cards are dealt", *_facts(event.dealt.facts)]
    if body == "move_made":
        made = event.move_made
        what = f"{made.move.notation}{_WHY.get(made.reason, '')}"
        return [f"{event.version:4} {who(made.seat)}: {what}", *_facts(made.facts)]
    if body == "seat_left":
        left = event.seat_left
        return [f"{event.version:4} {who(left.seat)} leaves: {cause_text(left.cause)}"]
    return [f"{event.version:4} {_EVENTS[body or '']}"]


def cause_text(cause: match_pb2.OutcomeCause.ValueType) -> str:
    """Return why a match, or a seat's part in it, ended, such as `timed out`."""
    name = match_pb2.OutcomeCause.Name(cause).removeprefix("OUTCOME_CAUSE_")
    return name.lower().replace("_", " ")


def _facts(facts: Iterable[game_pb2.Fact]) -> list[str]:
    return [f"       {fact.text}" for fact in facts]


def outcome_lines(match: match_pb2.Match, who: Callable[[int], str] = _seat_name) -> list[str]:
    """Return final scores and who won; `who` names a seat."""
    if match.outcome.cause == match_pb2.OUTCOME_CAUSE_SERVER_FAULT:
        return ["The match was ended by the server or its operator: no seat is to blame."]
    if not match.outcome.results:
        return [f"The match was {cause_text(match.outcome.cause)} before it began."]
    played_on = match_pb2.OUTCOME_CAUSE_COMPLETED
    if who is _seat_name:
        names = [f"{seat.player_name} (seat {seat.seat})" for seat in match.seats]
    else:
        names = [who(seat.seat) for seat in match.seats]
    lines = [
        f"{names[result.seat]}: {result.score} points"
        + ("" if result.cause == played_on else f", {cause_text(result.cause)}")
        for result in match.outcome.results
    ]
    winners = [names[result.seat] for result in match.outcome.results if result.rank == 1]
    if len(winners) == len(names):
        return [*lines, "A draw."]
    return [*lines, f"Won by {' and '.join(winners)}."]

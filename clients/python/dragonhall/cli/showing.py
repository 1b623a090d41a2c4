"""Matches and events as lines of text."""

from collections.abc import Iterable

from dragonhall.cli.connecting import connected, require_token
from dragonhall.cli.mistakes import Mistake
from dragonhall.v1 import game_pb2, match_pb2

_PHASES = {
    "any": match_pb2.MATCH_PHASE_UNSPECIFIED,
    "lobby": match_pb2.MATCH_PHASE_LOBBY,
    "running": match_pb2.MATCH_PHASE_RUNNING,
    "over": match_pb2.MATCH_PHASE_OVER,
}


async def list_matches(server: str, phase: str) -> None:
    """Print a line for each public match."""
    if phase not in _PHASES:
        raise Mistake(f"--phase is one of {', '.join(_PHASES)}")
    async with connected(server) as client:
        async for match in client.list_matches(_PHASES[phase]):
            print(match_line(match))


async def watch_match(server: str, match_id: str, token: str) -> None:
    """Print what happens until the match is over."""
    require_token(token)
    async with connected(server) as client:
        async for message in client.watch(match_id, token):
            body = message.WhichOneof("body")
            if body == "snapshot":
                print(match_line(message.snapshot.match))
            elif body == "reset":
                print(
                    "history changed; the match is now:", match_line(message.reset.snapshot.match)
                )
            elif body == "event":
                print("\n".join(event_lines(message.event)), flush=True)
        match = (await client.get_match(match_id, token)).match
        print("\n".join(outcome_lines(match)))


def match_line(match: match_pb2.Match) -> str:
    """Return a match as one line."""
    phase = match_pb2.MatchPhase.Name(match.phase).removeprefix("MATCH_PHASE_").lower()
    game = match.options.setup.WhichOneof("game")
    players = ", ".join(seat.player_name or "?" if seat.taken else "open" for seat in match.seats)
    return f"{match.match_id}  {phase:<8}{game}  version {match.version}  {players}"


def event_lines(event: match_pb2.Event) -> list[str]:
    """Return an event as a line for itself and one for each fact."""
    body = event.WhichOneof("body")
    if body == "joined":
        return [f"{event.version:4} seat {event.joined.seat}: {event.joined.player_name} joins"]
    if body == "dealt":
        return [f"{event.version:4} the cards are dealt", *_facts(event.dealt.facts)]
    if body == "move_made":
        made = event.move_made
        return [f"{event.version:4} seat {made.seat}: {made.move.notation}", *_facts(made.facts)]
    return [f"{event.version:4} the match is created"]


def _facts(facts: Iterable[game_pb2.Fact]) -> list[str]:
    return [f"       {fact.text}" for fact in facts]


def outcome_lines(match: match_pb2.Match) -> list[str]:
    """Return final scores and who won."""
    if not match.outcome.results:
        return ["The match ended before it was dealt."]
    names = [f"{seat.player_name} (seat {seat.seat})" for seat in match.seats]
    lines = [f"{names[result.seat]}: {result.score} points" for result in match.outcome.results]
    winners = [names[result.seat] for result in match.outcome.results if result.rank == 1]
    if len(winners) == len(names):
        return [*lines, "A draw."]
    return [*lines, f"Won by {' and '.join(winners)}."]

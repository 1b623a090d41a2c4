"""Finished matches, from a server or a file: told board by board, and verified."""

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from google.protobuf import json_format

from dragonhall.cli.boards.registry import board_lines, styles_of
from dragonhall.cli.boards.table import table_of
from dragonhall.cli.connecting import connected, require_token
from dragonhall.cli.keyboard import Keyboard
from dragonhall.cli.mistakes import Mistake
from dragonhall.cli.retelling import Differs, Told, check_commitment, event_for, game_of, retell
from dragonhall.cli.screen import Screen
from dragonhall.cli.showing import event_lines, json_line, match_line, outcome_lines
from dragonhall.v1 import match_pb2
from dragonhall.v1.match_service_pb2 import GetReplayResponse
from dragonhall_service.api.mapping.games import view_to_proto

_MATCH_ID = re.compile("[a-z2-7]{26}")


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished match.

    Attributes:
        replay: what a server revealed of it.
        reader: the seat that the events were read as; None for a spectator.
        events: the log as that reader knows it; empty for a match from a file.
    """

    replay: GetReplayResponse
    reader: int | None = None
    events: Sequence[match_pb2.Event] = ()


async def finished_match(source: str, server: str, token: str) -> Finished:
    """Read a match from the file of that name, else from the server.

    Raises:
        Mistake: `source` is neither, or the file is no replay.
        Unreachable, DragonhallError: the server is silent or refuses it.
    """
    if Path(source).is_file():
        return Finished(_read_file(Path(source)))
    if not _MATCH_ID.fullmatch(source):
        raise Mistake(f"{source!r} is no file, and no match id (26 characters a-z and 2-7)")
    require_token(token)
    async with connected(server) as client:
        replay = await client.get_replay(source, token)
        found = await client.get_match(source, token)
        events = [event async for event in client.list_events(source, token)]
        return Finished(replay, found.seat if found.HasField("seat") else None, events)


def _read_file(path: Path) -> GetReplayResponse:
    try:
        return json_format.Parse(path.read_text(encoding="utf-8"), GetReplayResponse())
    except (OSError, UnicodeDecodeError, json_format.ParseError) as unreadable:
        raise Mistake(f"{path} is no replay: {unreadable}") from None


# ---- verify -------------------------------------------------------------------------------------


async def verify_match(source: str, server: str, token: str, *, as_json: bool) -> bool:
    """Say in one line whether the match is what its seed and moves give; return it too.

    Raises:
        Differs: it is not, and that is not to be said as JSON.
    """
    finished = await finished_match(source, server, token)
    match_id = finished.replay.match.match_id
    try:
        check_finished(finished)
    except Differs as differs:
        if not as_json:
            raise
        print(json.dumps({"matchId": match_id, "verified": False, "differs": str(differs)}))
        return False
    extent = _extent(finished)
    if as_json:
        print(json.dumps({"matchId": match_id, "verified": True, "extent": extent}))
    else:
        print(f"{match_id}: verified: {extent}")
    return True


def _extent(finished: Finished) -> str:
    match, moves = finished.replay.match, len(finished.replay.moves)
    events = f", {len(finished.events)} events" if finished.events else ""
    luck = "; the host chose the seed" if match.deal.seed_chosen else ""
    if not match.outcome.results:
        return f"commitment; the match was called off before its first move{luck}"
    return f"commitment, deal, {moves} moves{events} and outcome{luck}"


def check_finished(finished: Finished) -> None:
    """Check everything that can be recomputed; raises Differs."""
    check_commitment(finished.replay)
    _check_events(finished, list(retell(finished.replay)))


def _check_events(finished: Finished, told: Sequence[Told]) -> None:
    """Check that the reader was told during the match what the seed and moves give."""
    log = {event.version: event for event in finished.events}
    game = game_of(finished.replay)
    for step in told if log else ():
        real = event_for(game, step, finished.reader)
        body = real.WhichOneof("body")
        assert body
        event = log.get(real.version, match_pb2.Event())
        if not event.HasField(body) or getattr(event, body) != getattr(real, body):
            raise Differs(f"version {real.version}: the log tells something else")
    match = finished.replay.match
    for event in finished.events:
        ends = event.version == match.version
        if event.HasField("outcome") != ends or (ends and event.outcome != match.outcome):
            raise Differs(f"version {event.version}: the log tells of another outcome")


# ---- replay -------------------------------------------------------------------------------------

Pause = Callable[[], Awaitable[None]]
"""Waits between two boards."""


async def replay_match(
    source: str, server: str, token: str, seat: int | None, pause: Pause, *, as_json: bool
) -> None:
    """Print a match board by board, as a seat saw it or as a spectator, or as JSON.

    Raises:
        Mistake: it has no such seat.
        Differs: it cannot be told, because it is not what its seed and moves give.
    """
    replay = (await finished_match(source, server, token)).replay
    if seat is not None and seat >= len(replay.match.seats):
        raise Mistake(f"--seat is 0 to {len(replay.match.seats) - 1}")
    if as_json:
        print(json_line(replay))
    else:
        print(match_line(replay.match))
        await tell_match(replay, seat, pause)


async def tell_match(replay: GetReplayResponse, seat: int | None, pause: Pause) -> None:
    """Print every event and board, as a seat saw it or as a spectator, and the outcome.

    Raises:
        Differs: it is not what its seed and moves give.
    """
    game, table = game_of(replay), table_of(replay.match.seats, seat)
    screen = Screen(styles_of(game.NAME))
    for step in retell(replay):
        lines = event_lines(event_for(game, step, seat))
        board = board_lines(view_to_proto(game, game.view(step.state, seat)), table)
        screen.show(["", *lines, *board])
        await pause()
    screen.show(["", *outcome_lines(replay.match)])


def enter_key() -> Pause:
    """Make a pause that lasts until Enter; the end of input does not hold it up."""
    keyboard = Keyboard()

    async def pause() -> None:
        print("Enter: the next board ", end="", flush=True)
        if await keyboard.line() is None:
            print()

    return pause

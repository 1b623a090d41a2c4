"""`dragonhall watch`: what happens in a match, as lines, boards or JSON."""

from dragonhall.cli.boards.registry import board_lines, styles_of
from dragonhall.cli.boards.table import table_of
from dragonhall.cli.connecting import connected, require_token
from dragonhall.cli.mistakes import Mistake
from dragonhall.cli.screen import Screen
from dragonhall.cli.showing import json_line, news_lines, outcome_lines
from dragonhall.sdk import Client
from dragonhall.v1.match_service_pb2 import WatchMatchResponse


async def watch_match(
    server: str, match_id: str, token: str, *, as_json: bool, boards: bool
) -> None:
    """Print what happens until the match is over; as JSON, what the server sends."""
    require_token(token)
    if as_json and boards:
        raise Mistake("give --json or --board, not both")
    async with connected(server) as client:
        async for message in client.watch(match_id, token):
            if message.WhichOneof("body") == "heartbeat":
                continue
            if as_json:
                print(json_line(message), flush=True)
            else:
                await _tell(client, match_id, token, message, boards=boards)


async def _tell(
    client: Client, match_id: str, token: str, message: WatchMatchResponse, *, boards: bool
) -> None:
    snapshot = message.reset.snapshot if message.HasField("reset") else message.snapshot
    over = message.event.HasField("outcome") or snapshot.match.HasField("outcome")
    screen, lines = Screen(), news_lines(message)
    if boards or over:
        seen = await client.get_match(match_id, token)
        if boards and seen.match.version == message.event.version + snapshot.match.version:
            # Later boards are about to come otherwise.
            reader = seen.seat if seen.HasField("seat") else None
            screen = Screen(styles_of(seen.match.options.setup.WhichOneof("game") or ""))
            lines = [*lines, *board_lines(seen.view, table_of(seen.match.seats, reader)), ""]
        if over:
            lines = [*lines, *outcome_lines(seen.match)]
    screen.show(lines)

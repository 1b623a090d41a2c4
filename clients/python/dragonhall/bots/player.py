"""Plays one seat of a match to its end."""

import asyncio
import time
from contextlib import suppress

from dragonhall.bots.bot import Bot
from dragonhall.bots.clock import seconds_to_think
from dragonhall.sdk import Client, MatchOver, VersionConflict
from dragonhall.sdk.play import pass_time
from dragonhall.v1 import match_service_pb2 as pb


async def play_seat(client: Client, match_id: str, token: str, seat: int, bot: Bot) -> None:
    """Move whenever it is the seat's turn; a lost race just means looking again.

    Raises:
        DragonhallError: the server refused something, or is gone.
    """
    async for message in client.watch(match_id, token):
        if _to_move(message) == seat:
            await _move(client, match_id, token, bot)


async def _move(client: Client, match_id: str, token: str, bot: Bot) -> None:
    begun_s = time.monotonic()
    seen = await client.get_match(match_id, token)
    if not seen.match.HasField("seat_to_move") or seen.match.seat_to_move != seen.seat:
        return
    listed = await client.legal_moves(match_id, token)
    if not listed.moves or listed.version != seen.match.version:
        return

    def choose() -> int:
        pass_time(seen.match, time.monotonic() - begun_s)
        return bot.choose(seen.view, listed.moves, seconds_to_think(seen.match, seen.seat))

    # In a thread: a bot that thinks for long must not stop what else this process does.
    chosen = listed.moves[await asyncio.to_thread(choose)]
    with suppress(VersionConflict, MatchOver):  # what came between is the next thing watched
        await client.submit_move(match_id, token, listed.version, chosen)


def _to_move(message: pb.WatchMatchResponse) -> int | None:
    body = message.WhichOneof("body")
    if body == "event":
        return message.event.seat_to_move if message.event.HasField("seat_to_move") else None
    snapshot = message.reset.snapshot if body == "reset" else message.snapshot
    return snapshot.match.seat_to_move if snapshot.match.HasField("seat_to_move") else None

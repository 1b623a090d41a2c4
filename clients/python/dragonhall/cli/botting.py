"""What the author of a bot, or anybody, may ask of a server about bots."""

from google.protobuf.timestamp_pb2 import Timestamp

from dragonhall.cli.connecting import connected
from dragonhall.cli.showing import json_line
from dragonhall.v1 import bot_service_pb2 as pb


async def list_bots(server: str, *, as_json: bool) -> None:
    """Print a line for each bot, by name."""
    async with connected(server) as client:
        async for bot in client.list_bots():
            print(json_line(bot) if as_json else bot_line(bot))


async def list_calls(server: str, token: str, count: int, *, as_json: bool) -> None:
    """Print the newest calls of the token's bot, oldest first."""
    async with connected(server) as client:
        for call in (await client.list_bot_calls(token, count)).calls:
            print(json_line(call) if as_json else call_line(call))


async def revoke_bot(server: str, name: str, token: str) -> None:
    """Withdraw the token's bot."""
    async with connected(server) as client:
        print(bot_line(await client.revoke_bot(name, token)))


def bot_line(bot: pb.Bot) -> str:
    """Return a bot as one line."""
    where = "withdrawn" if bot.revoked else "connected" if bot.connected else "away"
    return f"{bot.name:<32} {where:<9}  {', '.join(bot.games)}"


def call_line(call: pb.BotCall) -> str:
    """Return what happened on a bot's stream as one line."""
    kind = pb.BotCallKind.Name(call.kind).removeprefix("BOT_CALL_KIND_").lower()
    what = f"{call.match_id} {call.version:>4}  " if call.match_id else ""
    took = f"  ({call.thinking_ms} ms)" if call.kind == pb.BOT_CALL_KIND_MOVE else ""
    return f"{_clock(call.time)}  {kind:<12}  {what}{call.text}{took}".rstrip()


def _clock(time: Timestamp) -> str:
    return f"{time.ToDatetime():%Y-%m-%d %H:%M:%S}.{time.nanos // 1_000_000:03}Z"

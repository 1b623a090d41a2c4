"""Bots and their calls as protos."""

from dragonhall.v1 import bot_service_pb2 as pb
from dragonhall_service.api.mapping.times import timestamp
from dragonhall_service.ports import BotCall, BotRecord, CallKind

CALL_KINDS = {
    kind: pb.BotCallKind.Value(f"BOT_CALL_KIND_{kind.name}")  # the names are the same
    for kind in CallKind
}


def bot_to_proto(bot: BotRecord, *, connected: bool) -> pb.Bot:
    """Return what everybody may know of a bot."""
    return pb.Bot(
        name=bot.name,
        games=bot.games,
        create_time=timestamp(bot.created_ms),
        connected=connected,
        revoked=bot.revoked,
    )


def call_to_proto(call: BotCall) -> pb.BotCall:
    """Return a call as the bot's author sees it."""
    return pb.BotCall(
        time=timestamp(call.time_ms),
        kind=CALL_KINDS[call.kind],
        match_id=call.match_id,
        version=call.version,
        text=call.text,
        thinking_ms=call.thinking_ms,
    )

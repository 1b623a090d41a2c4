"""Bots in Redis or Valkey: registrations, streams, seats, and what their authors may read."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from dragonhall_service.ports import (
    BotCall,
    BotRecord,
    CallKind,
    Presence,
    StorageUnavailable,
    bot_topic,
)
from dragonhall_service.store.access import Access
from dragonhall_service.store.connection import translated
from dragonhall_service.store.keys import BOT_NAMES, BOT_TOKENS, bell_of, bot_keys
from dragonhall_service.store.scripts import Script

PRESENCE_MS = 10_000
"""A stream whose server has said nothing for so long is gone."""
_PRESENCE = ["since", "heard", "stayed"]
KEPT_CALLS = 1_000
KEPT_CALLS_S = 7 * 24 * 3_600


class RedisBots:
    """Implements `ports.BotStore`."""

    def __init__(self, access: Access) -> None:
        """Take the ways to the store."""
        self._reads = access.reads
        self._writes = access.writes
        self._commits = access.commits
        self._register = Script(access.commits, "register.lua")
        self._revoke = Script(access.commits, "revoke.lua")
        self._stay = Script(access.writes, "stay.lua")
        self._disconnect = Script(access.writes, "disconnect.lua")

    async def register(self, bot: BotRecord) -> tuple[BotRecord, bool] | None:
        """Keep a bot, or find it; None if the name is another's."""
        keys = [bot_keys(bot.name).bot, BOT_NAMES, BOT_TOKENS]
        arguments = [bot.name, bot.token_hash.hex(), ",".join(bot.games)]
        with translated(writes=True):
            answer, *created = await self._register.run(keys, arguments)
        if answer == b"taken":
            return None
        return replace(bot, created_ms=int(created[0])), answer == b"same"

    async def named(self, name: str) -> BotRecord | None:
        """Read a bot, a revoked one too."""
        with translated(writes=False):
            fields: Any = await self._reads.hgetall(bot_keys(name).bot)
        return _record(name, fields) if fields else None

    async def of_token(self, token_hash: bytes) -> BotRecord | None:
        """Read the bot of a token, unless it was revoked."""
        with translated(writes=False):
            name: Any = await self._reads.hget(BOT_TOKENS, token_hash.hex())
        return await self.named(name.decode()) if name else None

    async def page(self, after: str, limit: int) -> Sequence[BotRecord]:
        """List bots by name, from the first after `after` on."""
        with translated(writes=False):
            first = f"({after}" if after else "-"
            names: Any = await self._reads.zrangebylex(BOT_NAMES, first, "+", 0, limit)
            pipe = self._reads.pipeline(transaction=False)
            for name in names:
                pipe.hgetall(bot_keys(name.decode()).bot)
            found = await pipe.execute()
        rows = zip(names, found, strict=True)
        return [_record(name.decode(), fields) for name, fields in rows]

    async def revoke(self, bot: BotRecord) -> None:
        """Withdraw a bot."""
        with translated(writes=True):
            await self._revoke.run([bot_keys(bot.name).bot, BOT_TOKENS], [bot.token_hash.hex()])
        await self._ring(bot.name)

    async def assign(self, name: str, match_id: str) -> None:
        """Note that a bot takes a seat, and ring for the bot."""
        with translated(writes=True):
            await self._commits.execute_command("SADD", bot_keys(name).matches, match_id)
        await self._ring(name)

    async def unassign(self, name: str, match_id: str) -> None:
        """Forget a match."""
        with translated(writes=True):
            await self._writes.srem(bot_keys(name).matches, match_id)

    async def assigned(self, name: str) -> Sequence[str]:
        """List the matches in which a bot may have a seat."""
        with translated(writes=False):
            found: Any = await self._reads.smembers(bot_keys(name).matches)
        return sorted(match_id.decode() for match_id in found)

    async def connect(self, name: str, session: str) -> None:
        """Make a session the bot's only one."""
        with translated(writes=True):
            await self._stay.run([bot_keys(name).presence], [session, 0, "newest", PRESENCE_MS])
        await self._ring(name)

    async def stay(self, name: str, session: str, unheard_ms: int, *, anew: bool) -> bool:
        """Say that a session lives; False if another one has taken over."""
        arguments = [session, unheard_ms, "anew" if anew else "", PRESENCE_MS]
        with translated(writes=True):
            return bool(await self._stay.run([bot_keys(name).presence], arguments))

    async def disconnect(self, name: str, session: str) -> None:
        """End a session, unless another one has taken over."""
        with translated(writes=True):
            await self._disconnect.run([bot_keys(name).presence], [session])

    async def presence(self, name: str) -> Presence | None:
        """Say how a bot is connected; None if it is not."""
        with translated(writes=False):
            found: Any = await self._reads.hmget(bot_keys(name).presence, _PRESENCE)
        return Presence(*map(int, found)) if None not in found else None

    async def note(self, name: str, calls: Sequence[BotCall]) -> None:
        """Append to what a bot's author may read; the oldest are let go."""
        key = bot_keys(name).calls
        with translated(writes=True):
            pipe = self._writes.pipeline(transaction=False)
            for call in calls:
                pipe.xadd(key, _fields(call), maxlen=KEPT_CALLS, approximate=True)
            pipe.expire(key, KEPT_CALLS_S)
            await pipe.execute()

    async def calls(self, name: str, limit: int) -> Sequence[BotCall]:
        """Read the newest calls, oldest first."""
        with translated(writes=False):
            rows: Any = await self._reads.xrevrange(bot_keys(name).calls, "+", "-", limit)
        return [_call(stream_id, fields) for stream_id, fields in reversed(rows)]

    async def _ring(self, name: str) -> None:
        """Hint at something new; without it, it is seen a second later."""
        topic = bot_topic(name)
        with suppress(StorageUnavailable), translated(writes=True):
            await self._writes.spublish(bell_of(topic), topic)


def _record(name: str, fields: Mapping[bytes, bytes]) -> BotRecord:
    return BotRecord(
        name,
        bytes.fromhex(fields[b"token"].decode()),
        tuple(fields[b"games"].decode().split(",")),
        int(fields[b"created_ms"]),
        revoked=b"revoked" in fields,
    )


def _fields(call: BotCall) -> dict[Any, Any]:
    return {
        "k": call.kind.value,
        "m": call.match_id,
        "v": call.version,
        "t": call.text,
        "d": call.thinking_ms,
    }


def _call(stream_id: bytes, fields: Mapping[bytes, bytes]) -> BotCall:
    return BotCall(
        CallKind(fields[b"k"].decode()),
        fields[b"m"].decode(),
        int(fields[b"v"]),
        fields[b"t"].decode(),
        int(fields[b"d"]),
        int(stream_id.partition(b"-")[0]),
    )

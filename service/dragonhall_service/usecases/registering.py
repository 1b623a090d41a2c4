"""Registering, listing and withdrawing bots, and what their authors may read."""

import hmac
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from dragonhall_service.credentials import Caller
from dragonhall_service.ports import (
    UNREADABLE,
    BotCall,
    BotRecord,
    Ports,
    StorageUnavailable,
)
from dragonhall_service.usecases.ending import leave_as_revoked
from dragonhall_service.usecases.refusals import (
    FieldInvalid,
    Reason,
    Refusal,
    bot_not_found,
)


async def register_bot(
    ports: Ports, bot: BotRecord, key: str, registration_key: str
) -> tuple[BotRecord, bool]:
    """Register a bot, or find that it is registered already.

    Args:
        key: what the caller showed.
        registration_key: what it must show; "" where anybody may register.

    Raises:
        Refusal: REGISTRATION_REFUSED, FIELD_INVALID, NAME_TAKEN.
    """
    if registration_key and not hmac.compare_digest(key.encode(), registration_key.encode()):
        raise Refusal(Reason.REGISTRATION_REFUSED, "show this server's registration key")
    for number, game in enumerate(bot.games):
        if game not in ports.games or game in bot.games[:number]:
            raise FieldInvalid(f"games[{number}]", f"one of {', '.join(ports.games)}, each once")
    registered = await ports.bots.register(bot)
    if registered is None:
        raise Refusal(Reason.NAME_TAKEN, "the name, or the token, is another bot's")
    return registered


async def own_bot(ports: Ports, caller: Caller) -> BotRecord:
    """Return the bot of a caller.

    Raises:
        Refusal: UNAUTHENTICATED, BOT_NOT_FOUND.
    """
    if caller.token_hash is None:
        raise Refusal(Reason.UNAUTHENTICATED, "send the token of your bot as metadata")
    bot = await ports.bots.of_token(caller.token_hash)
    if bot is None:
        raise bot_not_found()
    return bot


async def revoke_bot(ports: Ports, caller: Caller, name: str) -> BotRecord:
    """Withdraw the caller's own bot and let its seats leave.

    Raises:
        Refusal: UNAUTHENTICATED, BOT_NOT_FOUND.
    """
    if caller.token_hash is None:
        raise Refusal(Reason.UNAUTHENTICATED, "send the token of your bot as metadata")
    bot = await ports.bots.named(name)  # not by its token: a repeat has none that opens anything
    if bot is None or bot.token_hash != caller.token_hash:
        raise bot_not_found()
    return await withdraw(ports, bot)


async def withdraw(ports: Ports, bot: BotRecord) -> BotRecord:
    """Take a bot's token away and let its seats leave; a match that cannot be read is left out."""
    await ports.bots.revoke(bot)
    with having_written():
        for match_id in await ports.bots.assigned(bot.name):
            with suppress(*UNREADABLE):
                with suppress(Refusal):
                    await leave_as_revoked(ports, Caller(bot.token_hash), match_id)
                await ports.bots.unassign(bot.name, match_id)
    return replace(bot, revoked=True)


@contextmanager
def having_written() -> Iterator[None]:
    """Do what follows a write of the same call: if it fails, nobody may say "not applied"."""
    try:
        yield
    except StorageUnavailable as failure:
        raise StorageUnavailable(None, str(failure)) from failure


async def own_calls(ports: Ports, caller: Caller, limit: int) -> Sequence[BotCall]:
    """List the newest calls of the caller's own bot, oldest first.

    Raises:
        Refusal: UNAUTHENTICATED, BOT_NOT_FOUND.
    """
    bot = await own_bot(ports, caller)
    return await ports.bots.calls(bot.name, limit)

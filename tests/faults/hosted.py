"""Bots on their streams and spectators with the SDK, beside the players of a scenario."""

import asyncio
from contextlib import AsyncExitStack

from dragonhall.bots.hosting import host_bot
from dragonhall.bots.random_bot import RandomBot
from dragonhall.sdk import Client
from tests.faults.canaries import CANARIES
from tests.faults.players import Players
from tests.service.driver import options
from tests.service.histories import causes, check_history

NAMES = ("ada", "bob")


async def bot_matches(target: str, players: Players) -> list[str]:
    """Let two bots play match after match as long as the players do.

    Returns:
        What is wrong with each match: empty where its spectator was told all of it, in order, and
        both bots played to its end.
    """
    found: list[str] = []
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(Client(target))
        for name in NAMES:
            stack.callback(asyncio.create_task(_host(target, name)).cancel)
        while len([bot async for bot in client.list_bots()]) < len(NAMES):
            await asyncio.sleep(0.05)
        while not players.stopped:
            bots = dict(enumerate(NAMES))
            match = await client.create_match(CANARIES.new_token(), options(), bots=bots)
            found.append(await _watched(client, match.match_id))
    return found


async def _host(target: str, name: str) -> None:
    async with Client(target) as client:
        token = CANARIES.new_token()
        await host_bot(client, name, token, ["dragonheart"], lambda game, seed: RandomBot(seed))


async def _watched(client: Client, match_id: str) -> str:
    """Watch a match to its end, and say what is wrong with it."""
    news = client.watch(match_id)
    told = [message.event.version async for message in news if message.HasField("event")]
    ended = (await client.get_match(match_id)).match
    await check_history(client, match_id)
    if told != list(range(ended.version - len(told) + 1, ended.version + 1)):
        return f"a spectator was told {told} of {ended.version}"
    return "" if set(causes(ended)) == {"COMPLETED"} else f"it ended by {causes(ended)}"

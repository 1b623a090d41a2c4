"""`dragonhall bot check`: a server of its own, the bot, a rival, and a report."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from dragonhall.bots.hosting import host_bot
from dragonhall.bots.random_bot import RandomBot
from dragonhall.cli.checking.situations import SITUATIONS, Arena, NotTried, try_out
from dragonhall.cli.checking.wire import wired
from dragonhall.cli.mistakes import Mistake
from dragonhall.sdk import Client, new_token
from dragonhall.v1 import bot_service_pb2 as pb
from dragonhall_service.app import embedded_server

BACK_S = 15.0
"""A bot that is not connected again after so long stays away."""
_LOOK_S = 0.1


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of one situation.

    Attributes:
        situation: its name.
        faults: what the bot did wrong; none: it passed, unless it was not tried.
        not_tried: why it could not be tried; empty if it was.
    """

    situation: str
    faults: list[str] = field(default_factory=list)
    not_tried: str = ""


async def check_bot(
    name: str, listen: str, only: Sequence[str], wait_s: float, *, as_json: bool
) -> bool:
    """Check a bot, print what it does wrong, and say whether it passed.

    Args:
        only: names of the situations to try; none: all.
        wait_s: how long to wait for the bot to come.

    Raises:
        Mistake: the address or a situation is wrong, or the bot does not come.
    """
    if unknown := set(only) - set(SITUATIONS):
        raise Mistake(f"--only: no {', '.join(sorted(unknown))}: {', '.join(SITUATIONS)}")
    async with (
        embedded_server() as upstream,
        Client(upstream) as client,
        wired(listen, upstream) as (wire, target),
    ):
        if not as_json:
            print(f"Let your bot connect to {target} as {name}, and leave it running.", flush=True)
        bot = await _connected(client, name, wait_s)
        if bot is None:
            raise Mistake(f"{name} did not connect to {target} within {wait_s:g} s")
        rival = f"rival-of-{name}"[:32].rstrip(".-_")
        known = [game.name for game in (await client.list_games()).games]
        hosting = asyncio.create_task(
            host_bot(client, rival, new_token(), known, lambda game, seed: RandomBot(seed))
        )
        try:
            games = tuple(game for game in known if game in bot.games)
            arena = Arena(client, wire, name, rival, games)
            await _connected(client, rival, BACK_S)
            return await _report(arena, only or tuple(SITUATIONS), as_json=as_json)
        finally:
            hosting.cancel()


async def _report(arena: Arena, names: Sequence[str], *, as_json: bool) -> bool:
    findings = []
    for name in names:
        finding = await _find(arena, name)
        findings.append(finding)
        if not as_json:
            print("\n".join(_lines(finding)), flush=True)
    passed = not any(finding.faults for finding in findings)
    if as_json:
        told = [asdict(finding) for finding in findings]
        print(json.dumps({"bot": arena.bot, "passed": passed, "situations": told}))
    return passed


async def _find(arena: Arena, name: str) -> Finding:
    if await _connected(arena.client, arena.bot, BACK_S) is None:
        return Finding(name, ["it is not connected any more"])
    try:
        return Finding(name, await try_out(arena, SITUATIONS[name]))
    except NotTried as reason:
        return Finding(name, not_tried=str(reason))


def _lines(finding: Finding) -> list[str]:
    if finding.not_tried:
        return [f"-      {finding.situation}: not tried: {finding.not_tried}"]
    if not finding.faults:
        return [f"ok     {finding.situation}"]
    return [f"WRONG  {finding.situation}: {fault}" for fault in finding.faults]


async def _connected(client: Client, name: str, wait_s: float) -> pb.Bot | None:
    """Wait for a bot to be connected; None if it is not after so many seconds."""
    try:
        async with asyncio.timeout(wait_s):
            while True:
                async for bot in client.list_bots():
                    if bot.name == name and bot.connected:
                        return bot
                await asyncio.sleep(_LOOK_S)
    except TimeoutError:
        return None

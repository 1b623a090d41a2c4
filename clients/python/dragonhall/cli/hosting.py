"""Hosts the shipped bots on a server until it is told to stop."""

import asyncio
import math
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dragonhall.bots.bot import Bot
from dragonhall.bots.hosting import play_bot
from dragonhall.bots.registry import BOTS, make_bot
from dragonhall.cli.bot_tokens import tokens_for
from dragonhall.cli.connecting import connected
from dragonhall.cli.mistakes import Mistake
from dragonhall.sdk import Client, Retry
from dragonhall.sdk.errors import BotNotFound, NameTaken

PATIENT = Retry(budget_s=math.inf)
"""A server may be away for as long as it likes."""


@dataclass(frozen=True, slots=True)
class Hosted:
    """A bot to host.

    Attributes:
        name: at the server.
        how: which shipped bot it is, such as `greedy` or `ismcts:800`.
        games: what it plays.
    """

    name: str
    how: str
    games: tuple[str, ...]

    def make(self, game: str, seed: int) -> Bot:
        """Make the bot for one seat of one match."""
        return make_bot(game, self.how, seed)


async def host_bots(
    server: str, names: Sequence[str], seed: int, tokens: Path, registration_key: str
) -> None:
    """Host until SIGTERM or SIGINT, or until other processes have taken over every bot.

    Args:
        names: each a shipped bot, or `name=bot` for one under a name of its own.
        tokens: the file of their tokens.

    Raises:
        Mistake: a name is wrong or taken, or the file cannot be used.
        Unreachable: no server answers now; later it may be away.
        DragonhallError: the server refuses to register a bot.
    """
    async with connected(server, PATIENT) as client:
        games = [game.name for game in (await client.list_games()).games]
        bots = [hosted(name, games) for name in names]
        if len({bot.name for bot in bots}) < len(bots):
            raise Mistake("--names names a bot twice: give one of them a name, as twin=greedy")
        secrets = tokens_for(tokens, server, [bot.name for bot in bots])
        for bot in bots:
            await _register(client, bot, secrets, registration_key)
            print(f"{bot.name} plays {', '.join(bot.games)} at {server}", flush=True)
        await _until_stopped(*(_host(client, bot, seed, secrets, registration_key) for bot in bots))


def hosted(text: str, known: Sequence[str]) -> Hosted:
    """Read one of `--names`.

    Args:
        known: the games that the server knows.

    Raises:
        Mistake: there is no such bot.
    """
    name, _, how = text.rpartition("=")
    kind = how.partition(":")[0]
    games = tuple(game for game, bot in BOTS if bot == kind and game in known)
    if not games:
        shipped = ", ".join(sorted({bot for _, bot in BOTS}))
        raise Mistake(f"--names: no bot {how!r} plays a game of this server: {shipped}")
    for game in games:
        try:
            make_bot(game, how, 0)
        except ValueError as wrong:
            raise Mistake(f"--names: {wrong}") from None
    return Hosted(name or how.replace(":", "-"), how, games)


async def _register(
    client: Client, bot: Hosted, secrets: Mapping[str, str], registration_key: str
) -> None:
    try:
        await client.register_bot(
            secrets[bot.name], bot.name, bot.games, registration_key=registration_key
        )
    except NameTaken:
        raise Mistake(
            f"{bot.name} is another's at this server, was withdrawn, or plays other games: "
            f"choose a name, as mine={bot.how}"
        ) from None


async def _host(
    client: Client, bot: Hosted, seed: int, secrets: Mapping[str, str], registration_key: str
) -> None:
    while True:
        try:
            await play_bot(client, secrets[bot.name], bot.make, seed=seed)
        except BotNotFound:  # withdrawn, or the server has lost its store: registering tells
            await _register(client, bot, secrets, registration_key)
        else:
            print(f"{bot.name} is played by another process now", flush=True)
            return


async def _until_stopped(*work: "asyncio._CoroutineLike[None]") -> None:
    loop, stopping = asyncio.get_running_loop(), asyncio.Event()
    signals = (signal.SIGTERM, signal.SIGINT)
    for number in signals:
        loop.add_signal_handler(number, stopping.set)
    stop = asyncio.create_task(stopping.wait())
    bots = asyncio.gather(*work)
    try:
        await asyncio.wait((stop, bots), return_when=asyncio.FIRST_COMPLETED)
        if bots.done():
            bots.result()
    finally:
        stop.cancel()
        bots.cancel()
        await asyncio.gather(bots, return_exceptions=True)
        for number in signals:
            loop.remove_signal_handler(number)

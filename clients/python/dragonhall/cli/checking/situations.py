"""The hard situations, and what can go wrong in each."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from google.protobuf.duration_pb2 import Duration

from dragonhall.cli.checking.wire import Harm, Seen, Wire
from dragonhall.cli.choosing import choose_setup, find_game
from dragonhall.cli.showing import cause_text
from dragonhall.sdk import Client, new_token
from dragonhall.v1 import bot_service_pb2 as pb
from dragonhall.v1 import match_pb2

MOVE_LIMIT_S = 10.0
SHORT_LIMIT_S = 2.0
AWAY_S = 3.0
SILENCE_S = 3.0
"""The server calls a bot silent that says nothing for so long."""
_MATCHES = 5


class NotTried(Exception):
    """A situation cannot come up with this bot; the text says why."""


@dataclass
class Arena:
    """Where a bot is checked: the server, the wire to it, and whom it plays."""

    client: Client
    wire: Wire
    bot: str
    rival: str
    games: tuple[str, ...]

    async def begin(self, game: str, limit_s: float) -> str:
        """Begin a match between the bot, at seat 0, and its rival."""
        known = await find_game(self.client, game)
        options = match_pb2.MatchOptions(
            setup=choose_setup(known, "", known.min_seats), visibility=match_pb2.VISIBILITY_PUBLIC
        )
        options.clock.move_limit.CopyFrom(_duration(limit_s))
        options.clock.on_expiry = match_pb2.EXPIRY_ACTION_LOSE
        bots = {0: self.bot, 1: self.rival}
        return (await self.client.create_match(new_token(), options, bots=bots)).match_id

    async def end(self, match_id: str) -> list[str]:
        """Wait for the end of a match and say how the bot spoiled it."""
        async for _ in self.client.watch(match_id):
            pass
        match = (await self.client.get_match(match_id)).match
        if not match.outcome.results:
            return [f"match {match_id}: {cause_text(match.outcome.cause)}"]
        cause = match.outcome.results[0].cause
        if cause == match_pb2.OUTCOME_CAUSE_COMPLETED:
            return []
        why = [f"{each.reason}: {each.message}" for each in self.wire.seen.refused]
        told = f" ({why[-1]})" if why else ""
        return [f"its seat left at version {match.version}: {cause_text(cause)}{told}"]

    async def play(self, game: str, limit_s: float = MOVE_LIMIT_S) -> list[str]:
        """Play a whole match and say how the bot spoiled it."""
        return await self.end(await self.begin(game, limit_s))


def _duration(seconds: float) -> Duration:
    duration = Duration()
    duration.FromMilliseconds(round(seconds * 1000))
    return duration


async def _long_match(arena: Arena) -> list[str]:
    """Play the game with the most moves."""
    return await arena.play(arena.games[-1])


async def _one_legal_move(arena: Arena) -> list[str]:
    arena.wire.harm = Harm(forced=True)
    faults, seen = await arena.play(arena.games[0]), arena.wire.seen
    chosen = [pb.PlayMove.FromString(said) for answers in seen.answers.values() for said in answers]
    if outside := [move.index for move in chosen if move.index]:
        faults.append(f"it chose index {outside[0]} from a list of one move")
    return faults


async def _out_of_turn(arena: Arena) -> list[str]:
    if "dragonkeepers" not in arena.games:
        raise NotTried("the bot does not play dragonkeepers")
    faults: list[str] = []
    for _ in range(_MATCHES):
        faults = await arena.play("dragonkeepers")
        turns = arena.wire.seen.turns.values()
        if faults or any(turn.view.dragonkeepers.active != turn.seat for turn in turns):
            return faults
    raise NotTried(f"it did not come up in {_MATCHES} matches")


async def _short_clock(arena: Arena) -> list[str]:
    return await arena.play(arena.games[0], SHORT_LIMIT_S)


async def _repeated_turn(arena: Arena) -> list[str]:
    arena.wire.harm = Harm(repeat=True)
    faults = await arena.play(arena.games[0])
    at = next((at for at, said in arena.wire.seen.answers.items() if len(set(said)) > 1), None)
    if at is not None:
        faults.append(f"it answered version {at[1]} of a match twice, with different moves")
    return faults


async def _unknown_message(arena: Arena) -> list[str]:
    streams = arena.wire.seen.streams
    arena.wire.harm = Harm(unknown=True)
    faults = await arena.play(arena.games[0])
    if arena.wire.seen.streams > streams:
        faults.append("it broke the stream when a message came that it does not know")
    return faults


async def _reconnect(arena: Arena) -> list[str]:
    arena.wire.harm = Harm(cuts=3)
    faults = await arena.play(arena.games[0])
    if arena.wire.harm.cuts:
        faults.append("it did not open Play again after a cut in the middle of a turn")
    return faults


async def _restart(arena: Arena) -> list[str]:
    match_id = await arena.begin(arena.games[0], MOVE_LIMIT_S)
    async with asyncio.timeout(MOVE_LIMIT_S):
        while not arena.wire.seen.answers:
            await asyncio.sleep(0.01)
    streams = arena.wire.seen.streams
    arena.wire.harm = Harm(away=True)
    await asyncio.sleep(AWAY_S)
    arena.wire.harm = Harm()
    faults = await arena.end(match_id)
    if arena.wire.seen.streams == streams:
        faults.append(f"it did not come back to a server that was away for {AWAY_S:g} s")
    return faults


Situation = Callable[[Arena], Awaitable[list[str]]]
SITUATIONS: Mapping[str, Situation] = {
    "long-match": _long_match,
    "one-legal-move": _one_legal_move,
    "out-of-turn": _out_of_turn,
    "short-clock": _short_clock,
    "repeated-turn": _repeated_turn,
    "unknown-message": _unknown_message,
    "reconnect": _reconnect,
    "server-restart": _restart,
}
"""By the names under which they are reported."""


async def try_out(arena: Arena, situation: Situation) -> list[str]:
    """Play a situation and return what the bot did wrong in it.

    Raises:
        NotTried: it did not come up.
    """
    arena.wire.seen, arena.wire.harm = Seen(), Harm()
    try:
        faults = await situation(arena)
    except TimeoutError:
        faults = ["it did not answer its first turn"]
    finally:
        arena.wire.harm = Harm()
    while 0 < arena.wire.silence_s() < SILENCE_S:  # let it catch up, or fail
        await asyncio.sleep(0.05)
    silence_s = max(arena.wire.seen.longest_silence_s, arena.wire.silence_s())
    if silence_s >= SILENCE_S:
        faults.append(f"a ping had no answer for {silence_s:.1f} s")
    return faults

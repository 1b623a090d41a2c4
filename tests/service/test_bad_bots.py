"""Bots that hang, crash, cheat and flood: each gets its cause, and no other match is touched."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration

from dragonhall.bots.hosting import host_bot
from dragonhall.bots.random_bot import RandomBot
from dragonhall.sdk import Client, new_token
from dragonhall.v1 import bot_service_pb2 as pb
from dragonhall.v1 import game_pb2, match_pb2
from dragonhall_service.app import running_server
from dragonhall_service.config import Settings
from tests.service.driver import metadata, options
from tests.service.histories import causes, check_history
from tests.service.test_bots import GAMES, registered

LIMIT_S = 5
FLOOD = 2_000


class Bad:
    """A bot that does as its behaviour says; what it was told is kept."""

    def __init__(self, client: Client, token: str, behave: "Behaviour") -> None:
        method: Any = client._channel.stream_stream("/dragonhall.v1.BotService/Play")
        self.call = method(metadata=metadata(token))
        self.behave = behave
        self.pongs = True
        self.foreign: pb.PlayTurn | None = None
        self.told: list[str] = []

    async def send(self, request: pb.PlayRequest) -> None:
        await self.call.write(request.SerializeToString())

    async def move(self, turn: pb.PlayTurn, index: int = 0) -> None:
        move = pb.PlayMove(match_id=turn.match.match_id, version=turn.match.version, index=index)
        await self.send(pb.PlayRequest(move=move))

    async def run(self) -> None:
        """Play until the stream or the match ends."""
        if self.behave is not says_nothing:
            await self.send(pb.PlayRequest(hello=pb.PlayHello()))
        while (data := await self.call.read()) is not grpc.aio.EOF:
            response = pb.PlayResponse.FromString(data)
            kind = response.WhichOneof("body") or ""
            if kind == "refused":
                self.told.append(response.refused.reason)
            if kind == "ping" and self.pongs:
                await self.send(pb.PlayRequest(pong=pb.PlayPong()))
            if kind == "turn":
                await self.behave(self, response.turn)
            if kind == "ended":
                if self.behave is too_late and not self.told:
                    await self.behave(self, pb.PlayTurn(match=response.ended.match))
                    continue
                return


Behaviour = Callable[[Bad, pb.PlayTurn], Awaitable[None]]


async def hangs(bot: Bad, turn: pb.PlayTurn) -> None:
    bot.pongs = False


async def is_slow(bot: Bad, turn: pb.PlayTurn) -> None:
    pass


async def too_late(bot: Bad, turn: pb.PlayTurn) -> None:
    if turn.match.phase == match_pb2.MATCH_PHASE_OVER:
        await bot.move(turn)


async def crashes(bot: Bad, turn: pb.PlayTurn) -> None:
    bot.call.cancel()


async def cheats(bot: Bad, turn: pb.PlayTurn) -> None:
    await bot.move(turn, 10_000)


async def babbles(bot: Bad, turn: pb.PlayTurn) -> None:
    match = turn.match
    nonsense = pb.PlayMove(match_id=match.match_id, version=match.version)
    nonsense.move.CopyFrom(game_pb2.Move(notation="checkmate"))
    await bot.send(pb.PlayRequest(move=nonsense))


async def resigns(bot: Bad, turn: pb.PlayTurn) -> None:
    await bot.send(pb.PlayRequest(resign=pb.PlayResign(match_id=turn.match.match_id)))


async def floods(bot: Bad, turn: pb.PlayTurn) -> None:
    for _ in range(FLOOD // 2):
        await bot.send(pb.PlayRequest(pong=pb.PlayPong()))
        past = pb.PlayMove(match_id=turn.match.match_id, version=1, index=0)
        await bot.send(pb.PlayRequest(move=past))


async def sends_rubbish(bot: Bad, turn: pb.PlayTurn) -> None:
    await bot.call.write(b"\xff\xff\xff no message")


async def says_nothing(bot: Bad, turn: pb.PlayTurn) -> None:
    raise AssertionError("it was never welcome")


async def answers_twice(bot: Bad, turn: pb.PlayTurn) -> None:
    await bot.move(turn)
    await bot.move(turn)
    await bot.move(turn, len(turn.moves) - 1)


async def meddles(bot: Bad, turn: pb.PlayTurn) -> None:
    assert bot.foreign
    await bot.move(bot.foreign)
    await bot.move(turn)


CAUSES: dict[Behaviour, str] = {
    hangs: "SILENT",
    is_slow: "TIMED_OUT",
    too_late: "TIMED_OUT",
    floods: "TIMED_OUT",
    crashes: "CRASHED",
    sends_rubbish: "CRASHED",
    says_nothing: "CRASHED",
    cheats: "ILLEGAL",
    babbles: "ILLEGAL",
    resigns: "RESIGNED",
    answers_twice: "COMPLETED",
    meddles: "COMPLETED",
}
REFUSALS: dict[Behaviour, set[str]] = {
    too_late: {"VERSION_CONFLICT", "MATCH_OVER"},
    cheats: {"FIELD_INVALID"},
    babbles: {"FIELD_INVALID"},
    floods: {"VERSION_CONFLICT"},
    meddles: {"MATCH_NOT_FOUND"},
    answers_twice: {"REQUEST_ID_REUSED"},
}


@pytest.fixture
async def client(one_store_url: str) -> AsyncIterator[Client]:
    settings = Settings(
        redis_url=one_store_url, listen="127.0.0.1:0", drain_s=0, grace_s=1, bot_grace_s=1
    )
    async with running_server(settings) as server, Client(server.target) as opened:
        yield opened


async def until_over(client: Client, match_id: str) -> match_pb2.Match:
    async for _ in client.watch(match_id):
        pass
    await check_history(client, match_id)
    return (await client.get_match(match_id)).match


def clocked() -> match_pb2.MatchOptions:
    chosen = options()
    limit = Duration(seconds=LIMIT_S)
    chosen.clock.CopyFrom(match_pb2.Clock(move_limit=limit, on_expiry=match_pb2.EXPIRY_ACTION_LOSE))
    return chosen


async def test_each_bad_bot_gets_its_cause_and_harms_nobody(client: Client) -> None:
    def host(name: str) -> "asyncio.Task[None]":
        bot = host_bot(client, name, new_token(), GAMES, lambda game, seed: RandomBot(seed))
        return asyncio.create_task(bot)

    good = [host(name) for name in ("good", "good-too")]
    while {bot.name async for bot in client.list_bots()} < {"good", "good-too"}:
        await asyncio.sleep(0.05)
    bystanders = [
        await client.create_match(new_token(), options(), bots={0: "good", 1: "good-too"})
        for _ in range(3)
    ]
    foreign, _ = await registered(client), None
    untouched = await client.create_match(new_token(), options(), bots={0: foreign[0], 1: "good"})

    async def misbehave(behave: Behaviour) -> None:
        name, token = await registered(client)
        plays_on = CAUSES[behave] == "COMPLETED"
        bot = Bad(client, token, behave)
        bot.foreign = pb.PlayTurn(match=untouched)
        running = asyncio.create_task(bot.run())
        match = await client.create_match(
            new_token(), options() if plays_on else clocked(), bots={0: name, 1: "good"}
        )
        ended = await until_over(client, match.match_id)
        assert causes(ended)[0] == CAUSES[behave], behave.__name__
        await asyncio.wait((running,), timeout=20)
        if behave is too_late:
            await asyncio.wait_for(_until(lambda: bool(bot.told)), 20)
        assert REFUSALS.get(behave, set()) >= set(bot.told), behave.__name__
        assert bool(bot.told) == (behave in REFUSALS), behave.__name__
        bot.call.cancel()
        await asyncio.gather(running, return_exceptions=True)

    await asyncio.gather(*(misbehave(behave) for behave in CAUSES))
    for match in bystanders:
        assert set(causes(await until_over(client, match.match_id))) == {"COMPLETED"}
    now = (await client.get_match(untouched.match_id)).match
    assert (now.version, now.phase) == (untouched.version, match_pb2.MATCH_PHASE_RUNNING)
    for task in good:
        assert not task.done()
        task.cancel()


async def _until(holds: Callable[[], bool]) -> None:
    while not holds():
        await asyncio.sleep(0.01)

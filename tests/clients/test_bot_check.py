"""`dragonhall bot check`, on bots that do well and on bots that do one thing wrong."""

import asyncio
import json
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import grpc
import pytest

from dragonhall.bots.hosting import host_bot
from dragonhall.bots.random_bot import RandomBot
from dragonhall.sdk import Client, DragonhallError, new_token
from dragonhall.v1 import bot_service_pb2 as pb
from dragonhall.v1 import bot_service_pb2_grpc
from tests.clients.inside import Done, inside
from tests.service.driver import metadata


def free_address() -> str:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return f"127.0.0.1:{free.getsockname()[1]}"


async def checked(bot: Any, only: str, *more: str) -> Done:
    """Check a bot, a coroutine function of a target, that is started beside the check."""
    target = free_address()
    arguments = ("bot", "check", "mine", "--listen", target, "--only", only, "--wait", "60", *more)
    checking = asyncio.create_task(asyncio.to_thread(inside, *arguments))
    playing = asyncio.create_task(bot(target))
    done = await checking
    playing.cancel()
    await asyncio.gather(playing, return_exceptions=True)
    return done


async def register(client: Client, token: str, games: Sequence[str]) -> None:
    while True:
        try:
            await client.register_bot(token, "mine", games)
        except DragonhallError:  # the check has not begun to serve
            await asyncio.sleep(0.1)
        else:
            return


def good(*games: str) -> Any:
    async def play(target: str) -> None:
        token = new_token()
        async with Client(target) as client:
            await register(client, token, games)
            await host_bot(client, "mine", token, games, lambda game, seed: RandomBot(seed))

    return play


@dataclass(frozen=True)
class Careless:
    """A bot by hand; each flag is a mistake.

    Attributes:
        slow_s: it thinks for so long, and hears nothing meanwhile.
        fickle: it answers the same turn with another move when it comes again.
        strict: it hangs up at a message that it does not know.
        fragile: it ends when its stream does.
        blind: it takes the second move of every list, as if there always were one.
    """

    slow_s: float = 0.0
    fickle: bool = False
    strict: bool = False
    fragile: bool = False
    blind: bool = False

    async def __call__(self, target: str) -> None:
        token = new_token()
        async with Client(target) as client:
            await register(client, token, ["dragonheart"])
            stub: Any = bot_service_pb2_grpc.BotServiceStub(client._channel)
            while True:
                try:
                    await self._play(stub.Play(metadata=metadata(token)))
                except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
                    if self.fragile:
                        return
                await asyncio.sleep(0.1)

    async def _play(self, call: Any) -> None:
        await call.write(pb.PlayRequest(hello=pb.PlayHello()))
        times = 0
        while (response := await call.read()) is not grpc.aio.EOF:
            kind = response.WhichOneof("body")
            if kind is None and self.strict:
                call.cancel()
                return
            if kind == "ping":
                await call.write(pb.PlayRequest(pong=pb.PlayPong()))
            if kind == "turn":
                await asyncio.sleep(self.slow_s)
                times += 1
                await call.write(pb.PlayRequest(move=self._move(response.turn, times)))

    def _move(self, turn: pb.PlayTurn, times: int) -> pb.PlayMove:
        index = times % len(turn.moves) if self.fickle else int(self.blind)
        match = turn.match
        return pb.PlayMove(match_id=match.match_id, version=match.version, index=index)


async def test_a_good_bot_passes() -> None:
    only = "one-legal-move,short-clock,repeated-turn,unknown-message,reconnect,server-restart"
    done = await checked(good("dragonheart"), only, "--json")
    found = json.loads(done.stdout)
    faults = {each["situation"]: each["faults"] for each in found["situations"]}
    assert (done.returncode, faults) == (0, {name: [] for name in only.split(",")})
    assert [each["not_tried"] for each in found["situations"]] == [""] * 6
    assert (found["bot"], found["passed"]) == ("mine", True)


async def test_a_good_bot_passes_in_the_other_game() -> None:
    done = await checked(good("dragonheart", "dragonkeepers"), "out-of-turn")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[1:] == ["ok     out-of-turn"]


@pytest.mark.parametrize(
    ("bot", "situation", "told"),
    [
        (Careless(slow_s=4), "short-clock", "its seat left at version"),
        # Pings come every second: one of the first has no answer for 3 s at least, whenever it is.
        (Careless(slow_s=6), "short-clock", "a ping had no answer for"),
        (Careless(fickle=True), "repeated-turn", "twice, with different moves"),
        (Careless(strict=True), "unknown-message", "broke the stream"),
        (Careless(fragile=True), "reconnect", "did not open Play again"),
        (Careless(fragile=True), "server-restart", "did not come back"),
        (Careless(blind=True), "one-legal-move", "chose index 1 from a list of one"),
    ],
)
async def test_what_a_bot_does_wrong_is_told(bot: Careless, situation: str, told: str) -> None:
    done = await checked(bot, situation)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"WRONG  {situation}: " in done.stdout and told in done.stdout


async def test_a_careful_bot_by_hand_does_nothing_wrong() -> None:
    done = await checked(Careless(), "repeated-turn,unknown-message,reconnect")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--only", "checkmate"), "no checkmate: long-match"),
        (("--wait", "0.1"), "did not connect to"),
        (("--listen", "nowhere"), "cannot be listened on"),
    ],
)
async def test_a_mistake_is_one_line(more: tuple[str, ...], told: str) -> None:
    given = ("bot", "check", "mine", "--listen", free_address(), *more)
    done = await asyncio.to_thread(inside, *given)
    assert done.returncode == 2 and told in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_json_says_nothing_else() -> None:
    done = inside("bot", "check", "mine", "--listen", free_address(), "--wait", "0.1", "--json")
    assert (done.returncode, done.stdout) == (2, "")

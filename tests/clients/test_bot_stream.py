"""The SDK's side of Play against a server that does as it is told."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest

from dragonhall.sdk import Client, DragonhallError
from dragonhall.sdk.errors import BotNotFound
from dragonhall.sdk.play import play
from dragonhall.v1 import bot_service_pb2 as pb
from dragonhall.v1 import game_pb2, match_pb2, match_service_pb2
from dragonhall_service.api.errors import failure_of
from dragonhall_service.usecases.refusals import Reason, Refusal, bot_not_found
from tests.clients.fake import CUT, abort
from tests.clients.test_resume import patience
from tests.clients.test_retry import Waits

WELCOME = pb.PlayResponse(welcome=pb.PlayWelcome())
DRAINING = pb.PlayResponse(draining=match_service_pb2.Draining())
SUPERSEDED = pb.PlayResponse(superseded=match_service_pb2.Superseded())
PING = pb.PlayResponse(ping=pb.PlayPing())
AWAIT_MOVE = "a move"
Step = pb.PlayResponse | Refusal | str | asyncio.Event
"""Tell something, break, wait for a move, or for the test."""


def turn(match_id: str = "m", version: int = 4) -> pb.PlayResponse:
    return pb.PlayResponse(
        turn=pb.PlayTurn(match=match_pb2.Match(match_id=match_id, version=version))
    )


class Script:
    """Plays one list of steps a stream, and keeps the moves it is sent."""

    def __init__(self, streams: Sequence[Sequence[Step]]) -> None:
        self.streams = list(streams)
        self.moves: list[tuple[str, int, int]] = []

    async def play(self, requests: Any, context: Any) -> AsyncIterator[pb.PlayResponse]:
        for step in self.streams.pop(0):
            if isinstance(step, pb.PlayResponse):
                yield step
            elif isinstance(step, Refusal):
                await abort(context, step)
            elif isinstance(step, asyncio.Event):
                await step.wait()
            else:
                async for request in requests:
                    if (move := request.move).match_id:
                        self.moves.append((move.match_id, move.version, move.index))
                        break


@asynccontextmanager
async def scripted(*streams: Sequence[Step]) -> AsyncIterator[tuple[Script, Client]]:
    script, server = Script(streams), grpc.aio.server()
    method = grpc.stream_stream_rpc_method_handler(
        script.play, pb.PlayRequest.FromString, pb.PlayResponse.SerializeToString
    )
    methods: dict[str, Any] = {"Play": method}
    handler = grpc.method_handlers_generic_handler("dragonhall.v1.BotService", methods)
    server.add_generic_rpc_handlers((handler,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with Client(f"127.0.0.1:{port}", patience(Waits())) as client:
            yield script, client
    finally:
        await server.stop(None)


@pytest.mark.parametrize("end", [[DRAINING], [CUT], []], ids=["drained", "cut", "ended"])
async def test_a_thought_outlives_its_stream(end: list[Step]) -> None:
    thought = threading.Event()
    asked: list[str] = []

    def choose(asked_turn: pb.PlayTurn) -> int:
        asked.append(asked_turn.match.match_id)
        assert thought.wait(20)
        return 5

    anew = asyncio.Event()
    then: list[Step] = [WELCOME, turn(), PING, anew, AWAIT_MOVE, SUPERSEDED]
    async with scripted([WELCOME, turn(), *end], then) as (script, client):
        playing = asyncio.create_task(client.play("", choose))
        async with asyncio.timeout(20):
            while script.streams:
                await asyncio.sleep(0.01)
            thought.set()
            anew.set()
            await playing
    assert (asked, script.moves) == (["m"], [("m", 4, 5)])


@pytest.mark.parametrize("end", [[DRAINING], [CUT], []], ids=["drained", "cut", "ended"])
async def test_a_bot_that_has_nothing_to_do_outlives_any_number_of_servers(
    end: list[Step],
) -> None:
    async with scripted(*[[WELCOME, *end]] * 50, [WELCOME, SUPERSEDED]) as (script, client):
        await client.play("", lambda turn: 0)
    assert not script.streams


async def test_a_bot_that_is_never_welcome_gives_up() -> None:
    async with scripted(*[[CUT]] * 50) as (script, client):
        with pytest.raises(DragonhallError) as silent:
            await client.play("", lambda turn: 0)
    assert silent.value.reason == "DRAINING" and script.streams


async def test_who_is_taken_over_ends_without_finishing_its_thoughts() -> None:
    thought, said = threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def choose(asked_turn: pb.PlayTurn) -> int:
        loop.call_soon_threadsafe(said.set)
        assert thought.wait(20)
        return 0

    async with scripted([WELCOME, turn(), said, SUPERSEDED]) as (script, client):
        async with asyncio.timeout(10):
            await client.play("", choose)
    thought.set()
    assert not script.moves


async def test_what_a_bot_raises_comes_out_as_it_is() -> None:
    def choose(asked_turn: pb.PlayTurn) -> int:
        raise ValueError("no idea")

    def tell(response: pb.PlayResponse) -> None:
        raise KeyError("whose?")

    accepted: Step = pb.PlayResponse(accepted=pb.PlayAccepted())
    first: list[Step] = [turn(), asyncio.Event()]
    second: list[Step] = [accepted, asyncio.Event()]
    async with scripted(first, second) as (_, client):
        with pytest.raises(ValueError, match="no idea"):
            await client.play("", choose)
        with pytest.raises(KeyError):
            await client.play("", choose, tell)


async def test_a_refused_bot_is_told_at_once() -> None:
    refused_at_once: list[Step] = [Refusal(Reason.BOT_NOT_FOUND, "no such bot")]
    async with scripted(refused_at_once, refused_at_once) as (script, client):
        with pytest.raises(DragonhallError) as refused:
            await client.play("", lambda turn: 0)
    assert refused.value.reason == "BOT_NOT_FOUND" and len(script.streams) == 1


async def test_a_later_turn_of_a_match_is_another_thought() -> None:
    steps: list[Step] = [
        turn(version=4),
        AWAIT_MOVE,
        turn(version=6),
        AWAIT_MOVE,
        turn("n"),
        AWAIT_MOVE,
    ]
    async with scripted([WELCOME, *steps, SUPERSEDED]) as (script, client):
        await client.play("", lambda turn: turn.match.version + 1)
    assert script.moves == [("m", 4, 5), ("m", 6, 7), ("n", 4, 5)]


async def test_a_turn_that_comes_again_is_answered_in_the_same_way() -> None:
    luck = iter(range(10))
    steps: list[Step] = [turn(), AWAIT_MOVE, turn(), AWAIT_MOVE, turn(version=6), AWAIT_MOVE]
    async with scripted([WELCOME, *steps, SUPERSEDED]) as (script, client):
        await client.play("", lambda turn: next(luck))
    assert script.moves == [("m", 4, 0), ("m", 4, 0), ("m", 6, 1)]


async def test_a_version_that_comes_again_as_another_turn_is_thought_about_anew() -> None:
    """The store went back in time, and the other seat decided otherwise."""
    three, one = turn(), turn()
    three.turn.moves.extend(game_pb2.Move(notation=text) for text in ("D1", "D2", "D3"))
    one.turn.moves.add(notation="F4")
    steps: list[Step] = [three, AWAIT_MOVE, one, AWAIT_MOVE]
    async with scripted([WELCOME, *steps, SUPERSEDED]) as (script, client):
        await client.play("", lambda turn: len(turn.moves) - 1)
    assert script.moves == [("m", 4, 2), ("m", 4, 0)]


class LosesTheRace:
    """A call whose stream ends while a move is written: what the server said is still to be read.

    It stands for a race that a real connection loses once in some hundred runs.
    """

    def __init__(self) -> None:
        self._said = [WELCOME, turn()]
        self._broken = asyncio.Event()

    async def write(self, request: pb.PlayRequest) -> None:
        if request.WhichOneof("body") == "move":
            self._broken.set()
            nothing = grpc.aio.Metadata()
            raise grpc.aio.AioRpcError(
                grpc.StatusCode.INTERNAL, nothing, nothing, "Internal error from Core"
            )

    async def read(self) -> pb.PlayResponse:
        if self._said:
            return self._said.pop(0)
        await self._broken.wait()
        await asyncio.sleep(0)  # the failed write is heard of first
        return SUPERSEDED

    def cancel(self) -> None:
        pass


async def test_a_write_that_loses_the_race_does_not_hide_what_the_server_said() -> None:
    streams = [LosesTheRace()]
    async with asyncio.timeout(10):
        await play(lambda: streams.pop(), patience(Waits()), lambda turn: 0, lambda told: None, 0)
    assert not streams


class Ends:
    """A call that ends with a status at the first read."""

    def __init__(self, code: grpc.StatusCode, details: str, trailers: grpc.aio.Metadata) -> None:
        self._end = grpc.aio.AioRpcError(code, grpc.aio.Metadata(), trailers, details)

    async def write(self, request: pb.PlayRequest) -> None:
        pass

    async def read(self) -> pb.PlayResponse:
        raise self._end

    def cancel(self) -> None:
        pass


async def test_a_bot_withdrawn_while_it_writes_hears_so_when_it_comes_back() -> None:
    """A write that meets the end makes grpc.aio forget the server's status and give its own."""
    hidden = Ends(grpc.StatusCode.INTERNAL, "Internal error from Core", grpc.aio.Metadata())
    told = failure_of(bot_not_found())
    streams = [Ends(told.code, told.message, grpc.aio.Metadata(*told.trailers)), hidden]
    with pytest.raises(BotNotFound):
        await play(streams.pop, patience(Waits()), lambda turn: 0, lambda told: None, 0)
    assert not streams

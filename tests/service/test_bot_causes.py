"""Why a bot's seat left: slow, silent, crashed, or nobody's fault at all."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration

from dragonhall.sdk import Client, new_token
from dragonhall.v1 import bot_service_pb2 as pb
from dragonhall.v1 import bot_service_pb2_grpc, match_pb2
from dragonhall_engine import dragonheart
from dragonhall_service.app import running_server
from dragonhall_service.config import Settings
from dragonhall_service.store.access import plain
from dragonhall_service.store.bots import RedisBots
from dragonhall_service.store.connection import connect
from dragonhall_service.store.keys import bot_keys
from tests.service.driver import metadata, options, request_id

LIMIT_S = 4
GRACE_S = 1


@pytest.fixture
async def client(one_store_url: str) -> AsyncIterator[Client]:
    settings = Settings(
        redis_url=one_store_url,
        listen="127.0.0.1:0",
        drain_s=0,
        grace_s=1,
        bot_grace_s=GRACE_S,
    )
    async with running_server(settings) as server, Client(server.target) as opened:
        yield opened


async def connected(client: Client) -> tuple[str, Any]:
    """Register and connect a bot."""
    token, name = new_token(), f"bot-{request_id()}"
    await client.register_bot(token, name, ["dragonheart"])
    stub: Any = bot_service_pb2_grpc.BotServiceStub(client._channel)
    call = stub.Play(metadata=metadata(token))
    await call.write(pb.PlayRequest(hello=pb.PlayHello()))
    while (await call.read()).WhichOneof("body") != "ping":
        pass
    return name, call


async def clocked(client: Client, name: str) -> match_pb2.Match:
    """Seat a bot opposite a person, with a clock."""
    chosen = options()
    chosen.clock.CopyFrom(
        match_pb2.Clock(
            move_limit=Duration(seconds=LIMIT_S), on_expiry=match_pb2.EXPIRY_ACTION_LOSE
        )
    )
    match = await client.create_match(new_token(), chosen, bots={0: name})
    await client.join_match(match.match_id, new_token())
    return (await client.get_match(match.match_id)).match


async def ended(client: Client, match_id: str) -> match_pb2.Match:
    async for _ in client.watch(match_id):
        pass
    return (await client.get_match(match_id)).match


def cause_of(match: match_pb2.Match) -> str:
    name = match_pb2.OutcomeCause.Name(match.outcome.results[0].cause)
    return name.removeprefix("OUTCOME_CAUSE_")


async def test_a_bot_that_answers_pings_but_no_turn_is_slow(client: Client) -> None:
    name, call = await connected(client)
    match = await clocked(client, name)

    async def pong() -> None:
        while (response := await call.read()) is not grpc.aio.EOF:
            if response.WhichOneof("body") == "ping":
                await call.write(pb.PlayRequest(pong=pb.PlayPong()))

    alive = asyncio.create_task(pong())
    assert cause_of(await ended(client, match.match_id)) == "TIMED_OUT"
    alive.cancel()
    call.cancel()


async def test_a_bot_that_hangs_is_silent(client: Client) -> None:
    name, call = await connected(client)
    match = await clocked(client, name)
    assert cause_of(await ended(client, match.match_id)) == "SILENT"
    call.cancel()


async def test_a_bot_that_goes_away_gets_a_little_more_time_and_has_then_crashed(
    client: Client,
) -> None:
    name, call = await connected(client)
    match = await clocked(client, name)
    call.cancel()
    last = await ended(client, match.match_id)
    assert cause_of(last) == "CRASHED"
    events = [event async for event in client.list_events(match.match_id)]
    late_ms = events[-1].commit_time.ToMilliseconds() - match.clock.due_time.ToMilliseconds()
    assert late_ms >= GRACE_S * 1000


async def test_a_bot_that_never_came_has_crashed(client: Client) -> None:
    name = f"bot-{request_id()}"
    await client.register_bot(new_token(), name, ["dragonheart"])
    match = await clocked(client, name)
    assert cause_of(await ended(client, match.match_id)) == "CRASHED"


async def test_a_bot_whose_server_was_killed_gets_the_same(
    client: Client, one_store_url: str
) -> None:
    name, call = await connected(client)
    match = await clocked(client, name)
    call.cancel()
    store = connect(one_store_url, retries=1, connections=2)
    bots = RedisBots(plain(store, store))
    while await bots.presence(name):
        await asyncio.sleep(0.05)
    await bots.connect(name, "of a server that dies at once")
    presence: Any = bot_keys(name).presence
    await store.hset(presence, "since", 0)  # and that had asked in time
    last = await ended(client, match.match_id)
    await store.aclose()
    assert cause_of(last) == "CRASHED"
    events = [event async for event in client.list_events(match.match_id)]
    late_ms = events[-1].commit_time.ToMilliseconds() - match.clock.due_time.ToMilliseconds()
    assert late_ms >= GRACE_S * 1000


async def test_a_fault_of_the_server_blames_nobody(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, call = await connected(client)
    match = await clocked(client, name)

    def broken(*_: Any) -> Any:
        raise RuntimeError("planted: the hand is D1 D2")

    monkeypatch.setattr(dragonheart, "apply", broken)
    move = pb.PlayMove(match_id=match.match_id, version=match.version, index=0)
    while (await call.read()).WhichOneof("body") != "turn":
        pass
    await call.write(pb.PlayRequest(move=move))
    said: list[pb.PlayResponse] = []
    while not said or said[-1].WhichOneof("body") != "ended":
        said.append(await call.read())
    refused = next(each.refused for each in said if each.WhichOneof("body") == "refused")
    assert (refused.reason, refused.message) == ("INTERNAL", "internal error")
    outcome = said[-1].ended.match.outcome
    assert outcome == match_pb2.Outcome(cause=match_pb2.OUTCOME_CAUSE_SERVER_FAULT)
    call.cancel()

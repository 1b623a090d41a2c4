"""A bot that was withdrawn: no match waits for it, whatever it or its hosts asked before."""

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from redis.asyncio import Redis

from dragonhall.sdk import Client, DragonhallError, new_token
from dragonhall.v1 import match_pb2
from dragonhall.v1 import match_service_pb2 as pb
from dragonhall_service.app import running_server
from dragonhall_service.config import Settings
from dragonhall_service.store.access import plain
from dragonhall_service.store.bots import RedisBots
from dragonhall_service.store.connection import connect
from tests.service.driver import metadata, options, request_id, stub_of
from tests.service.test_bots import ByHand, registered


@pytest.fixture
async def client(one_store_url: str) -> AsyncIterator[Client]:
    settings = Settings(redis_url=one_store_url, listen="127.0.0.1:0", drain_s=0, grace_s=1)
    async with running_server(settings) as server, Client(server.target) as opened:
        yield opened


@pytest.fixture
async def bots(one_store_url: str) -> AsyncIterator[RedisBots]:
    reads: Redis = connect(one_store_url, retries=1, connections=8)
    yield RedisBots(plain(reads, reads))
    await reads.aclose()


async def test_a_match_that_waits_for_players_is_called_off(client: Client) -> None:
    name, token = await registered(client)
    match = await client.create_match(new_token(), options(), bots={0: name})
    await client.revoke_bot(name, token)
    with pytest.raises(DragonhallError) as late:
        await client.join_match(match.match_id, new_token())
    assert late.value.reason == "MATCH_OVER"
    over = (await client.get_match(match.match_id)).match
    assert over.outcome.cause == match_pb2.OUTCOME_CAUSE_ABORTED


async def test_a_bot_that_is_withdrawn_while_its_match_is_made_leaves_it(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, token = await registered(client)
    assign = RedisBots.assign

    async def withdrawn(self: RedisBots, bot: str, match_id: str) -> None:
        await assign(self, bot, match_id)
        await client.revoke_bot(name, token)  # finds no match yet

    monkeypatch.setattr(RedisBots, "assign", withdrawn)
    match = await client.create_match(new_token(), options(), bots={0: name})
    over = (await client.get_match(match.match_id)).match
    assert over.outcome.cause == match_pb2.OUTCOME_CAUSE_ABORTED


async def test_no_request_of_its_own_protects_it(client: Client) -> None:
    name, token = await registered(client)
    match = await client.create_match(new_token(), options())
    stub: Any = stub_of(client._channel)
    for request, who in (("revoked", token), (request_id(), new_token())):
        join = pb.JoinMatchRequest(match_id=match.match_id, request_id=request, token=who)
        await stub.JoinMatch(join, metadata=metadata(who))
    await client.revoke_bot(name, token)
    over = (await client.get_match(match.match_id)).match
    assert over.outcome.results[0].cause == match_pb2.OUTCOME_CAUSE_LEFT


async def test_no_request_of_its_own_makes_an_illegal_answer_free(client: Client) -> None:
    name, token = await registered(client)
    person, stub = new_token(), stub_of(client._channel)
    match_id = (await client.create_match(new_token(), options(), bots={0: name})).match_id
    await client.join_match(match_id, person)
    for request, who in (("forfeit-6", token), ("any", person)):
        legal = await client.legal_moves(match_id, who)
        move = pb.SubmitMoveRequest(
            match_id=match_id,
            request_id=request,
            expected_version=legal.version,
            move=legal.moves[0],
        )
        await stub.SubmitMove(move, metadata=metadata(who))
    stream = ByHand(client, token)
    await stream.hello()
    turn = (await stream.next("turn")).turn
    assert turn.match.version == 6
    await stream.answer(turn, 10_000)
    ended = (await stream.next("ended")).ended
    assert ended.match.outcome.results[0].cause == match_pb2.OUTCOME_CAUSE_ILLEGAL
    stream.call.cancel()


async def test_its_host_still_finds_the_match(client: Client) -> None:
    name, token = await registered(client)
    host, request = new_token(), request_id()
    made = await client.create_match(host, options(), bots={0: name}, request_id=request)
    await client.revoke_bot(name, token)
    again = await client.create_match(host, options(), bots={0: name}, request_id=request)
    assert again.match_id == made.match_id


async def test_it_is_assigned_nothing_more(client: Client, bots: RedisBots) -> None:
    name, token = await registered(client)
    for _ in range(3):
        await client.create_match(new_token(), options(), bots={0: name})
    assert len(await bots.assigned(name)) == 3
    await client.revoke_bot(name, token)
    assert await bots.assigned(name) == []
    stream = ByHand(client, token)
    with pytest.raises((grpc.aio.AioRpcError, AssertionError)):
        await stream.hello()

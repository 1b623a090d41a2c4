"""What a bot's stream survives: races at its beginning, lost and broken matches, a full table."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from redis.asyncio import Redis

from dragonhall.sdk import Client, new_token
from dragonhall.v1 import bot_service_pb2 as pb
from dragonhall.v1 import match_pb2
from dragonhall_service.api import bots as api_bots
from dragonhall_service.app import Server, running_server
from dragonhall_service.config import Settings
from dragonhall_service.embedded import embedded_store
from dragonhall_service.store.access import plain
from dragonhall_service.store.bots import RedisBots
from dragonhall_service.store.connection import connect
from dragonhall_service.store.keys import keys_of
from dragonhall_service.usecases import play_seats, playing
from tests.service.driver import info_of, options
from tests.service.test_bots import ByHand, registered


@pytest.fixture
async def server(one_store_url: str) -> AsyncIterator[Server]:
    settings = Settings(redis_url=one_store_url, listen="127.0.0.1:0", drain_s=0, grace_s=1)
    async with running_server(settings) as opened:
        yield opened


@pytest.fixture
async def client(server: Server) -> AsyncIterator[Client]:
    async with Client(server.target) as opened:
        yield opened


@pytest.fixture
async def store(one_store_url: str) -> AsyncIterator["Redis"]:
    reads = connect(one_store_url, retries=1, connections=32)
    yield reads
    await reads.aclose()


async def seated(client: Client, name: str, opponent: str = "") -> str:
    """Seat a bot opposite a person and return the match."""
    match = await client.create_match(new_token(), options(), bots={0: name})
    await client.join_match(match.match_id, opponent or new_token())
    return match.match_id


async def test_a_bot_that_joins_its_own_match_while_it_plays_is_asked(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, token = await registered(client)
    match = await client.create_match(token, options())
    stream = ByHand(client, token)
    await stream.hello()
    assign = RedisBots.assign

    async def slowly(self: RedisBots, bot: str, match_id: str) -> None:
        await assign(self, bot, match_id)
        await asyncio.sleep(0.5)  # the stream looks for the seat before it is taken

    monkeypatch.setattr(RedisBots, "assign", slowly)
    await client.join_match(match.match_id, token)
    await client.join_match(match.match_id, new_token())
    assert (await stream.next("turn")).turn.match.match_id == match.match_id
    stream.call.cancel()


async def test_a_seat_that_is_taken_while_the_match_is_given_up_is_found(
    client: Client, store: "Redis", monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its stream has looked for the last time, and has not forgotten the match yet."""
    monkeypatch.setattr(play_seats, "ABSENT_S", 0.0)
    name, token = await registered(client)
    match = await client.create_match(new_token(), options())
    stream = ByHand(client, token)
    await stream.hello()
    forget, forgetting, go_on = RedisBots.unassign, asyncio.Event(), asyncio.Event()

    async def slowly(self: RedisBots, bot: str, match_id: str) -> None:
        forgetting.set()
        await go_on.wait()
        await forget(self, bot, match_id)

    monkeypatch.setattr(RedisBots, "unassign", slowly)
    await RedisBots(plain(store, store)).assign(name, match.match_id)
    await forgetting.wait()
    await client.join_match(match.match_id, token)
    go_on.set()
    await client.join_match(match.match_id, new_token())
    assert (await stream.next("turn")).turn.match.match_id == match.match_id
    stream.call.cancel()


async def test_a_bot_is_told_of_its_seat_once_more_when_the_match_is_there(
    client: Client, store: "Redis", monkeypatch: pytest.MonkeyPatch
) -> None:
    assign, there = RedisBots.assign, list[int]()

    async def noted(self: RedisBots, bot: str, match_id: str) -> None:
        there.append(await store.exists(keys_of(match_id).match))
        await assign(self, bot, match_id)

    monkeypatch.setattr(RedisBots, "assign", noted)
    name, _ = await registered(client)
    await client.create_match(new_token(), options(), bots={0: name})
    assert there == [0, 1]


async def test_the_newest_stream_holds_its_place_whatever_the_older_one_says(
    store: "Redis",
) -> None:
    bots = RedisBots(plain(store, store))
    for number in range(20):
        new = f"new-{number}"
        older = [bots.stay("raced", f"new-{number - 1}", 0, anew=False) for _ in range(16)]
        await asyncio.gather(*older[:8], bots.connect("raced", new), *older[8:])
        assert await bots.stay("raced", new, 0, anew=False)


@pytest.mark.parametrize("harm", ["lost", "corrupt"])
async def test_a_broken_match_does_not_spoil_another(
    client: Client, store: "Redis", harm: str
) -> None:
    name, token = await registered(client)
    broken, whole = await seated(client, name), await seated(client, name)
    stream = ByHand(client, token)
    await stream.hello()
    turns: dict[str, pb.PlayTurn] = {}
    while len(turns) < 2:
        turn = (await stream.next("turn")).turn
        turns[turn.match.match_id] = turn
    keys = keys_of(broken)
    if harm == "lost":
        await store.delete(keys.match, keys.log)
    else:
        await store.hset(keys.match, "state", b"nonsense")
        await stream.answer(turns[broken])
        assert (await stream.next("refused")).refused.reason == "CORRUPT"
        assert await store.hget(keys.match, "phase") == b"running", "it is nobody's to end"
    for _ in range(4):
        await stream.next("ping")
    await stream.answer(turns[whole])
    assert (await stream.next("accepted")).accepted.match_id == whole
    stream.call.cancel()
    await store.zrem(keys.live, broken)


async def test_a_match_that_cannot_be_read_is_left_as_it_is(client: Client, store: "Redis") -> None:
    name, token = await registered(client)
    match_id = await seated(client, name)
    keys = keys_of(match_id)
    await store.hset(keys.match, "state", b"nonsense")
    before = await store.hgetall(keys.match)
    stream = ByHand(client, token)
    await stream.hello()
    for _ in range(3):
        await stream.next("ping")
    assert await store.hgetall(keys.match) == before
    assert "turn" not in stream.skipped
    stream.call.cancel()
    await store.zrem(keys.live, match_id)


async def test_a_full_store_ends_neither_stream_nor_match() -> None:
    with embedded_store() as url:
        settings = Settings(redis_url=url, listen="127.0.0.1:0", drain_s=0, grace_s=1)
        async with running_server(settings) as server, Client(server.target) as client:
            admin: Redis = connect(url, retries=1, connections=1)
            name, token = await registered(client)
            match_id = await seated(client, name)
            stream = ByHand(client, token)
            await stream.hello()
            turn = (await stream.next("turn")).turn
            await admin.config_set("maxmemory", "1mb")
            await stream.answer(turn)
            assert (await stream.next("refused")).refused.reason == "STORAGE"
            for _ in range(3):
                await stream.next("ping")
            await admin.config_set("maxmemory", "0")
            await stream.answer(turn)
            await stream.next("accepted")
            match = (await client.get_match(match_id)).match
            assert match.phase == match_pb2.MATCH_PHASE_RUNNING
            stream.call.cancel()
            await admin.aclose()


async def test_a_turn_that_waited_for_its_place_is_as_the_match_is_now(client: Client) -> None:
    name, token = await registered(client)
    opponents = [new_token(), new_token()]
    matches = [await seated(client, name, opponent) for opponent in opponents]
    stream = ByHand(client, token)
    await stream.hello(capacity=1)
    first = (await stream.next("turn")).turn
    waiting = 1 - matches.index(first.match.match_id)
    await stream.next("ping")
    await client.resign_match(matches[waiting], opponents[waiting])
    await stream.answer(first)
    ended = (await stream.next("ended")).ended
    assert ended.match.match_id == matches[waiting] and "turn" not in stream.skipped
    stream.call.cancel()


async def test_who_never_says_hello_is_sent_away(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api_bots, "HELLO_S", 0.2)
    _, token = await registered(client)
    stream = ByHand(client, token)
    with pytest.raises(grpc.aio.AioRpcError) as sent_away:
        await stream.next("welcome")
    assert info_of(sent_away.value).metadata["field"] == "hello"


async def test_a_stopping_server_says_so_at_once(
    server: Server, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playing, "PING_S", 3600)  # it does not wait for its next ping to say so
    _, token = await registered(client)
    stream = ByHand(client, token)
    await stream.hello()
    await stream.next("ping")
    server.feeds.drain()
    await stream.next("draining")
    assert await stream.call.read() is grpc.aio.EOF
    assert await stream.call.code() is grpc.StatusCode.OK


async def test_revoking_again_says_the_same(client: Client) -> None:
    name, token = await registered(client)
    first = await client.revoke_bot(name, token)
    assert first.revoked and await client.revoke_bot(name, token) == first


async def test_a_turn_is_sent_once_a_stream(client: Client, store: "Redis") -> None:
    name, token = await registered(client)
    match_id = await seated(client, name)
    stream = ByHand(client, token)
    await stream.hello()
    turn: pb.PlayTurn = (await stream.next("turn")).turn
    stream.skipped.clear()
    keys = keys_of(match_id)
    entries: Any = await store.xrange(keys.log)
    await store.delete(keys.log)  # the log of a match that is still there
    for _ in range(4):
        await stream.next("ping")
    for at, fields in entries:
        await store.xadd(keys.log, fields, id=at)
    await stream.answer(turn)
    assert (await stream.next("accepted")).accepted.match_id == match_id
    assert "turn" not in stream.skipped
    assert (await client.get_match(match_id)).match.phase == match_pb2.MATCH_PHASE_RUNNING
    stream.call.cancel()

"""Bots over Play: turns, answers, take-over, revocation; through the SDK and by hand."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from dragonhall.bots.hosting import host_bot
from dragonhall.bots.random_bot import RandomBot
from dragonhall.sdk import Client, DragonhallError, new_token
from dragonhall.v1 import bot_service_pb2 as pb
from dragonhall.v1 import bot_service_pb2_grpc, match_pb2
from dragonhall_service.app import running_server
from dragonhall_service.config import Settings
from tests.service.driver import info_of, metadata, options, request_id

GAMES = ["dragonheart"]


@pytest.fixture
async def client(one_store_url: str) -> AsyncIterator[Client]:
    settings = Settings(redis_url=one_store_url, listen="127.0.0.1:0", drain_s=0, grace_s=1)
    async with running_server(settings) as server, Client(server.target) as opened:
        yield opened


class ByHand:
    """A bot's stream, spoken message by message."""

    def __init__(self, client: Client, token: str) -> None:
        stub: Any = bot_service_pb2_grpc.BotServiceStub(client._channel)
        self.call = stub.Play(metadata=metadata(token))
        self.skipped: list[str] = []

    async def hello(self, capacity: int = 0) -> pb.PlayResponse:
        await self.call.write(pb.PlayRequest(hello=pb.PlayHello(capacity=capacity)))
        return await self.next("welcome")

    async def next(self, body: str) -> pb.PlayResponse:
        """Read to the next message of a kind; pings are answered, others skipped."""
        while (response := await self.call.read()) is not grpc.aio.EOF:
            kind = response.WhichOneof("body")
            if kind == "ping":
                await self.call.write(pb.PlayRequest(pong=pb.PlayPong()))
            if kind == body:
                found: pb.PlayResponse = response
                return found
            self.skipped.append(kind)
        raise AssertionError(f"the stream ended without {body}")

    async def answer(self, turn: pb.PlayTurn, index: int = 0) -> None:
        move = pb.PlayMove(match_id=turn.match.match_id, version=turn.match.version, index=index)
        await self.call.write(pb.PlayRequest(move=move))


async def registered(client: Client, name: str = "") -> tuple[str, str]:
    """Register a bot and return its name and token."""
    token, name = new_token(), name or f"bot-{request_id()}"
    await client.register_bot(token, name, GAMES)
    return name, token


async def until_over(client: Client, match_id: str) -> match_pb2.Match:
    async for _ in client.watch(match_id):
        pass
    return (await client.get_match(match_id)).match


# ---- registering --------------------------------------------------------------------------------


async def test_a_bot_is_registered_once_and_listed(client: Client) -> None:
    name, token = await registered(client)
    again = await client.register_bot(token, name, GAMES)
    assert (again.name, list(again.games), again.connected) == (name, GAMES, False)
    assert name in [bot.name async for bot in client.list_bots()]
    with pytest.raises(DragonhallError) as refused:
        await client.register_bot(new_token(), name, GAMES)
    assert refused.value.reason == "NAME_TAKEN"
    with pytest.raises(DragonhallError) as refused:
        await client.register_bot(token, f"{name}-b", GAMES)
    assert refused.value.reason == "NAME_TAKEN"


@pytest.mark.parametrize("name", ["", "A", "-a", "a b", "a" * 33])
async def test_a_bad_name_is_refused(client: Client, name: str) -> None:
    with pytest.raises(DragonhallError) as refused:
        await client.register_bot(new_token(), name, GAMES)
    assert refused.value.metadata["field"] == "name"


@pytest.mark.parametrize("games", [[], ["chess"], ["dragonheart", "dragonheart"]])
async def test_bad_games_are_refused(client: Client, games: list[str]) -> None:
    with pytest.raises(DragonhallError) as refused:
        await client.register_bot(new_token(), "any", games)
    assert refused.value.metadata["field"].startswith("games")


async def test_a_server_with_a_key_asks_for_it(one_store_url: str) -> None:
    settings = Settings(
        redis_url=one_store_url, listen="127.0.0.1:0", drain_s=0, grace_s=1, registration_key="k"
    )
    async with running_server(settings) as server, Client(server.target) as client:
        for wrong in ("", "K", "ключ"):
            with pytest.raises(DragonhallError) as refused:
                await client.register_bot(new_token(), "keyed", GAMES, registration_key=wrong)
            assert refused.value.reason == "REGISTRATION_REFUSED"
        await client.register_bot(new_token(), "keyed", GAMES, registration_key="k")


# ---- playing ------------------------------------------------------------------------------------


async def test_a_host_names_two_bots_and_they_play_to_the_end(client: Client) -> None:
    playing = []
    for name in ("anna", "bert"):
        bot = host_bot(client, name, new_token(), GAMES, lambda game, seed: RandomBot(seed))
        playing.append(asyncio.create_task(bot))
    await asyncio.sleep(0.2)
    names = {0: "anna", 1: "bert"}
    created = [await client.create_match(new_token(), options(), bots=names) for _ in range(3)]
    assert created[0].phase == match_pb2.MATCH_PHASE_RUNNING
    assert [(seat.bot, seat.player_name) for seat in created[0].seats] == [
        ("anna", "anna"),
        ("bert", "bert"),
    ]
    for match in created:
        ended = await until_over(client, match.match_id)
        assert ended.outcome.cause == match_pb2.OUTCOME_CAUSE_COMPLETED
    for task in playing:
        assert not task.done()
        task.cancel()


async def test_a_bot_joins_by_itself_and_is_asked(client: Client) -> None:
    name, token = await registered(client)
    match = await client.create_match(new_token(), options())
    assert await client.join_match(match.match_id, token) == 0
    await client.join_match(match.match_id, new_token())
    stream = ByHand(client, token)
    assert (await stream.hello()).welcome.bot.name == name
    turn = (await stream.next("turn")).turn
    assert (turn.match.match_id, turn.seat, turn.match.version) == (match.match_id, 0, 4)
    listed = await client.legal_moves(match.match_id, token)
    assert list(turn.moves) == list(listed.moves)
    assert turn.view == (await client.get_match(match.match_id, token)).view
    await stream.answer(turn, 1)
    accepted = (await stream.next("accepted")).accepted
    assert (accepted.match_id, accepted.version, accepted.replayed) == (match.match_id, 4, False)
    await stream.answer(turn, 1)
    assert (await stream.next("accepted")).accepted.replayed
    stream.call.cancel()


async def lone(client: Client, **more: Any) -> tuple[ByHand, pb.PlayTurn, str]:
    """Seat a bot that is spoken by hand opposite a person, and return its first turn."""
    name, token = await registered(client)
    match = await client.create_match(new_token(), options(), bots={0: name})
    await client.join_match(match.match_id, new_token())
    stream = ByHand(client, token)
    await stream.hello(**more)
    return stream, (await stream.next("turn")).turn, token


async def test_an_open_turn_comes_again_after_a_reconnect(client: Client) -> None:
    stream, turn, token = await lone(client)
    stream.call.cancel()
    again = ByHand(client, token)
    await again.hello()
    repeated = (await again.next("turn")).turn
    for same in (turn, repeated):
        same.match.ClearField("clock")
    assert repeated == turn
    await again.answer(repeated)
    await again.next("accepted")
    again.call.cancel()


async def test_a_newer_stream_takes_over(client: Client) -> None:
    older, _, token = await lone(client)
    newer = ByHand(client, token)
    await newer.hello()
    await older.next("superseded")
    assert await older.call.read() is grpc.aio.EOF
    assert await older.call.code() is grpc.StatusCode.OK
    turn = (await newer.next("turn")).turn
    await newer.answer(turn)
    await newer.next("accepted")
    newer.call.cancel()


async def test_who_is_taken_over_hears_of_it_even_if_it_is_just_speaking(client: Client) -> None:
    older, _, token = await lone(client)
    newer = ByHand(client, token)
    await newer.hello()
    await newer.next("turn")
    await asyncio.sleep(0.2)  # the older stream has been told by now, and has not listened yet
    for _ in range(3):
        await older.call.write(pb.PlayRequest(pong=pb.PlayPong()))
        await asyncio.sleep(0.05)
    await older.next("superseded")
    assert await older.call.read() is grpc.aio.EOF
    newer.call.cancel()


async def test_who_is_taken_over_is_asked_nothing_more(client: Client) -> None:
    name, token = await registered(client)
    person = new_token()
    match = await client.create_match(new_token(), options(), bots={0: name})
    await client.join_match(match.match_id, person)
    older, newer = ByHand(client, token), ByHand(client, token)
    await older.hello()
    await older.next("turn")
    await newer.hello()
    await newer.answer((await newer.next("turn")).turn)
    await newer.next("accepted")
    listed = await client.legal_moves(match.match_id, person)
    await client.submit_move(match.match_id, person, listed.version, listed.moves[0])
    again = (await newer.next("turn")).turn
    await older.next("superseded")
    assert await older.call.read() is grpc.aio.EOF
    newer.call.cancel()
    async with asyncio.timeout(10):
        while True:
            calls = (await client.list_bot_calls(token)).calls
            if [call.kind for call in calls].count(pb.BOT_CALL_KIND_DISCONNECTED) == 2:
                break
            await asyncio.sleep(0.05)
    asked = [call.version for call in calls if call.kind == pb.BOT_CALL_KIND_TURN]
    assert sorted(asked) == [4, 4, again.match.version]


async def test_an_answer_by_its_place_may_be_sent_again_later(client: Client) -> None:
    stream, turn, token = await lone(client)
    await stream.answer(turn, 1)
    await stream.next("accepted")
    stream.call.cancel()
    again = ByHand(client, token)
    await again.hello()
    await again.answer(turn, 1)
    assert (await again.next("accepted")).accepted.replayed
    again.call.cancel()


async def test_an_illegal_answer_loses(client: Client) -> None:
    stream, turn, _ = await lone(client)
    await stream.answer(turn, 10_000)
    assert (await stream.next("refused")).refused.reason == "FIELD_INVALID"
    ended = (await stream.next("ended")).ended
    assert ended.match.outcome.results[0].cause == match_pb2.OUTCOME_CAUSE_ILLEGAL
    assert [result.rank for result in ended.match.outcome.results] == [2, 1]
    stream.call.cancel()


async def test_a_late_answer_and_one_for_a_foreign_match_change_nothing(client: Client) -> None:
    stream, turn, _ = await lone(client)
    other, foreign, _ = await lone(client)
    await stream.answer(turn)
    await stream.next("accepted")
    late = pb.PlayMove(match_id=turn.match.match_id, version=3, index=0)
    await stream.call.write(pb.PlayRequest(move=late))
    assert (await stream.next("refused")).refused.reason == "VERSION_CONFLICT"
    await stream.answer(foreign)
    assert (await stream.next("refused")).refused.reason == "MATCH_NOT_FOUND"
    versions = [
        (await client.get_match(each.match.match_id)).match.version for each in (turn, foreign)
    ]
    assert versions == [5, 4]
    for one in (stream, other):
        one.call.cancel()


async def test_a_bot_resigns(client: Client) -> None:
    stream, turn, _ = await lone(client)
    resign = pb.PlayResign(match_id=turn.match.match_id)
    await stream.call.write(pb.PlayRequest(resign=resign))
    ended = (await stream.next("ended")).ended
    assert ended.match.outcome.results[0].cause == match_pb2.OUTCOME_CAUSE_RESIGNED
    stream.call.cancel()


async def test_capacity_bounds_the_open_turns(client: Client) -> None:
    name, token = await registered(client)
    for _ in range(3):
        match = await client.create_match(new_token(), options(), bots={0: name})
        await client.join_match(match.match_id, new_token())
    stream = ByHand(client, token)
    await stream.hello(capacity=1)
    asked = []
    for _ in range(3):
        turn = (await stream.next("turn")).turn
        asked.append(turn.match.match_id)
        stream.skipped.clear()
        await stream.next("ping")
        await stream.next("ping")
        assert "turn" not in stream.skipped
        await stream.answer(turn)
    assert len(set(asked)) == 3
    stream.call.cancel()


async def test_a_revoked_bot_leaves_and_its_token_opens_nothing(client: Client) -> None:
    stream, turn, token = await lone(client)
    name = turn.match.seats[0].bot
    assert (await client.revoke_bot(name, token)).revoked
    match = (await client.get_match(turn.match.match_id)).match
    assert match.outcome.results[0].cause == match_pb2.OUTCOME_CAUSE_LEFT
    with pytest.raises((grpc.aio.AioRpcError, AssertionError)):
        while True:
            await stream.next("refused")
    for attempt in (
        client.list_bot_calls(token),
        client.play(token, lambda turn: 0),
        client.create_match(new_token(), options(), bots={0: name}),
    ):
        with pytest.raises(DragonhallError) as refused:
            await attempt
        assert refused.value.reason == "BOT_NOT_FOUND"


async def test_an_author_reads_what_its_bot_did(client: Client) -> None:
    stream, turn, token = await lone(client)
    await stream.answer(turn)
    await stream.next("accepted")
    await stream.answer(turn, 10_000)
    await stream.next("refused")
    stream.call.cancel()
    async with asyncio.timeout(10):
        while True:
            calls = (await client.list_bot_calls(token)).calls
            kinds = [
                pb.BotCallKind.Name(call.kind).removeprefix("BOT_CALL_KIND_") for call in calls
            ]
            if "DISCONNECTED" in kinds:
                break
            await asyncio.sleep(0.05)
    assert kinds == ["CONNECTED", "TURN", "MOVE", "REFUSED", "DISCONNECTED"]
    assert calls[2].text == turn.moves[0].notation


@pytest.mark.parametrize(
    ("bots", "field"),
    [
        ({2: "{0}"}, "bots[0].seat"),
        ({0: "{0}", 1: "{0}"}, "bots[1].bot"),
        ({0: "No Name"}, "bots[0].bot"),
    ],
)
async def test_a_host_that_names_nonsense_is_refused(
    client: Client, bots: dict[int, str], field: str
) -> None:
    name, _ = await registered(client)
    given = {seat: bot.format(name) for seat, bot in bots.items()}
    with pytest.raises(DragonhallError) as refused:
        await client.create_match(new_token(), options(), bots=given)
    assert refused.value.metadata["field"] == field


async def test_play_needs_a_bot_and_a_hello(client: Client) -> None:
    with pytest.raises(DragonhallError) as refused:
        await client.play(new_token(), lambda turn: 0)
    assert refused.value.reason == "BOT_NOT_FOUND"
    _, token = await registered(client)
    stream = ByHand(client, token)
    await stream.call.write(pb.PlayRequest(pong=pb.PlayPong()))
    with pytest.raises(grpc.aio.AioRpcError) as broken:
        await stream.next("welcome")
    assert info_of(broken.value).metadata["field"] == "hello"

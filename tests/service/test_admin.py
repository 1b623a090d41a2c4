"""AdminService: what operators may do on the listener that is theirs, and nobody else."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from grpc_health.v1 import health_pb2, health_pb2_grpc
from redis.asyncio import Redis
from structlog.testing import capture_logs

from dragonhall.sdk import Client, DragonhallError, new_token
from dragonhall.sdk.admin import AdminClient
from dragonhall.v1 import admin_service_pb2 as pb
from dragonhall.v1 import catalog_service_pb2, match_pb2, match_service_pb2
from dragonhall_service.app import Server, running_server
from dragonhall_service.config import BadSetting, Settings
from dragonhall_service.readiness import LIVENESS
from dragonhall_service.store.keys import keys_of
from tests.contract.methods import methods_of
from tests.deploy.stack import running_servers
from tests.service.driver import (
    Table,
    dealt,
    get,
    legal,
    metadata,
    options,
    play_on,
    reason_of,
    stub_of,
    submission,
    submit,
)
from tests.service.scraping import free_address
from tests.service.test_bots import ByHand, registered

CLOCK = match_pb2.Clock(move_limit=Duration(seconds=600), on_expiry=match_pb2.EXPIRY_ACTION_LOSE)


@dataclass
class Place:
    """A server with its operators' listener."""

    server: Server
    stub: Any
    client: Client
    admin: AdminClient
    raw: Any
    token_file: Path

    async def health(self, service: str = "") -> str:
        async with grpc.aio.insecure_channel(self.server.target) as channel:
            stub: Any = health_pb2_grpc.HealthStub(channel)
            answer = await stub.Check(health_pb2.HealthCheckRequest(service=service))
        return str(health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status))


@asynccontextmanager
async def place(url: str, folder: Path, **settings: Any) -> AsyncIterator[Place]:
    file = folder / "tokens"
    file.write_text(f"{new_token()}\n{new_token()}\n")
    chosen = Settings(
        redis_url=url,
        listen="127.0.0.1:0",
        admin_listen="127.0.0.1:0",
        admin_token_file=str(file),
        **({"drain_s": 0, "grace_s": 1} | settings),
    )
    raw = Redis.from_url(url)
    async with (
        running_server(chosen) as server,
        grpc.aio.insecure_channel(server.target) as channel,
        Client(server.target) as client,
        AdminClient(server.admin_target, file.read_text().split()[0]) as admin,
    ):
        yield Place(server, stub_of(channel), client, admin, raw, file)
    await raw.aclose()


@pytest.fixture
async def at(one_store_url: str, tmp_path: Path) -> AsyncIterator[Place]:
    async with place(one_store_url, tmp_path) as opened:
        yield opened


async def refused(call: Any, reason: str) -> None:
    with pytest.raises(DragonhallError) as error:
        await call
    assert error.value.reason == reason


# ---- matches ------------------------------------------------------------------------------------


async def test_a_private_match_is_shown_as_a_spectator_would_see_it(at: Place) -> None:
    table = await dealt(at.stub, public=False, seed=b"s" * 64)
    told = await at.admin.inspect_match(table.match_id)
    seen = (await get(at.stub, table, table.seats[0])).match
    assert not told.HasField("overdue")
    for match in (told.match, seen):
        match.clock.ClearField("as_of")
    assert told.match == seen
    await refused(at.admin.inspect_match("a" * 26), "MATCH_NOT_FOUND")


async def test_a_match_is_ended_and_everybody_is_told(at: Place) -> None:
    table = await dealt(at.stub)
    await play_on(at.stub, table, 3)
    watch = at.stub.WatchMatch(match_service_pb2.WatchMatchRequest(match_id=table.match_id))
    await watch.read()
    ended = await at.admin.end_match(table.match_id)
    assert ended.outcome.cause == match_pb2.OUTCOME_CAUSE_SERVER_FAULT
    event = (await watch.read()).event
    assert event.WhichOneof("body") == "failed"
    assert (event.version, event.outcome) == (ended.version, ended.outcome)
    assert await watch.read() is grpc.aio.EOF
    await refused(at.admin.end_match(table.match_id), "MATCH_OVER")


async def test_the_same_request_ends_a_match_once(at: Place) -> None:
    table = await dealt(at.stub)
    request = pb.EndMatchRequest(match_id=table.match_id, request_id="a")
    answers = [await at.admin._call(at.admin._stub.EndMatch, request) for _ in range(2)]
    assert [answer.replayed for answer in answers] == [False, True]
    assert answers[0].match.version == answers[1].match.version


async def late(at: Place, table: Table) -> None:
    """Let the deadline of a match have passed a minute ago."""
    keys = keys_of(table.match_id)
    due = int(await at.raw.zscore(keys.live, table.match_id))
    time = await at.raw.time()
    passed = time[0] * 1000 - 60_000
    assert due > passed
    await at.raw.hset(keys.match, "due", passed)
    await at.raw.zadd(keys.live, {table.match_id: passed})


async def stuck(at: Place, table: Table) -> pb.StuckMatch | None:
    found = await at.admin.list_stuck_matches(timedelta(seconds=30), 100)
    return next((each for each in found if each.match_id == table.match_id), None)


@pytest.mark.parametrize("harm", ["corrupt", "state", "newer", "absent"])
async def test_a_match_that_nobody_can_go_on_with_is_listed(at: Place, harm: str) -> None:
    table = await dealt(at.stub, clock=CLOCK)
    keys = keys_of(table.match_id)
    assert await stuck(at, table) is None
    if harm == "corrupt":
        await at.raw.hdel(keys.match, "fixed")
    elif harm == "state":
        await at.raw.hset(keys.match, "state", b"\x01nonsense")
    elif harm == "newer":
        await at.raw.hset(keys.match, "format", 99)
    await late(at, table)
    if harm == "absent":
        await at.raw.delete(keys.match)
    found = await stuck(at, table)
    await at.raw.zrem(keys.live, table.match_id)
    assert found is not None
    assert not found.HasField("match")
    told = pb.StuckReason.Name(found.reason).removeprefix("STUCK_REASON_")
    assert told == {"newer": "SCHEMA_TOO_NEW", "absent": "ABSENT"}.get(harm, "CORRUPT")


async def test_a_match_that_was_just_late_is_not_listed_once_it_was_fired(at: Place) -> None:
    table = await dealt(at.stub, clock=CLOCK)
    await late(at, table)
    while not (await get(at.stub, table)).match.HasField("outcome"):
        await asyncio.sleep(0.05)
    assert await stuck(at, table) is None


async def test_an_overdue_match_is_listed_with_how_late_it_is(
    at: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fire_nothing(ports: Any) -> int:
        return 0

    monkeypatch.setattr("dragonhall_service.app.fire_due", fire_nothing)
    table = await dealt(at.stub, clock=CLOCK)
    await asyncio.sleep(0.8)  # a round of deadlines that had begun before
    await late(at, table)
    found = await stuck(at, table)
    assert found is not None
    assert found.reason == pb.STUCK_REASON_OVERDUE
    assert found.match.match_id == table.match_id
    assert found.overdue.ToTimedelta() >= timedelta(seconds=60)
    told = await at.admin.inspect_match(table.match_id)
    assert told.overdue.ToTimedelta() >= timedelta(seconds=60)
    await at.admin.end_match(table.match_id)


# ---- tokens -------------------------------------------------------------------------------------


async def test_a_revoked_seat_leaves_and_its_token_opens_nothing(at: Place) -> None:
    table = await dealt(at.stub)
    watched = match_service_pb2.WatchMatchRequest(match_id=table.match_id)
    thief, friend = (at.stub.WatchMatch(watched, metadata=table.seated(n)) for n in (0, 1))
    for watch in (thief, friend):
        await watch.read()
    match = await at.admin.revoke_seat(table.match_id, 0)
    assert match.outcome.results[0].cause == match_pb2.OUTCOME_CAUSE_LEFT
    left = (await friend.read()).event.seat_left
    assert (left.seat, left.cause) == (0, match_pb2.OUTCOME_CAUSE_LEFT)
    with pytest.raises(grpc.aio.AioRpcError) as ended:
        await thief.read()
    assert reason_of(ended.value) == "MATCH_NOT_FOUND"
    with pytest.raises(grpc.aio.AioRpcError) as blind:
        await get(at.stub, table, table.seats[0])
    assert reason_of(blind.value) == "MATCH_NOT_FOUND"
    await get(at.stub, table, table.seats[1])
    await refused(at.admin.revoke_seat(table.match_id, 1), "MATCH_OVER")


async def test_with_more_seats_the_others_play_on_and_the_token_cannot_move(at: Place) -> None:
    game = await at.client.get_game("dragonkeepers")
    setup = game.editions[0].setup
    setup.dragonkeepers.seats = 3
    tokens = [new_token() for _ in range(3)]
    made = await at.client.create_match(
        new_token(), {"setup": setup, "visibility": 1, "start_seat": 0}
    )
    for token in tokens:
        await at.client.join_match(made.match_id, token)
    listed = await at.client.legal_moves(made.match_id, tokens[0])
    match = await at.admin.revoke_seat(made.match_id, 0)
    assert match.phase == match_pb2.MATCH_PHASE_RUNNING
    assert match.seats[0].taken
    call = at.client.submit_move(made.match_id, tokens[0], listed.version, listed.moves[0])
    await refused(call, "MATCH_NOT_FOUND")
    assert match.seat_to_move != 0
    mine = tokens[match.seat_to_move]
    now = await at.client.legal_moves(made.match_id, mine)
    await at.client.submit_move(made.match_id, mine, now.version, now.moves[0])
    await refused(at.admin.revoke_seat(made.match_id, 0), "SEAT_LEFT")
    await refused(at.admin.revoke_seat(made.match_id, 3), "FIELD_INVALID")


async def test_a_seat_before_the_deal_is_not_revoked_alone(at: Place) -> None:
    match = await at.client.create_match(new_token(), options())
    await at.client.join_match(match.match_id, new_token())
    await refused(at.admin.revoke_seat(match.match_id, 0), "NOT_STARTED")
    ended = await at.admin.end_match(match.match_id)
    assert ended.outcome.cause == match_pb2.OUTCOME_CAUSE_SERVER_FAULT


async def test_a_revoked_bot_is_sent_away_everywhere(at: Place) -> None:
    name, token = await registered(at.client)
    stream = ByHand(at.client, token)
    await stream.hello()
    await at.admin.revoke_bot(name)
    with pytest.raises(grpc.aio.AioRpcError) as gone:
        await stream.next("ended")
    assert reason_of(gone.value) == "BOT_NOT_FOUND"
    await refused(at.client.list_bot_calls(token), "BOT_NOT_FOUND")
    await at.admin.revoke_bot(name)
    await refused(at.admin.revoke_bot("nobody"), "BOT_NOT_FOUND")


# ---- draining -----------------------------------------------------------------------------------


async def test_a_drained_server_is_left_by_all_but_goes_on_answering(at: Place) -> None:
    table = await dealt(at.stub)
    watched = match_service_pb2.WatchMatchRequest(match_id=table.match_id)
    watch = at.stub.WatchMatch(watched)
    await watch.read()
    _, token = await registered(at.client)
    stream = ByHand(at.client, token)
    await stream.hello()
    assert await at.health() == "SERVING"
    told = await at.admin.drain_server()
    while not told.drained:
        told = await at.admin.drain_server()
    assert (await watch.read()).WhichOneof("body") == "draining"
    await stream.next("draining")
    assert await watch.read() is grpc.aio.EOF
    assert await at.health() == "NOT_SERVING"
    assert await at.health("dragonhall.v1.MatchService") == "NOT_SERVING"
    assert await at.health(LIVENESS) == "SERVING", "or it would be killed"
    with pytest.raises(grpc.aio.AioRpcError) as elsewhere:
        await at.stub.WatchMatch(watched).read()
    assert reason_of(elsewhere.value) == "DRAINING"
    listed = await legal(at.stub, table, 0)
    await submit(at.stub, table, 0, submission(table, listed.version, listed.moves[0]))
    while (await at.admin.drain_server()).open_calls:
        await asyncio.sleep(0.01)


async def test_it_stays_out_of_service_whatever_its_store_does(at: Place) -> None:
    await at.admin.drain_server()
    await at.server.leaving.begin()
    for _ in range(3):
        await at.server.leaving._readiness.tell()
        assert await at.health() == "NOT_SERVING"


async def test_a_drained_process_exits_when_it_is_told_to(
    one_store_url: str, tmp_path: Path
) -> None:
    file, address = tmp_path / "tokens", free_address()
    file.write_text(new_token())
    settings = {"ADMIN_LISTEN": address, "ADMIN_TOKEN_FILE": str(file), "LOG_LEVEL": "error"}
    with running_servers(one_store_url, folder=tmp_path, DRAIN_S="0", **settings) as (server,):
        async with AdminClient(address, file.read_text()) as admin:
            while not (await admin.drain_server()).drained:
                pass
            await admin.drain_server()
        assert await asyncio.to_thread(server.end, signal.SIGTERM) == 0
        lines = [json.loads(line) for line in server.log.read_text().splitlines()]
    assert {line["event"] for line in lines} == {"admin"}, "at every level of the log"
    assert len(lines) >= 2


# ---- who may, where -----------------------------------------------------------------------------


async def test_the_public_listener_has_no_such_service(at: Place) -> None:
    for method in await asyncio.to_thread(methods_of, at.server.admin_target):
        if method.ours:
            assert method.path.startswith("/dragonhall.v1.AdminService/")
            async with grpc.aio.insecure_channel(at.server.target) as channel:
                with pytest.raises(grpc.aio.AioRpcError) as unknown:
                    await method.call(channel)(
                        b"", metadata=metadata(at.token_file.read_text().split()[0])
                    )
            assert unknown.value.code() is grpc.StatusCode.UNIMPLEMENTED
    async with grpc.aio.insecure_channel(at.server.admin_target) as channel:
        call: Any = channel.unary_unary("/dragonhall.v1.CatalogService/GetServerInfo")
        with pytest.raises(grpc.aio.AioRpcError) as absent:
            await call(catalog_service_pb2.GetServerInfoRequest().SerializeToString())
    assert absent.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_every_method_asks_for_an_operators_token(at: Place) -> None:
    methods = await asyncio.to_thread(methods_of, at.server.admin_target)
    ours = [method for method in methods if method.ours]
    assert len(ours) == 5
    for method in ours:
        for token, reason in {"": "UNAUTHENTICATED", new_token(): "WRONG_ROLE"}.items():
            async with grpc.aio.insecure_channel(at.server.admin_target) as channel:
                with pytest.raises(grpc.aio.AioRpcError) as error:
                    await method.call(channel)(b"", metadata=metadata(token))
            assert reason_of(error.value) == reason
    assert await at.health() == "SERVING"


async def test_tokens_may_change_while_the_server_runs(at: Place) -> None:
    table = await dealt(at.stub)
    old, other = at.token_file.read_text().split()
    at.token_file.write_text(other)
    await refused(at.admin.inspect_match(table.match_id), "WRONG_ROLE")
    async with AdminClient(at.server.admin_target, other) as admin:
        await admin.inspect_match(table.match_id)
        at.token_file.unlink()
        await refused(admin.inspect_match(table.match_id), "WRONG_ROLE")
    at.token_file.write_text(old)
    await at.admin.inspect_match(table.match_id)


async def test_every_call_is_told_in_the_log(at: Place) -> None:
    table = await dealt(at.stub)
    operator = at.token_file.read_text().split()[0]
    with capture_logs() as log:
        await at.admin.inspect_match(table.match_id)
        await refused(at.admin.revoke_seat(table.match_id, 7), "FIELD_INVALID")
        async with AdminClient(at.server.admin_target, new_token()) as stranger:
            await refused(stranger.drain_server(), "WRONG_ROLE")
    lines = [line for line in log if line["event"] == "admin"]
    told = [(line["method"], line["code"], line["address"]) for line in lines]
    assert told == [
        ("InspectMatch", "OK", "127.0.0.1"),
        ("RevokeToken", "FIELD_INVALID", "127.0.0.1"),
        ("DrainServer", "WRONG_ROLE", "127.0.0.1"),
    ]
    assert lines[0]["asked"] == {"match_id": table.match_id}
    assert lines[0]["operator"] == lines[1]["operator"] != lines[2]["operator"]
    assert operator not in repr(log)


@pytest.mark.parametrize("text", [None, "", "not-a-token"])
async def test_a_file_without_tokens_stops_the_start(
    one_store_url: str, tmp_path: Path, text: str | None
) -> None:
    file = tmp_path / "tokens"
    if text is not None:
        file.write_text(text)
    settings = Settings(
        redis_url=one_store_url,
        listen="127.0.0.1:0",
        admin_listen="127.0.0.1:0",
        admin_token_file=str(file),
        drain_s=0,
        grace_s=0,
    )
    with pytest.raises(BadSetting, match="ADMIN_TOKEN_FILE") as refusal:
        async with running_server(settings):
            pass
    assert "not-a-token" not in str(refusal.value)


async def test_without_a_file_nobody_is_served(one_store_url: str) -> None:
    settings = Settings(redis_url=one_store_url, listen="127.0.0.1:0", drain_s=0, grace_s=0)
    async with running_server(settings) as server:
        assert server.admin_target == ""

"""The listener for operators: draining, tokens and the log."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from structlog.testing import capture_logs

from dragonhall.sdk import new_token
from dragonhall.sdk.admin import AdminClient
from dragonhall.v1 import catalog_service_pb2, match_service_pb2
from dragonhall_service.app import running_server
from dragonhall_service.config import BadSetting, Settings
from dragonhall_service.readiness import LIVENESS
from tests.contract.methods import methods_of
from tests.deploy.stack import running_servers
from tests.service.admin_place import Place, place, refused
from tests.service.driver import (
    dealt,
    legal,
    metadata,
    reason_of,
    submission,
    submit,
)
from tests.service.scraping import free_address
from tests.service.test_bots import ByHand, registered


@pytest.fixture
async def at(one_store_url: str, tmp_path: Path) -> AsyncIterator[Place]:
    async with place(one_store_url, tmp_path) as opened:
        yield opened


async def test_a_drained_server_is_left_by_all_but_goes_on_answering(at: Place) -> None:
    table = await dealt(at.stub)
    watched = match_service_pb2.WatchMatchRequest(match_id=table.match_id)
    watch = at.stub.WatchMatch(watched)
    await watch.read()
    _, token = await registered(at.client)
    stream = ByHand(at.client, token)
    await stream.hello()
    assert await at.health() == "SERVING"
    # Read all the time: a ping that is answered late is answered on a stream that has ended.
    sent_away = asyncio.create_task(stream.next("draining"))
    told = await at.admin.drain_server()
    while not told.drained:
        told = await at.admin.drain_server()
    assert (await watch.read()).WhichOneof("body") == "draining"
    await sent_away
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

"""Envoy and HAProxy under the shipped configurations, before three real servers."""

import asyncio
import signal
import subprocess
from collections.abc import Iterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest

from dragonhall.v1 import catalog_service_pb2, match_service_pb2
from tests.deploy.stack import Balancer, Server, running_balancer, running_servers, wait_for
from tests.service.driver import Table, dealt, get, legal, play_on, stub_of, submission, submit

PLAYERS = 6
MOVES = 25
NAMED = "http://localhost:5173"


@pytest.fixture(scope="module")
def servers(one_store_url: str) -> Iterator[list[Server]]:
    with running_servers(one_store_url) as running:
        yield running


@pytest.fixture(scope="module", params=["envoy", "haproxy"])
def balancer(request: pytest.FixtureRequest, servers: list[Server]) -> Iterator[Balancer]:
    with running_balancer(request.param, [server.port for server in servers]) as running:
        asyncio.run(until_ready(running))
        yield running


async def until_ready(balancer: Balancer) -> None:
    """Wait until health checks have found the servers."""
    async with connected(balancer) as stub:
        for _ in range(200):
            try:
                await stub.ListMatches(match_service_pb2.ListMatchesRequest())
                return
            except grpc.aio.AioRpcError:
                await asyncio.sleep(0.1)
    raise AssertionError("no server was found")


@asynccontextmanager
async def connected(balancer: Balancer) -> Any:
    """Yield a stub over a connection of its own, which repeats nothing by itself."""
    options = (("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0))
    async with grpc.aio.insecure_channel(balancer.target, options=options) as channel:
        yield stub_of(channel)


async def versions(stub: Any, table: Table) -> list[int]:
    """Watch a match to its end and return what was seen."""
    asked = match_service_pb2.WatchMatchRequest(match_id=table.match_id)
    seen = []
    async for message in stub.WatchMatch(asked):
        if message.WhichOneof("body") == "snapshot":
            seen.append(message.snapshot.match.version)
        elif message.WhichOneof("body") == "event":
            seen.append(message.event.version)
    return seen


async def test_a_match_is_played_and_watched_through_it(
    balancer: Balancer, servers: list[Server]
) -> None:
    before = [server.calls() for server in servers]
    async with connected(balancer) as stub, connected(balancer) as watcher:
        table = await dealt(stub)
        watching = asyncio.create_task(versions(watcher, table))
        last = await play_on(stub, table)
        seen = await watching
    assert seen == list(range(seen[0], last + 1))
    after = [server.calls() for server in servers]
    assert all(now > earlier for now, earlier in zip(after, before, strict=True)), (
        "each server is asked"
    )


async def play_for(balancer: Balancer, progress: list[int]) -> int:
    """Play so many moves; every call must be answered at the first attempt. Return them."""
    async with connected(balancer) as stub:
        table, made = await dealt(stub), 0
        while made < MOVES:
            match = (await get(stub, table)).match
            if match.HasField("outcome"):
                table = await dealt(stub)
                continue
            listed = await legal(stub, table, match.seat_to_move)
            request = submission(table, listed.version, listed.moves[0])
            await submit(stub, table, match.seat_to_move, request)
            made += 1
            progress.append(1)
    return made


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "stopped"])
async def test_a_server_that_goes_fails_no_call(
    balancer: Balancer, servers: list[Server], number: signal.Signals
) -> None:
    progress: list[int] = []
    players = [asyncio.create_task(play_for(balancer, progress)) for _ in range(PLAYERS)]
    while len(progress) < PLAYERS * MOVES // 5:
        await asyncio.sleep(0.01)
        assert not any(player.done() and player.exception() for player in players)
    code = await asyncio.to_thread(servers[0].end, number)
    assert code == (-number if number is signal.SIGKILL else 0)
    made = await asyncio.gather(*players)
    servers[0].start()
    await asyncio.to_thread(wait_for, "the start of a server", servers[0].ready)
    assert sum(made) == PLAYERS * MOVES


# ---- gRPC-Web, which Envoy alone speaks ---------------------------------------------------------


def curl(*arguments: str, data: bytes = b"") -> bytes:
    """Run curl and return the answer with its headers."""
    done = subprocess.run(
        ["curl", "--silent", "--show-error", "--include", "--max-time", "20", *arguments],
        input=data,
        capture_output=True,
        check=True,
    )
    return done.stdout


@pytest.fixture(scope="module")
def web(servers: list[Server]) -> Iterator[str]:
    with running_balancer("envoy", [server.port for server in servers]) as envoy:
        asyncio.run(until_ready(envoy))
        yield f"http://{envoy.target}/dragonhall.v1.CatalogService/GetServerInfo"


def test_a_browser_may_call(web: str) -> None:
    headers = ["-H", "content-type: application/grpc-web+proto", "-H", f"origin: {NAMED}"]
    answer = curl(*headers, "--data-binary", "@-", web, data=b"\0" * 5)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert f"access-control-allow-origin: {NAMED}".encode() in head.lower()
    end = 5 + int.from_bytes(body[1:5], "big")
    info = catalog_service_pb2.GetServerInfoResponse.FromString(body[5:end])
    assert info.server_version
    assert b"grpc-status:0" in body[end:]


@pytest.mark.parametrize(("origin", "allowed"), [(NAMED, True), ("https://evil.example", False)])
def test_only_named_origins_may_ask(web: str, origin: str, allowed: bool) -> None:
    asked = [
        "-X",
        "OPTIONS",
        "-H",
        f"origin: {origin}",
        "-H",
        "access-control-request-method: POST",
    ]
    answer = curl(*asked, web).lower()
    assert (b"access-control-allow-origin" in answer) is allowed

"""Envoy and HAProxy under the shipped configurations, before three real servers."""

import asyncio
import signal
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from google.rpc.error_details_pb2 import RetryInfo
from grpc_health.v1 import health_pb2, health_pb2_grpc

from dragonhall.sdk.retry import CHANNEL_OPTIONS
from dragonhall.sdk.tls import open_channel
from dragonhall.v1 import catalog_service_pb2, match_service_pb2
from tests.budget import cases
from tests.contract.statuses import details_of
from tests.deploy.newer import NEWER, VERSION
from tests.deploy.stack import (
    SERVERS,
    Balancer,
    Server,
    connected,
    curl,
    running_balancer,
    running_servers,
    secured_store,
    start_again,
    until_all_answer,
    until_each_answers,
)
from tests.deploy.tls import Certificates
from tests.service.driver import (
    SERVE,
    Table,
    dealt,
    get,
    legal,
    play_on,
    reason_of,
    stub_of,
    submission,
    submit,
)
from tests.service.scraping import Scrape

PLAYERS = 6
MOVES = cases(ci=25, sweep=2_000)
DEALT = 4
"""The version of a match of two seats that nobody has moved in."""
NAMED = "http://localhost:5173"


@pytest.fixture(scope="module", params=["plaintext", "tls"])
def tls(request: pytest.FixtureRequest, tmp_path_factory: Any) -> Certificates | None:
    """Certificates for mutual TLS on every hop, or none."""
    if request.param == "plaintext":
        return None
    made = Certificates(tmp_path_factory.mktemp("certificates"))
    made.renew()
    return made


@pytest.fixture(scope="module")
def store_url(tls: Certificates | None, one_store_url: str) -> Iterator[str]:
    """The embedded store; over TLS, which it does not speak, Redis."""
    if tls is None:
        yield one_store_url
        return
    with secured_store("redis-server", tls=tls) as store:
        yield store.service_url


@pytest.fixture(scope="module")
def settings(tls: Certificates | None) -> dict[str, Any]:
    """What servers are told beyond the defaults."""
    return tls.settings() if tls else {}


@pytest.fixture(scope="module")
def servers(store_url: str, settings: dict[str, Any]) -> Iterator[list[Server]]:
    with running_servers(*[store_url] * SERVERS, **settings) as running:
        yield running


@pytest.fixture(scope="module", params=["envoy", "haproxy"])
def balancer(
    request: pytest.FixtureRequest, servers: list[Server], tls: Certificates | None
) -> Iterator[Balancer]:
    ports = [server.port for server in servers]
    with running_balancer(request.param, ports, tls=tls) as running:
        asyncio.run(until_each_answers(running, servers))
        yield running


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
    before = counted(servers)
    async with (
        connected(balancer.target, balancer.tls) as stub,
        connected(balancer.target, balancer.tls) as watcher,
    ):
        table = await dealt(stub)
        watching = asyncio.create_task(versions(watcher, table))
        last = await play_on(stub, table)
        seen = await watching
    assert seen == list(range(seen[0], last + 1))
    # What the metrics of all servers say is what was done.
    made = {name: now - before[name] for name, now in counted(servers).items()}
    moves = last - DEALT
    assert made["SubmitMove"] == made["ListLegalMoves"] == moves
    assert made["commits"] == moves + 3, "one creates, two seats are taken"
    assert made["endings"] == 1
    assert made["news"] == len(seen) - 1, "all but the snapshot"
    for server in servers:
        assert sum(server.calls(method) for method in METHODS), "each server is asked"


METHODS = ("SubmitMove", "ListLegalMoves", "GetMatch")


def counted(servers: list[Server]) -> dict[str, float]:
    """Return what all servers together say to have done."""
    found = {method: sum(server.calls(method) for server in servers) for method in METHODS}
    for name, sample, labels in (
        ("commits", "dragonhall_commits_total", {"outcome": "applied"}),
        ("endings", "dragonhall_endings_total", {}),
        ("news", "dragonhall_delivery_seconds_count", {}),
    ):
        found[name] = sum(scrape.value(sample, **labels) for scrape in scrapes(servers))
    return found


async def play_for(balancer: Balancer, progress: list[int]) -> int:
    """Play so many moves; every call must be answered at the first attempt. Return them."""
    async with connected(balancer.target, balancer.tls) as stub:
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


async def under_way(players: list["asyncio.Task[int]"], progress: list[int], moves: int) -> None:
    """Wait until so many moves were made; a player that failed ends the wait."""
    while len(progress) < moves:
        await asyncio.sleep(0.01)
        for player in players:
            if player.done():
                player.result()


async def test_a_killed_server_fails_no_call(balancer: Balancer, servers: list[Server]) -> None:
    progress: list[int] = []
    players = [asyncio.create_task(play_for(balancer, progress)) for _ in range(PLAYERS)]
    await under_way(players, progress, PLAYERS * MOVES // 5)
    assert await asyncio.to_thread(servers[0].end, signal.SIGKILL) == -signal.SIGKILL
    assert sum(await asyncio.gather(*players)) == PLAYERS * MOVES
    await start_again(servers[0])


async def test_a_rolling_restart_fails_no_call(balancer: Balancer, servers: list[Server]) -> None:
    """Every second server comes back as a newer build, which shares store and matches."""
    progress: list[int] = []
    players = [asyncio.create_task(play_for(balancer, progress)) for _ in range(PLAYERS)]
    for number, server in enumerate(servers):
        await under_way(players, progress, len(progress) + PLAYERS)
        assert await asyncio.to_thread(server.end, signal.SIGTERM) == 0
        server.serve = NEWER if number % 2 else SERVE
        await start_again(server)
        if all(player.done() for player in players):  # a fast machine: go on with others
            players += [asyncio.create_task(play_for(balancer, progress)) for _ in range(PLAYERS)]
    assert sum(await asyncio.gather(*players)) == len(progress)
    async with connected(balancer.target, balancer.tls) as stub:  # by both, until both have moved
        while not all(server.calls("SubmitMove") for server in servers):
            await play_on(stub, await dealt(stub))
    builds = [scrape.value("dragonhall_build_info", version=VERSION) for scrape in scrapes(servers)]
    assert builds == [number % 2 for number in range(SERVERS)]


def scrapes(servers: list[Server]) -> list[Scrape]:
    return [Scrape(f"127.0.0.1:{server.metrics_port}") for server in servers]


async def test_a_server_without_its_store_is_left_out(
    balancer: Balancer, store_url: str, settings: dict[str, Any], tls: Certificates | None
) -> None:
    nobody = "rediss://127.0.0.1:1" if tls else "redis://127.0.0.1:1"
    with running_servers(store_url, nobody, nobody, **settings) as some:
        ports = [server.port for server in some]
        with running_balancer(balancer.kind, ports, tls=tls) as before_them:
            await until_all_answer(before_them)


async def test_where_no_store_is_servers_refuse_by_themselves(
    settings: dict[str, Any], tls: Certificates | None
) -> None:
    """Envoy asks them all the same, and for its own readiness it asks them for `live`."""
    nobody = "rediss://127.0.0.1:1" if tls else "redis://127.0.0.1:1"
    with (
        running_servers(nobody, nobody, **settings) as some,
        running_balancer("envoy", [server.port for server in some], tls=tls) as envoy,
    ):
        async with open_channel(envoy.target, envoy.tls, CHANNEL_OPTIONS) as channel:
            health: Any = health_pb2_grpc.HealthStub(channel)
            live = await health.Check(health_pb2.HealthCheckRequest(service="live"))
            assert live.status == health_pb2.HealthCheckResponse.SERVING
            ready = await health.Check(health_pb2.HealthCheckRequest())
            assert ready.status == health_pb2.HealthCheckResponse.NOT_SERVING
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await stub_of(channel).ListMatches(match_service_pb2.ListMatchesRequest())
    assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
    assert reason_of(refused.value) == "STORAGE"
    assert details_of(refused.value, RetryInfo)


# ---- gRPC-Web, which Envoy alone speaks ---------------------------------------------------------


@pytest.fixture(scope="module")
def web(one_store_url: str) -> Iterator[str]:
    with (
        running_servers(one_store_url) as (server,),
        running_balancer("envoy", [server.port]) as envoy,
    ):
        asyncio.run(until_all_answer(envoy))
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

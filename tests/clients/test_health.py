"""`dragonhall health`: what balancers and containers ask, as a command."""

import asyncio
import socket
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from dragonhall_service.app import embedded_server, running_server
from dragonhall_service.config import Settings
from dragonhall_service.embedded import embedded_store
from dragonhall_service.readiness import LIVENESS
from tests.clients.inside import command, inside


async def unhealthy(target: str) -> str:
    """Return why a server is not healthy; its own log is written by this process too."""
    done = await asyncio.to_thread(inside, "health", "--server", target)
    assert done.returncode == 1
    return done.stderr


async def test_a_server_that_is_ready() -> None:
    async with embedded_server() as target:
        assert await command("health", "--server", target) == "SERVING\n"


async def test_a_server_whose_store_is_away() -> None:
    nowhere = "redis://127.0.0.1:1"
    settings = Settings(redis_url=nowhere, listen="127.0.0.1:0", drain_s=0, grace_s=0)
    async with running_server(settings) as server:
        told = await unhealthy(server.target)
    assert f"dragonhall: {server.target} is " in told


async def test_a_server_that_is_stopping() -> None:
    with embedded_store() as url:
        settings = Settings(redis_url=url, listen="127.0.0.1:0", drain_s=30, grace_s=0)
        async with running_server(settings) as server:
            await command("health", "--server", server.target)
            leaving = asyncio.create_task(server.drain())
            await asyncio.sleep(0)
            told = await unhealthy(server.target)
            leaving.cancel()
    assert "is NOT_SERVING" in told


def test_a_server_that_is_not_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        done = inside("health", "--server", f"127.0.0.1:{deaf.getsockname()[1]}")
    assert (done.returncode, done.stdout) == (1, "")
    assert "no server answers" in done.stderr


def test_an_address_is_asked_for() -> None:
    done = inside("health", "--server", "nowhere")
    assert done.returncode == 2
    assert "--server is host:port" in done.stderr


async def test_liveness_does_not_follow_the_store() -> None:
    nowhere = "redis://127.0.0.1:1"
    settings = Settings(redis_url=nowhere, listen="127.0.0.1:0", drain_s=0, grace_s=0)
    async with (
        running_server(settings) as server,
        grpc.aio.insecure_channel(server.target) as channel,
    ):
        stub: Any = health_pb2_grpc.HealthStub(channel)
        answer = await stub.Check(health_pb2.HealthCheckRequest(service=LIVENESS))
    assert answer.status == health_pb2.HealthCheckResponse.SERVING

"""A server with a listener for its operators, and a client of theirs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from redis.asyncio import Redis

from dragonhall.sdk import Client, DragonhallError, new_token
from dragonhall.sdk.admin import AdminClient
from dragonhall_service.app import Server, running_server
from dragonhall_service.config import Settings
from tests.service.driver import (
    stub_of,
)


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


async def refused(call: Any, reason: str) -> None:
    with pytest.raises(DragonhallError) as error:
        await call
    assert error.value.reason == reason


# ---- matches ------------------------------------------------------------------------------------

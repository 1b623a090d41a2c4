"""The deployment under test: a store, three servers and a balancer, all of them killable."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from dragonhall_service.embedded import server_binary
from dragonhall_service.store.connection import connect
from tests.deploy.stack import (
    SERVERS,
    Balancer,
    SecuredStore,
    Server,
    connected,
    running_balancer,
    running_servers,
    secured_store,
    until_all_answer,
)
from tests.faults.canaries import CANARIES
from tests.faults.power import preload
from tests.service.driver import SERVE


@dataclass
class World:
    """What runs.

    Attributes:
        raw: the operator's connection to the store.
        folder: where every process writes its log, and the store its data.
    """

    store: SecuredStore
    servers: list[Server]
    balancer: Balancer
    raw: Any
    folder: Path

    @asynccontextmanager
    async def clients(self, count: int) -> AsyncIterator[list[Any]]:
        """Yield so many stubs, each with a connection of its own to the balancer."""
        async with AsyncExitStack() as stack:
            yield [
                await stack.enter_async_context(connected(self.balancer.target))
                for _ in range(count)
            ]


@asynccontextmanager
async def world(
    *,
    balancer: str = "envoy",
    binary: str = "",
    store: Mapping[str, Any] | None = None,
    synced: bool = False,
    serve: str = SERVE,
    secret: bool = True,
    slow_down: bool = False,
    **settings: str,
) -> AsyncIterator[World]:
    """Run store, servers and balancer while the context lasts.

    Args:
        binary: the store's program; empty: the embedded one.
        store: its settings that differ from the shipped ones.
        synced: whether it notes what it has synced, for `power.cut`.
        serve: the program of the servers.
        secret: whether no secret may be in what is left of it.
        slow_down: whether Envoy limits addresses, which it takes from what clients say.
        settings: of the servers, as `HEARTBEAT_S="1"`; quotas are off, since all clients of a run
            come from one address.
    """
    settings = {"QUOTAS": "off"} | settings
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="dragonhall-faults-")))
        running = stack.enter_context(
            secured_store(
                binary or server_binary(),
                folder,
                environment=preload(folder) if synced else None,
                **store or {},
            )
        )
        urls = [running.service_url] * SERVERS
        servers = await asyncio.to_thread(
            stack.enter_context, running_servers(*urls, folder=folder, serve=serve, **settings)
        )
        ports = [server.port for server in servers]
        before = stack.enter_context(running_balancer(balancer, ports, folder, slow_down=slow_down))
        await until_all_answer(before)
        raw = connect(running.operator_url, retries=1, connections=4)
        stack.push_async_callback(raw.aclose)
        yield World(running, servers, before, raw, folder)
        if secret:
            for server in servers:
                await asyncio.to_thread(CANARIES.look_at_metrics, server.metrics_port)
            await asyncio.to_thread(CANARIES.look_into, folder)

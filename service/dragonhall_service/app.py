"""The composition root: names the concrete classes, starts a server, stops it in order."""

import asyncio
import gc
import random
import signal
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import grpc
import structlog
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1.health import aio as health_aio
from grpc_reflection.v1alpha import reflection

from dragonhall.v1 import (
    bot_service_pb2,
    bot_service_pb2_grpc,
    catalog_service_pb2,
    catalog_service_pb2_grpc,
    match_service_pb2,
    match_service_pb2_grpc,
)
from dragonhall_engine.registry import GAMES
from dragonhall_service.admin import serving_operators
from dragonhall_service.api.admin import AdminService
from dragonhall_service.api.bots import BotService
from dragonhall_service.api.boundary import Boundary
from dragonhall_service.api.catalog import CatalogService
from dragonhall_service.api.matches import MatchService
from dragonhall_service.api.peers import Peers
from dragonhall_service.background import kept_up
from dragonhall_service.census import count_matches
from dragonhall_service.config import BadSetting, Settings
from dragonhall_service.embedded import embedded_store
from dragonhall_service.ids import OsIds
from dragonhall_service.leaving import Leaving
from dragonhall_service.listening import answering_probes, bind, options
from dragonhall_service.logs import configure_logs
from dragonhall_service.metrics import Metrics
from dragonhall_service.ports import Doorbell, Patience, Ports, StorageUnavailable
from dragonhall_service.readiness import Assurance, Readiness
from dragonhall_service.store.access import Access, opened
from dragonhall_service.store.address import StoreTls, parse_address
from dragonhall_service.store.bots import RedisBots
from dragonhall_service.store.doorbell import RedisDoorbell
from dragonhall_service.store.matches import RedisMatches
from dragonhall_service.store.measured import MeasuredMatches
from dragonhall_service.store.promises import Durability, Promise
from dragonhall_service.texts.reading import read_texts
from dragonhall_service.tracing import Tracing, traces
from dragonhall_service.usecases.admission import Admission
from dragonhall_service.usecases.deadlines import fire_due
from dragonhall_service.usecases.feeds import Feeds
from dragonhall_service.usecases.quotas import Kind, Quotas, Rate

DEADLINE_POLL_S = 0.5
"""Each server looks for passed deadlines this often: together they fire them soon after."""
_SERVICES = (
    bot_service_pb2.DESCRIPTOR.services_by_name["BotService"].full_name,
    match_service_pb2.DESCRIPTOR.services_by_name["MatchService"].full_name,
    catalog_service_pb2.DESCRIPTOR.services_by_name["CatalogService"].full_name,
)


@dataclass(frozen=True, slots=True)
class Server:
    """A running server."""

    port: int
    host: str
    feeds: Feeds
    health: Any
    grpc_server: Any
    boundary: Boundary
    settings: Settings
    leaving: Leaving
    admin_target: str
    """Where operators connect to; empty where none are served."""
    refused: "asyncio.Future[None]"
    """Raises BadSetting: the store was away at the start, and is not what its mode promises."""

    @property
    def target(self) -> str:
        """Where clients connect to."""
        return f"{self.host}:{self.port}"

    async def drain(self) -> None:
        """Stop in order: leave the balancer, end watches with a token, let calls end."""
        await self.leaving.begin()
        await self.grpc_server.stop(self.settings.grace_s)


@asynccontextmanager
async def running_server(
    settings: Settings, tracing: Tracing | None = None
) -> AsyncIterator[Server]:
    """Serve while the context lasts.

    Args:
        tracing: instead of what the settings ask for.

    Raises:
        BadSetting: the address cannot be listened on, or the store is not what its mode promises.
    """
    metrics, promise = Metrics(), _promise(settings)
    connections = settings.redis_connections
    async with opened(
        promise.address, replicas=promise.waits_for, connections=connections
    ) as access:
        with metrics.served(settings.metrics_listen), traces(settings) as asked:
            assurance, spans = Assurance(promise), tracing or asked
            async with _running(settings, metrics, access, assurance, spans) as server:
                yield server


def _promise(settings: Settings) -> Promise:
    tls = StoreTls(settings.redis_ca, settings.redis_cert, settings.redis_key)
    try:
        address = parse_address(settings.redis_url, tls)
    except ValueError as wrong:
        raise BadSetting(f"DRAGONHALL_REDIS_URL: {wrong}") from None
    return Promise(address, Durability(settings.durability), settings.replicas)


@asynccontextmanager
async def _running(
    settings: Settings,
    metrics: Metrics,
    access: Access,
    assurance: Assurance,
    tracing: Tracing,
) -> AsyncIterator[Server]:
    await assurance.given()
    ids = OsIds()
    store = RedisMatches(access, ids, settings.finished_ttl_s)
    doorbell = RedisDoorbell(access.exchange)
    matches = MeasuredMatches(store, metrics, tracing)
    feeds = Feeds(matches, doorbell)
    health = health_aio.HealthServicer()
    patience = Patience(
        lobby_ms=settings.lobby_ttl_s * 1000,
        idle_ms=settings.idle_ttl_s * 1000,
        bot_grace_ms=int(settings.bot_grace_s * 1000),
    )
    ports = Ports(GAMES, matches, RedisBots(access), ids, patience)
    quotas = _quotas(settings)
    boundary = Boundary(metrics, Peers(settings.proxy_networks), quotas, tracing)
    free = _quotas(replace(settings, quotas="off"))
    private = Boundary(metrics, Peers([]), free, tracing)
    server = _grpc_server(ports, feeds, doorbell, health, settings, boundary, quotas)
    host = settings.listen.rpartition(":")[0]
    port = bind(server, settings)
    refused: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    readiness = Readiness(store, assurance, health, _SERVICES, metrics)
    work = (
        doorbell.run,
        partial(readiness.follow, refused),
        partial(_fire_deadlines, ports),
        metrics.follow_loop,
        partial(count_matches, store, metrics),
    )
    leaving = Leaving(readiness, feeds, boundary, settings.drain_s)
    admin = AdminService(ports, leaving, boundary)
    background = [asyncio.create_task(kept_up(each, metrics)) for each in work]
    await readiness.tell()  # before the first call can ask
    await server.start()
    try:
        async with (
            answering_probes(health, settings),
            serving_operators(admin, private, settings) as operators,
        ):
            yield Server(
                port, host, feeds, health, server, boundary, settings, leaving, operators, refused
            )
    finally:
        feeds.drain()
        await server.stop(settings.grace_s)
        await boundary.finish(settings.grace_s)
        await feeds.finish(settings.grace_s)
        await _end([*background, *leaving.tasks])


async def _end(tasks: Iterable["asyncio.Task[None]"]) -> None:
    """Cancel tasks until they are done: while a client connects, a cancellation can get lost."""
    running = set(tasks)
    while running:
        for task in running:
            task.cancel()
        _, running = await asyncio.wait(running, timeout=0.1)


def _grpc_server(
    ports: Ports,
    feeds: Feeds,
    doorbell: Doorbell,
    health: Any,
    settings: Settings,
    boundary: Boundary,
    quotas: Quotas,
) -> Any:
    server = grpc.aio.server(interceptors=[boundary], options=options(settings))
    admission = Admission(settings.watches, settings.watches_per_token, quotas.is_free)
    sent = boundary.metrics.delivery.sent
    matches = MatchService(ports, feeds, admission, settings.heartbeat_s, sent)
    match_service_pb2_grpc.add_MatchServiceServicer_to_server(matches, server)
    bots = BotService(ports, feeds, doorbell, quotas, settings.registration_key)
    bot_service_pb2_grpc.add_BotServiceServicer_to_server(bots, server)
    texts = {name: read_texts(name) for name in ports.games}
    catalog = CatalogService(ports.games, texts)
    catalog_service_pb2_grpc.add_CatalogServiceServicer_to_server(catalog, server)
    health_pb2_grpc.add_HealthServicer_to_server(health, server)
    names = (*_SERVICES, health_pb2.DESCRIPTOR.services_by_name["Health"].full_name)
    reflection.enable_server_reflection((*names, reflection.SERVICE_NAME), server)
    return server


def _quotas(settings: Settings) -> Quotas:
    calls = Rate(settings.calls_per_token, settings.calls_per_address, burst_s=10)
    openings = Rate(settings.openings_per_token, settings.openings_per_address, burst_s=60)
    rates = {Kind.CALL: calls, Kind.OPENING: openings}
    off, organisers = settings.quotas == "off", settings.organiser_hashes
    return Quotas(
        rates, settings.streams_per_address, lambda caller: off or caller.token_hash in organisers
    )


async def _fire_deadlines(ports: Ports) -> None:
    """Fire passed deadlines, at odd moments: servers that look at once would only collide."""
    log = structlog.get_logger("dragonhall.deadlines")
    while True:
        try:
            await fire_due(ports)
        except StorageUnavailable:
            pass  # readiness tells; the deadlines are still there when the store is back
        except ExceptionGroup as group:
            log.error("not fired", kinds=sorted({type(e).__name__ for e in group.exceptions}))
        await asyncio.sleep(DEADLINE_POLL_S * random.uniform(0.6, 1.4))


def run(settings: Settings, *, supervised: bool = False) -> None:
    """Serve until SIGTERM or SIGINT, or, if supervised, until standard input ends."""
    configure_logs(settings)
    asyncio.run(_run(settings, supervised))


async def _run(settings: Settings, supervised: bool) -> None:
    log = structlog.get_logger("dragonhall.server")
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    if supervised:
        loop.add_reader(sys.stdin.fileno(), stopping.set)
    async with running_server(settings) as server:
        # What is there now stays: looking through it again and again would hold up all calls.
        gc.collect()
        gc.freeze()
        log.info("serving", listen=server.target)
        await _either(stopping, server.refused)
        if supervised:
            loop.remove_reader(sys.stdin.fileno())
        await server.drain()
    log.info("stopped")


async def _either(stopping: asyncio.Event, refused: "asyncio.Future[None]") -> None:
    stop = asyncio.ensure_future(stopping.wait())
    await asyncio.wait((stop, refused), return_when=asyncio.FIRST_COMPLETED)
    stop.cancel()
    if refused.done():
        refused.result()


@asynccontextmanager
async def embedded_server(**changes: Any) -> AsyncIterator[str]:
    """Serve on a free loopback port with a store of its own, and yield the gRPC target.

    Nobody is limited: whoever calls has started it.
    """
    with embedded_store() as url:
        settings = Settings(
            redis_url=url,
            listen="127.0.0.1:0",
            drain_s=0,
            grace_s=1,
            quotas="off",
            log_level="warning",
        )
        configure_logs(settings)
        async with running_server(replace(settings, **changes)) as server:
            yield server.target

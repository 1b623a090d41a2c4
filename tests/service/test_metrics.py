"""Metrics: what they count is what happened, and they are served where the setting says."""

import asyncio
import select
import socket
import time
from collections.abc import Iterator, Sequence
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from grpc_health.v1 import health_pb2, health_pb2_grpc

from dragonhall.v1 import match_pb2, match_service_pb2
from dragonhall_service.api.boundary import Boundary
from dragonhall_service.api.peers import Peers
from dragonhall_service.app import running_server
from dragonhall_service.config import BadSetting, Settings
from dragonhall_service.delivery import FORGET_S, Delivery
from dragonhall_service.embedded import embedded_store
from dragonhall_service.match import Entry, EntryKind
from dragonhall_service.metrics import Metrics
from dragonhall_service.ports import (
    Applied,
    Commit,
    Conflict,
    Missed,
    Repeated,
    RequestKey,
    RequestRecord,
    StorageFull,
    StorageUnavailable,
    Window,
)
from dragonhall_service.store.measured import MeasuredMatches
from dragonhall_service.usecases.quotas import Kind, Quotas, Rate
from tests.service.driver import (
    dealt,
    get,
    legal,
    metadata,
    new_token,
    options,
    play_on,
    request_id,
    served,
    submission,
    submit,
)
from tests.service.scraping import MATCHES, Scrape, free_address, scraped

SECOND_CLOCK = match_pb2.Clock(
    move_limit=Duration(seconds=1), on_expiry=match_pb2.EXPIRY_ACTION_LOSE
)


@pytest.fixture
def own_store_url() -> Iterator[str]:
    """A store in which nobody else's matches run out of time while this server counts."""
    with embedded_store() as url:
        yield url


async def test_calls_and_commits_are_those_that_were_made(own_store_url: str) -> None:
    async with scraped(own_store_url) as (stub, scrape):
        table = await dealt(stub)
        listed = await legal(stub, table, 0)
        await submit(stub, table, 0, submission(table, listed.version, listed.moves[0]))
        with pytest.raises(grpc.aio.AioRpcError):  # the same version again
            await submit(stub, table, 0, submission(table, listed.version, listed.moves[0]))
        version = await play_on(stub, table)
        moves = version - listed.version
        submitted = {"method": f"{MATCHES}SubmitMove"}
        await scrape.until(moves, "dragonhall_calls_total", **submitted, code="OK")
        await scrape.until(1, "dragonhall_calls_total", **submitted, code="ABORTED")
        await scrape.until(moves + 1, "dragonhall_call_seconds_count", **submitted)
        await scrape.until(moves + 3, "dragonhall_commits_total", outcome="applied")
        await scrape.until(moves + 3, "dragonhall_store_seconds_count", operation="commit")
        await scrape.until(0, "dragonhall_store_failures_total")
        await scrape.until(1, "dragonhall_store_ready")


async def test_open_watches_are_those_that_are_open(own_store_url: str) -> None:
    async with scraped(own_store_url) as (stub, scrape):
        table = await dealt(stub)
        asked = match_service_pb2.WatchMatchRequest(match_id=table.match_id)
        watches = [stub.WatchMatch(asked) for _ in range(3)]
        for watch in watches:
            await watch.read()
        watched = {"method": f"{MATCHES}WatchMatch"}
        await scrape.until(3, "dragonhall_open_calls", **watched)
        for watch in watches:
            watch.cancel()
        await scrape.until(0, "dragonhall_open_calls", **watched)
        await scrape.until(3, "dragonhall_calls_total", **watched, code="CANCELLED")


async def test_a_fired_deadline_counts_once(own_store_url: str) -> None:
    async with scraped(own_store_url) as (stub, scrape):
        table = await dealt(stub, clock=SECOND_CLOCK)
        while not (await get(stub, table)).match.HasField("outcome"):
            await asyncio.sleep(0.1)
        await scrape.until(1, "dragonhall_expiries_total", of="turn")


async def test_news_is_timed_from_its_commit_to_its_sending(own_store_url: str) -> None:
    async with scraped(own_store_url) as (stub, scrape):
        table = await dealt(stub)
        begun = (await get(stub, table)).resume_token
        asked = match_service_pb2.WatchMatchRequest(match_id=table.match_id)
        watch = aiter(stub.WatchMatch(asked))
        assert (await anext(watch)).HasField("snapshot")
        playing = asyncio.create_task(play_on(stub, table))
        seen_s = []
        async for message in watch:
            committed = message.event.commit_time
            seen_s.append(time.time() - committed.seconds - committed.nanos / 1e9)
        await playing
        await scrape.until(len(seen_s), "dragonhall_delivery_seconds_count")
        told_s = await asyncio.to_thread(scrape.value, "dragonhall_delivery_seconds_sum")
        # It is seen about when it is sent; that one task waits for others is no fault of either.
        assert told_s == pytest.approx(sum(seen_s), abs=0.25 * len(seen_s))
        # Who catches up gets no news.
        asked.resume_token = begun
        assert len([message async for message in stub.WatchMatch(asked)]) == len(seen_s)
        await scrape.until(2, "dragonhall_calls_total", method=f"{MATCHES}WatchMatch")
        await scrape.until(len(seen_s), "dragonhall_delivery_seconds_count")


async def test_matches_are_counted_by_phase_and_ending(
    own_store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dragonhall_service.census.ROUND_S", 0.1)
    async with scraped(own_store_url) as (stub, scrape):
        tables = [await dealt(stub) for _ in range(5)]
        for _ in range(2):
            create = match_service_pb2.CreateMatchRequest(
                request_id=request_id(), token=new_token(), options=options()
            )
            await stub.CreateMatch(create)
        abort = match_service_pb2.AbortMatchRequest(
            match_id=tables[0].match_id, request_id=request_id()
        )
        await stub.AbortMatch(abort, metadata=metadata(tables[0].host))
        await play_on(stub, tables[1])
        await scrape.until(3, "dragonhall_matches", phase="running")
        await scrape.until(2, "dragonhall_matches", phase="lobby")
        await scrape.until(1, "dragonhall_endings_total", cause="aborted")
        await scrape.until(2, "dragonhall_endings_total")


def test_a_lag_is_told_by_the_clock_of_the_store() -> None:
    now_s, lags = 50.0, list[float]()
    delivery = Delivery(lags.append, lambda: now_s)
    delivery.heard(1_000_000)
    delivery.heard(999_600)  # an answer that was 400 ms on its way
    delivery.sent(999_750)
    now_s += 0.5
    delivery.sent(1_000_000)
    delivery.sent(1_000_900)  # of a store that has failed over to one whose clock leads
    now_s += FORGET_S + 1
    delivery.heard(1_050_000)  # the store's clock was put back by 11.5 s
    now_s += FORGET_S + 1
    delivery.heard(1_111_000)
    delivery.sent(1_110_000)
    assert lags == pytest.approx([0.25, 0.5, 0, 1])


async def test_a_store_that_is_away_is_seen() -> None:
    async with scraped("redis://127.0.0.1:1") as (stub, scrape):
        with pytest.raises(grpc.aio.AioRpcError):
            await dealt(stub)
        refused = {"method": f"{MATCHES}CreateMatch", "code": "UNAVAILABLE"}
        await scrape.until(1, "dragonhall_calls_total", **refused)
        await scrape.until(1, "dragonhall_commits_total", outcome="unavailable")
        await scrape.until(1, "dragonhall_store_failures_total", operation="commit")
        await scrape.until(0, "dragonhall_store_ready")


async def test_a_handler_that_aborts_itself_counts_by_its_code(own_store_url: str) -> None:
    address = free_address()
    settings = Settings(
        redis_url=own_store_url, listen="127.0.0.1:0", drain_s=0, grace_s=1, metrics_listen=address
    )
    async with (
        running_server(settings) as server,
        grpc.aio.insecure_channel(server.target) as channel,
    ):
        stub: Any = health_pb2_grpc.HealthStub(channel)
        with pytest.raises(grpc.aio.AioRpcError):
            await stub.Check(health_pb2.HealthCheckRequest(service="no.such"))
        await Scrape(address).until(1, "dragonhall_calls_total", code="NOT_FOUND")


async def test_a_bug_is_counted() -> None:
    metrics = Metrics()
    rates = {kind: Rate(1, 1, burst_s=1) for kind in Kind}
    boundary = Boundary(metrics, Peers([]), Quotas(rates, 1, lambda _: False))

    async def broken(request: Any, context: Any) -> Any:
        raise RuntimeError("a bug")

    handler = grpc.unary_unary_rpc_method_handler(
        broken,
        health_pb2.HealthCheckRequest.FromString,
        health_pb2.HealthCheckResponse.SerializeToString,
    )
    server = grpc.aio.server(interceptors=[boundary])
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("a.B", {"C": handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        with pytest.raises(grpc.aio.AioRpcError):
            await channel.unary_unary("/a.B/C", bytes)(b"")
    await server.stop(None)
    assert metrics.registry.get_sample_value("dragonhall_bugs_total") == 1


ENDS: Sequence[tuple[Any, str]] = [
    (Repeated(RequestRecord("", 1, 1)), "repeated"),
    (Conflict(7), "conflict"),
    (Missed(), "missed"),
    (StorageFull(), "full"),
    (StorageUnavailable(False, "refused"), "unavailable"),
    (StorageUnavailable(None, "reply lost"), "unknown"),
    (asyncio.CancelledError(), "unknown"),
]


class Told:
    """A store whose commits end as told."""

    def __init__(self, end: Any) -> None:
        self._end = end

    async def commit(self, commit: Commit) -> Any:
        if isinstance(self._end, BaseException):
            raise self._end
        return self._end


def commit(window: Window, kind: EntryKind) -> Commit:
    record: Any = None
    return Commit(record, (Entry(kind),), RequestKey("a", "b"), "", window)


@pytest.mark.parametrize(("end", "outcome"), ENDS)
async def test_a_commit_counts_by_its_outcome(end: Any, outcome: str) -> None:
    metrics, store = Metrics(), Told(end)
    measured = MeasuredMatches(store, metrics)  # type: ignore[arg-type]
    try:
        assert await measured.commit(commit(Window.FROM_DUE, EntryKind.LEFT)) is end
    except BaseException as raised:
        assert raised is end
    get_value = metrics.registry.get_sample_value
    assert get_value("dragonhall_commits_total", {"outcome": outcome}) == 1
    assert get_value("dragonhall_expiries_total", {"of": "turn"}) == 0


@pytest.mark.parametrize(
    ("window", "kind", "counted"),
    [
        (Window.FROM_DUE, EntryKind.EXPIRED, {"lobby": 1}),
        (Window.FROM_DUE, EntryKind.LEFT, {"turn": 1}),
        (Window.BEFORE_DUE, EntryKind.MOVED, {}),
    ],
)
async def test_an_expiry_is_a_commit_that_had_to_be_late(
    window: Window, kind: EntryKind, counted: dict[str, int]
) -> None:
    metrics, record = Metrics(), Any
    measured = MeasuredMatches(Told(Applied(record, ())), metrics)  # type: ignore[arg-type]
    await measured.commit(commit(window, kind))
    for of in ("lobby", "turn"):
        found = metrics.registry.get_sample_value("dragonhall_expiries_total", {"of": of})
        assert found == counted.get(of, 0)


async def test_a_blocked_loop_is_late() -> None:
    metrics = Metrics()
    following = asyncio.create_task(metrics.follow_loop())
    await asyncio.sleep(0)
    select.select([], [], [], 1)  # blocks the whole loop, as a bug would
    while not metrics.registry.get_sample_value("dragonhall_loop_lag_seconds_count"):
        await asyncio.sleep(0.01)
    following.cancel()
    lag = metrics.registry.get_sample_value("dragonhall_loop_lag_seconds_sum")
    assert lag is not None
    assert lag > 0.5


async def test_an_address_in_use_stops_the_start(own_store_url: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(BadSetting, match=r"METRICS_LISTEN .* cannot be listened on"):
            async with served(own_store_url, metrics_listen=address):
                pass

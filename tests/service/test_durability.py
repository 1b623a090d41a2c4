"""The service over Sentinels and over a cluster: it plays, and what it acknowledges stands."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from redis.crc import key_slot

from dragonhall.v1 import match_pb2
from dragonhall.v1 import match_service_pb2 as pb
from dragonhall_service.ports import Ring
from dragonhall_service.store.access import opened, plain
from dragonhall_service.store.address import parse_address
from dragonhall_service.store.connection import connect
from dragonhall_service.store.doorbell import RedisDoorbell
from dragonhall_service.store.keys import bucket_of, keys_of
from tests.service.driver import (
    Patient,
    Table,
    dealt,
    get,
    info_of,
    legal,
    play_on,
    reason_of,
    served,
    submission,
    submit,
)
from tests.service.replicated import (
    SAFE,
    Cluster,
    Member,
    SentinelSet,
    cluster,
    form,
    sentinel_set,
)


@pytest.fixture(scope="module")
def sentinels() -> Iterator[SentinelSet]:
    with sentinel_set(SAFE) as running:
        yield running


@pytest.fixture(scope="module")
def clustered() -> Iterator[Cluster]:
    with cluster(SAFE) as running:
        yield running


@pytest.fixture(params=["sentinels", "clustered"])
def store(request: pytest.FixtureRequest) -> SentinelSet | Cluster:
    found: SentinelSet | Cluster = request.getfixturevalue(request.param)
    return found


async def watched(stub: Any, match_id: str) -> int:
    """Watch a match to its end and return its last version."""
    version = 0
    async for told in stub.WatchMatch(pb.WatchMatchRequest(match_id=match_id)):
        version = told.event.version or version
    return version


@pytest.mark.parametrize("durability", ["safe", "fast"])
async def test_matches_are_played_watched_and_listed(
    store: SentinelSet | Cluster, durability: str
) -> None:
    async with served(store.url, durability=durability) as stub:
        patient = Patient(stub)
        tables = [await dealt(patient) for _ in range(4)]
        watches = [asyncio.create_task(watched(stub, table.match_id)) for table in tables]
        versions = await asyncio.gather(*(play_on(patient, table) for table in tables))
        assert await asyncio.gather(*watches) == versions
        listed = await stub.ListMatches(pb.ListMatchesRequest(page_size=100))
        assert {table.match_id for table in tables} <= {row.match_id for row in listed.matches}


async def test_a_server_that_was_there_before_its_cluster_was_formed_plays() -> None:
    """Nodes without slots are a store that does not answer yet."""
    lasts = Duration()
    lasts.FromMilliseconds(1)
    clock = match_pb2.Clock(move_limit=lasts, on_expiry=match_pb2.EXPIRY_ACTION_LOSE)
    with cluster(SAFE, primaries=1, formed=False) as nodes:
        async with served(nodes.url) as stub:
            for _ in range(3):
                with pytest.raises(grpc.aio.AioRpcError) as away:
                    await stub.ListMatches(pb.ListMatchesRequest())
                assert reason_of(away.value) == "STORAGE"
                await asyncio.sleep(1)  # clocks, bells and health ask meanwhile
            await asyncio.to_thread(form, nodes)
            patient = Patient(stub)
            table = await dealt(patient, clock=clock)
            assert await watched(stub, table.match_id)
            assert (await get(patient, table)).match.outcome.cause == (
                match_pb2.OUTCOME_CAUSE_TIMED_OUT
            )


def sets(event: asyncio.Event) -> Ring:
    return lambda version: event.set()


async def test_bells_ring_wherever_their_bucket_is(store: SentinelSet | Cluster) -> None:
    topics = [f"topic-{n}" for n in range(40)]
    rung = {topic: asyncio.Event() for topic in topics}
    async with opened(parse_address(store.url), replicas=0, connections=4) as access:
        doorbell = RedisDoorbell(access.exchange)
        running = asyncio.create_task(doorbell.run())
        contexts = [doorbell.listen(topic, sets(rung[topic])) for topic in topics]
        for context in contexts:
            context.__enter__()
        for topic in topics:
            rung[topic].clear()
            while not rung[topic].is_set():  # a subscription rings for everybody, too
                await access.writes.spublish(keys_of(topic).bell, topic)
                await asyncio.sleep(0.02)
        for context in contexts:
            context.__exit__(None, None, None)
        running.cancel()
        await asyncio.wait([running])


def followers(store: SentinelSet | Cluster) -> list[Member]:
    members = store.stores if isinstance(store, SentinelSet) else store.nodes
    return [member for member in members if member.replication()["role"] == "slave"]


@contextmanager
def without_replicas(store: SentinelSet | Cluster) -> Iterator[None]:
    """Let the replicas fall silent while the context lasts."""
    silent = followers(store)
    assert silent
    for member in silent:
        member.hurt(signal.SIGSTOP)
    try:
        yield
    finally:
        for member in silent:
            member.hurt(signal.SIGCONT)


async def unavailable(stub: Any, table: Table, request: Any) -> str:
    """Submit a move of the first seat that the store does not take; say whether it was applied."""
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await submit(stub, table, 0, request)
    info = info_of(refused.value)
    assert info.reason == "STORAGE"
    return str(info.metadata["applied"])


async def first_move(stub: Any, table: Table) -> Any:
    listed = await legal(stub, table, 0)
    return submission(table, listed.version, listed.moves[0])


async def test_a_move_is_acknowledged_once_replicas_have_it(store: SentinelSet | Cluster) -> None:
    """Repeats too, whether the server remembers the match or must load it."""
    async with served(store.url) as stub, served(store.url) as other:
        table = await dealt(Patient(stub))
        move = await first_move(stub, table)
        with without_replicas(store):
            assert await unavailable(stub, table, move) == "unknown"
            assert await unavailable(stub, table, move) == "unknown"
            assert await unavailable(other, table, move) == "unknown"
        answer = await answered(other, table, move)
        assert answer.replayed
        assert (await get(stub, table)).match.version == answer.version


async def answered(stub: Any, table: Table, request: Any) -> Any:
    """Submit until the store answers."""
    while True:
        try:
            return await submit(stub, table, 0, request)
        except grpc.aio.AioRpcError as failed:
            assert info_of(failed).reason == "STORAGE"


async def test_the_fast_mode_waits_for_no_replica(store: SentinelSet | Cluster) -> None:
    async with served(store.url, durability="fast") as stub:
        table = await dealt(Patient(stub))
        move = await first_move(stub, table)
        with without_replicas(store):
            assert not (await submit(stub, table, 0, move)).replayed


async def test_too_few_replicas_and_nothing_is_written(store: SentinelSet | Cluster) -> None:
    members = store.stores if isinstance(store, SentinelSet) else store.nodes
    async with served(store.url) as stub:
        table = await dealt(Patient(stub))
        move = await first_move(stub, table)
        for member in members:
            member.ask("CONFIG", "SET", "min-replicas-to-write", "5")
        try:
            assert await unavailable(stub, table, move) == "no"
        finally:
            for member in members:
                member.ask("CONFIG", "SET", "min-replicas-to-write", SAFE["min-replicas-to-write"])
        assert not (await submit(stub, table, 0, move)).replayed


async def test_what_comes_together_waits_together(sentinels: SentinelSet) -> None:
    async with connect(sentinels.url, retries=0, connections=2) as client:
        access = plain(client, client, replicas=2)
        await client.config_resetstat()
        sets = (access.commits.execute_command("SET", f"k{n}", n) for n in range(200))
        assert set(await asyncio.gather(*sets)) == {b"OK"}
        waits = (await client.info("commandstats"))["cmdstat_wait"]["calls"]
        await access.aclose()
    assert 1 <= waits <= 3


async def test_moves_go_on_while_a_slot_moves(clustered: Cluster) -> None:
    """With a match in two halves nothing is written; whole, it is played where it is."""
    async with served(clustered.url) as stub, served(clustered.url) as other:
        table = await dealt(Patient(stub))
        slot = key_slot(bucket_of(table.match_id)[1:-1].encode())
        patient = Patient(stub)
        await play_on(patient, table, 2)
        source = clustered.holder(slot)
        target = next(node for node in clustered.nodes[:3] if node is not source)
        clustered.begin_move(slot, source, target)
        await play_on(patient, table, 2)  # all of it is still there
        move = await any_move(stub, table)
        clustered.carry(slot, source, target, 1)
        assert await half_moved(stub, table, move) == "no"
        clustered.carry(slot, source, target, 100)
        await submit(patient, table, *move)
        await play_on(patient, table, 2)
        clustered.end_move(slot, target)
        reached = await play_on(Patient(other), table, 2)
        assert (await get(patient, table)).match.version == reached
        await play_on(patient, table)


async def any_move(stub: Any, table: Table) -> tuple[int, Any]:
    seat = (await get(stub, table)).match.seat_to_move
    listed = await legal(stub, table, seat)
    return seat, submission(table, listed.version, listed.moves[0])


async def half_moved(stub: Any, table: Table, move: tuple[int, Any]) -> str:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await submit(stub, table, *move)
    return str(info_of(refused.value).metadata["applied"])

"""The store as it is shipped: its user may do what the service needs and nothing else."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration
from redis import Redis
from redis.exceptions import AuthenticationError, NoPermissionError

from dragonhall.bots.hosting import host_bot
from dragonhall.bots.random_bot import RandomBot
from dragonhall.sdk import Client
from dragonhall.sdk.errors import BotNotFound
from dragonhall.v1 import match_pb2, match_service_pb2
from dragonhall_service.app import running_server
from dragonhall_service.config import Settings
from tests.bench.processes import stores
from tests.deploy.stack import DEPLOY, SecuredStore, secured_store
from tests.service.driver import (
    Patient,
    Table,
    dealt,
    get,
    metadata,
    new_token,
    options,
    play_on,
    request_id,
    served,
    stub_of,
)
from tests.service.replicated import SAFE, Member, cluster, sentinel_set

ALLOWED = set(re.findall(r"\+(\S+)", (DEPLOY / "redis" / "users.acl").read_text().splitlines()[1]))
CLOCK = match_pb2.Clock(move_limit=Duration(seconds=1), on_expiry=match_pb2.EXPIRY_ACTION_LOSE)


@pytest.fixture(scope="module", params=sorted(stores()))
def store(request: pytest.FixtureRequest) -> Iterator[SecuredStore]:
    with secured_store(stores()[request.param]) as running:
        yield running


async def watched(stub: Any, table: Table) -> None:
    async for _ in stub.WatchMatch(match_service_pb2.WatchMatchRequest(match_id=table.match_id)):
        pass


async def do_everything(stub: Any) -> None:
    """Make every kind of call, and let a clock and a lobby expire."""
    lobby = match_service_pb2.CreateMatchRequest(
        request_id=request_id(), token=new_token(), options=options()
    )
    await stub.CreateMatch(lobby)
    slow = await dealt(stub, clock=CLOCK)
    table = await dealt(stub)
    await play_on(stub, table)
    await watched(stub, table)
    await stub.ListEvents(match_service_pb2.ListEventsRequest(match_id=table.match_id))
    await stub.GetReplay(match_service_pb2.GetReplayRequest(match_id=table.match_id))
    await stub.ListMatches(match_service_pb2.ListMatchesRequest())
    resigned, aborted = await dealt(stub), await dealt(stub)
    resign = match_service_pb2.ResignMatchRequest(
        match_id=resigned.match_id, request_id=request_id()
    )
    await stub.ResignMatch(resign, metadata=resigned.seated(0))
    abort = match_service_pb2.AbortMatchRequest(match_id=aborted.match_id, request_id=request_id())
    await stub.AbortMatch(abort, metadata=metadata(aborted.host))
    await watched(stub, slow)
    assert (await get(stub, slow)).match.HasField("outcome")


async def play_as_bots(client: Client) -> None:
    """Let two bots play a match and be revoked; ask for everything that is told of bots."""
    bots = {name: new_token() for name in ("anna", "bert")}
    hosted = [
        asyncio.create_task(
            host_bot(client, name, token, ["dragonheart"], lambda game, seed: RandomBot(seed))
        )
        for name, token in bots.items()
    ]
    while set(bots) - {bot.name async for bot in client.list_bots() if bot.connected}:
        await asyncio.sleep(0.05)
    match = await client.create_match(new_token(), options(), bots=dict(enumerate(bots)))
    async for _ in client.watch(match.match_id):
        pass
    hosted[0].cancel()  # ends its stream
    for name, token in bots.items():
        await client.list_bot_calls(token)
        await client.revoke_bot(name, token)
    ends = await asyncio.gather(*hosted, return_exceptions=True)
    assert [type(end) for end in ends] == [asyncio.CancelledError, BotNotFound]


@pytest.mark.parametrize("kind", sorted(stores()))
async def test_what_is_committed_is_there_after_a_restart(kind: str, tmp_path: Path) -> None:
    """Redis 7.0 replays its file as the user default, and would lose what that may not do."""
    with secured_store(stores()[kind], tmp_path) as store:
        async with served(store.service_url) as stub:
            table = await dealt(stub)
            version = await play_on(stub, table, moves=5)
    with secured_store(stores()[kind], tmp_path) as store:
        async with served(store.service_url) as stub:
            assert (await get(stub, table)).match.version == version


def refused(operator: Any) -> list[str]:
    """Name what the service's user was refused, with the reason."""
    entries: list[Any] = operator.acl_log()
    return sorted({f"{entry['object']} ({entry['reason']})" for entry in entries})


async def used_by_the_service(url: str, *members: str) -> set[str]:
    """Let a server do everything, and name the commands that all members of the store counted.

    Args:
        members: their addresses for their operator.
    """
    operators = [Redis.from_url(each, decode_responses=True) for each in members]
    for operator in operators:
        operator.acl_log_reset()
    settings = Settings(redis_url=url, listen="127.0.0.1:0", drain_s=0, grace_s=1, lobby_ttl_s=1)
    async with running_server(settings) as server, Client(server.target) as client:
        await do_everything(Patient(stub_of(client._channel)))
        await play_as_bots(client)
    counted: set[str] = set()
    for operator in operators:
        assert refused(operator) == [], "add these to deploy/redis/users.acl"
        counted |= {name.removeprefix("cmdstat_") for name in operator.info("commandstats")}
        operator.close()
    return counted


OF_A_CLUSTER = {"cluster|slots", "command"}
UNUSED = "the service uses no longer: take these away"


async def test_the_service_needs_these_commands_and_no_other(store: SecuredStore) -> None:
    used = await used_by_the_service(store.service_url, store.operator_url)
    assert used >= ALLOWED - OF_A_CLUSTER - {"wait", "asking"}, UNUSED


def guarded(members: Sequence[Member], url: str) -> str:
    """Give every member the shipped user, and return the store's address for it."""
    _, name, *rules = (DEPLOY / "redis" / "users.acl").read_text().splitlines()[1].split()
    for member in members:
        word = [">word" if rule == "#SERVICE_SHA256" else rule for rule in rules]
        member.ask("ACL", "SETUSER", name, *word)
    return url.replace("://", f"://{name}:word@")


async def test_with_sentinels_it_needs_one_more() -> None:
    with sentinel_set(SAFE, replicas=1) as running:
        url = guarded(running.stores, running.url) + "?sentinels=open"
        used = await used_by_the_service(url, *(f"redis://{m.address}" for m in running.stores))
        assert used >= ALLOWED - OF_A_CLUSTER - {"asking"}, UNUSED


async def test_with_a_cluster_it_needs_all() -> None:
    """ASKING alone is for slots on the move: tests/service/test_durability.py moves one."""
    with cluster(SAFE) as running:
        url = guarded(running.nodes, running.url)
        used = await used_by_the_service(url, *(f"redis://{m.address}" for m in running.nodes))
        assert used >= ALLOWED - {"asking"}, UNUSED


@pytest.mark.parametrize(
    "command",
    ["FLUSHALL", "KEYS *", "CONFIG SET dir /tmp", "GET dh:x", "HGET other x", "SSUBSCRIBE other"],
)
async def test_another_command_key_or_channel_is_refused(store: SecuredStore, command: str) -> None:
    with Redis.from_url(store.service_url) as service, pytest.raises(NoPermissionError):
        service.execute_command(*command.split())


async def test_nobody_comes_in_without_a_password(store: SecuredStore) -> None:
    address = store.service_url.partition("@")[2]
    for user in ("", "dragonhall:wrong@"):
        refusals = pytest.raises((AuthenticationError, NoPermissionError))
        with Redis.from_url(f"redis://{user}{address}") as stranger, refusals:
            stranger.ping()


async def test_a_commit_is_on_disk_before_its_answer(store: SecuredStore) -> None:
    with Redis.from_url(store.operator_url, decode_responses=True) as operator:
        for name, value in {
            "appendonly": "yes",
            "appendfsync": "always",
            "maxmemory-policy": "noeviction",
        }.items():
            assert operator.config_get(name) == {name: value}

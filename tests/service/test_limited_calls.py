"""Quotas over the wire: a refusal says when to come back, and the SDK does so by itself."""

import asyncio
import hashlib
import itertools
from base64 import urlsafe_b64decode
from contextlib import suppress
from typing import Any

import grpc
import pytest
from google.rpc.error_details_pb2 import RetryInfo
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from dragonhall.sdk import Client
from dragonhall.sdk.blocking import Client as BlockingClient
from dragonhall.v1 import match_service_pb2 as pb
from dragonhall_service.app import running_server
from dragonhall_service.config import Settings
from dragonhall_service.credentials import Caller, caller_of
from dragonhall_service.usecases.quotas import Kind, Quotas
from tests.contract.statuses import details_of
from tests.service.driver import (
    dealt,
    get,
    legal,
    metadata,
    new_token,
    options,
    reason_of,
    request_id,
    served,
    stub_of,
    submission,
    submit,
)
from tests.service.scraping import MATCHES, Scrape, free_address
from tests.service.test_bots import ByHand, registered

TIGHT: dict[str, Any] = {"calls_per_token": 1, "openings_per_token": 1}
MANY = 42
"""Calls at once, of which `slow` lets 30 in and 3 a second after them."""
MOST = 500
"""Far more calls than any quota of these tests; of one a second, some must be refused."""


def hash_of(token: str) -> str:
    return hashlib.sha256(urlsafe_b64decode(token + "=")).hexdigest()


async def refusal_of(call: Any) -> grpc.aio.AioRpcError | None:
    """Call once and return the refusal."""
    try:
        await call()
    except grpc.aio.AioRpcError as error:
        assert reason_of(error) == "QUOTA"
        assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        return error
    return None


async def exhausted(call: Any) -> grpc.aio.AioRpcError:
    """Call until it is refused."""
    for _ in range(MOST):
        if error := await refusal_of(call):
            return error
    raise AssertionError(f"{MOST} calls were let in")


async def test_a_refusal_says_when_to_come_back(one_store_url: str) -> None:
    async with served(one_store_url, **TIGHT) as stub:
        table = await dealt(stub)
        error = await exhausted(lambda: get(stub, table, table.seats[0]))
        told = dict(error.trailing_metadata() or ())
        (info,) = details_of(error, RetryInfo)
        wait_ms = int(str(told["grpc-retry-pushback-ms"]))
        assert info.retry_delay.ToMilliseconds() == wait_ms
        await asyncio.sleep(wait_ms / 1000)
        assert not await refusal_of(lambda: get(stub, table, table.seats[0]))
        assert not await refusal_of(lambda: get(stub, table, table.seats[1])), "another token"


async def test_moves_are_limited_by_the_token_that_makes_them(one_store_url: str) -> None:
    async with served(one_store_url, **TIGHT) as stub:
        table = await dealt(stub)
        listed = await legal(stub, table, 0)
        wrong = submission(table, 99, listed.moves[0])

        async def move() -> None:
            try:
                await submit(stub, table, 0, wrong)
            except grpc.aio.AioRpcError as error:
                if reason_of(error) != "VERSION_CONFLICT":
                    raise

        await exhausted(move)  # refused moves count too
        await stub.ListMatches(pb.ListMatchesRequest())


async def test_openings_are_limited_by_the_token_in_the_request(one_store_url: str) -> None:
    async with served(one_store_url, openings_per_token=1) as stub:

        async def create(token: str) -> None:
            request = pb.CreateMatchRequest(request_id=request_id(), token=token, options=options())
            await stub.CreateMatch(request)

        one, other = new_token(), new_token()
        await exhausted(lambda: create(one))
        assert not await refusal_of(lambda: create(other))
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await create("no token")
        assert reason_of(refused.value) == "FIELD_INVALID"


async def test_an_organiser_is_not_limited(one_store_url: str) -> None:
    organiser = new_token()
    limits = TIGHT | {"calls_per_address": 1, "watches_per_token": 1, "streams_per_address": 1}
    async with served(one_store_url, organisers=hash_of(organiser), **limits) as stub:
        created = pb.CreateMatchRequest(request_id="a", token=organiser, options=options())
        match_id = (await stub.CreateMatch(created)).match.match_id
        asked = pb.GetMatchRequest(match_id=match_id)
        watched = pb.WatchMatchRequest(match_id=match_id)
        for _ in range(30):
            await stub.GetMatch(asked, metadata=metadata(organiser))
        watches = [stub.WatchMatch(watched, metadata=metadata(organiser)) for _ in range(3)]
        for watch in watches:
            await watch.read()
        await exhausted(lambda: stub.GetMatch(asked))


async def test_streams_are_limited_by_the_address(one_store_url: str) -> None:
    async with served(one_store_url, streams_per_address=2) as stub:
        table = await dealt(stub)
        asked = pb.WatchMatchRequest(match_id=table.match_id)
        held = [stub.WatchMatch(asked, metadata=table.seated(seat)) for seat in (0, 1)]
        for call in held:
            await call.read()
        assert await refusal_of(lambda: stub.WatchMatch(asked).read())


async def test_probes_are_never_limited(one_store_url: str) -> None:
    settings = Settings(
        redis_url=one_store_url, listen="127.0.0.1:0", drain_s=0, calls_per_address=1
    )
    async with (
        running_server(settings) as server,
        grpc.aio.insecure_channel(server.target) as channel,
    ):
        stub: Any = health_pb2_grpc.HealthStub(channel)
        for _ in range(30):
            await stub.Check(health_pb2.HealthCheckRequest())


@pytest.mark.parametrize(
    ("trusted", "shared"), [("127.0.0.0/8", False), ("", True), ("10.0.0.0/8", True)]
)
async def test_behind_a_trusted_proxy_the_client_counts_not_the_proxy(
    one_store_url: str, trusted: str, shared: bool
) -> None:
    numbers = itertools.count()

    async def call() -> None:
        via = (("x-forwarded-for", f"10.9.9.9, 192.0.2.{next(numbers) % 250}"),)
        await stub.ListMatches(pb.ListMatchesRequest(), metadata=via)

    async with served(one_store_url, calls_per_address=1, trusted_proxies=trusted) as stub:
        if shared:
            await exhausted(call)
        else:
            assert not any([await refusal_of(call) for _ in range(30)])


async def test_what_comes_on_a_stream_is_counted(one_store_url: str) -> None:
    """Each message waits for its turn as a call would; 30 of them need 20 s at one a second."""
    asked = reflection_pb2.ServerReflectionRequest(list_services="")
    told = 1
    slow: dict[str, Any] = {"calls_per_address": 1, "calls_per_token": 1}
    settings = Settings(redis_url=one_store_url, listen="127.0.0.1:0", drain_s=0, **slow)
    async with (
        running_server(settings) as server,
        grpc.aio.insecure_channel(server.target) as channel,
    ):
        reflection: Any = reflection_pb2_grpc.ServerReflectionStub(channel)  # type: ignore[arg-type]
        stream = reflection.ServerReflectionInfo(iter([asked] * 30))
        assert await stream.read() is not grpc.aio.EOF
        with suppress(TimeoutError):
            async with asyncio.timeout(2):
                while await stream.read() is not grpc.aio.EOF:
                    told += 1
        stream.cancel()
    assert told < 30


async def test_what_a_bot_answers_is_counted(
    one_store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[Caller] = []
    pace_s = Quotas.pace_s

    def count(self: Quotas, kind: Kind, caller: Caller) -> float:
        counted.append(caller)
        return pace_s(self, kind, caller)

    monkeypatch.setattr(Quotas, "pace_s", count)
    settings = Settings(redis_url=one_store_url, listen="127.0.0.1:0", drain_s=0)
    async with running_server(settings) as server, Client(server.target) as client:
        _, token = await registered(client)
        match = await client.create_match(token, options())
        stream = ByHand(client, token)
        await stream.hello()
        for seated in (token, new_token()):
            await client.join_match(match.match_id, seated)
        turn = (await stream.next("turn")).turn
        await stream.answer(turn)
        await stream.next("accepted")
        stream.call.cancel()
    assert counted == [caller_of(token, "127.0.0.1")]


# ---- the SDK ------------------------------------------------------------------------------------


@pytest.fixture
def slow() -> dict[str, Any]:
    return {"calls_per_token": 3, "metrics_listen": free_address()}


async def once_refused_at_most(slow: dict[str, Any], answered: int) -> None:
    """Hold the server's own count of GetMatch against what the clients saw."""
    scrape = Scrape(slow["metrics_listen"])
    asked = {"method": f"{MATCHES}GetMatch"}
    await scrape.until(answered, "dragonhall_calls_total", **asked, code="OK")
    calls = await asyncio.to_thread(scrape.value, "dragonhall_calls_total", **asked)
    assert answered < calls <= 2 * answered


async def test_the_sdk_comes_back_when_it_was_told_to(
    one_store_url: str, slow: dict[str, Any]
) -> None:
    settings = Settings(redis_url=one_store_url, listen="127.0.0.1:0", drain_s=0, **slow)
    async with running_server(settings) as server, Client(server.target) as client:
        token = new_token()
        match = await client.create_match(token, options())
        calls = [client.get_match(match.match_id, token) for _ in range(MANY)]
        await asyncio.gather(*calls)
        await once_refused_at_most(slow, MANY)


async def test_the_blocking_sdk_comes_back_when_it_was_told_to(
    one_store_url: str, slow: dict[str, Any]
) -> None:
    settings = Settings(redis_url=one_store_url, listen="127.0.0.1:0", drain_s=0, **slow)
    async with running_server(settings) as server:
        client = BlockingClient(server.target)
        token = new_token()
        match = await asyncio.to_thread(client.create_match, token, options())
        calls = [asyncio.to_thread(client.get_match, match.match_id, token) for _ in range(MANY)]
        await asyncio.gather(*calls)
        await once_refused_at_most(slow, MANY)
        await asyncio.to_thread(client.close)


async def test_a_watch_of_the_sdk_waits_its_turn(one_store_url: str) -> None:
    settings = Settings(redis_url=one_store_url, listen="127.0.0.1:0", drain_s=0, **TIGHT)
    async with (
        running_server(settings) as server,
        Client(server.target) as client,
        grpc.aio.insecure_channel(server.target) as channel,
    ):
        table = await dealt(stub_of(channel))
        await exhausted(lambda: get(stub_of(channel), table, table.seats[0]))
        async for message in client.watch(table.match_id, table.seats[0]):
            assert message.WhichOneof("body") == "snapshot"
            break

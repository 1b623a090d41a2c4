"""Malformed and hostile calls: each is the client's fault, none changes anything (P11)."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from redis.asyncio import Redis

from dragonhall_service.api import boundary, validation
from dragonhall_service.app import running_server
from dragonhall_service.config import Settings
from dragonhall_service.embedded import embedded_store
from dragonhall_service.usecases import opening
from dragonhall_service.usecases.refusals import FieldInvalid, match_over
from tests.budget import cases
from tests.contract.fuzzer import Fuzzer, plan
from tests.contract.harmless import worrying
from tests.contract.methods import methods_of
from tests.contract.scenes import stages
from tests.contract.stored import contents, differences
from tests.service.driver import running_process

SEED = 20_260_729
CASES = cases(ci=2_000, sweep=20_000)
STREAMS = CASES // 8
"""How many of them are streams of requests."""
WARM_UP = cases(ci=500, sweep=2_000)
"""Calls after which a server's memory should have reached its size."""
MOST_GROWTH = 20_000_000


def resident_bytes(pid: int) -> int:
    """Return the memory that a process holds."""
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found
    return int(found[1]) * 1_000


@asynccontextmanager
async def channels(target: str) -> AsyncIterator[tuple[Any, Any]]:
    """Open a channel of grpc.aio and one of grpc."""
    async with grpc.aio.insecure_channel(target) as channel:
        with grpc.insecure_channel(target) as blocking:
            yield channel, blocking


@asynccontextmanager
async def raw_client(url: str) -> AsyncIterator[Any]:
    raw = Redis.from_url(url)
    try:
        yield raw
    finally:
        await raw.aclose()


async def test_hostile_calls_are_the_clients_fault_and_change_nothing() -> None:
    with embedded_store() as url:
        async with running_process(url, QUOTAS="off") as server, raw_client(url) as raw:
            await raw.config_set("appendfsync", "no")
            async with channels(server.target) as (channel, blocking):
                methods = await asyncio.to_thread(methods_of, server.target)
                fuzzer = Fuzzer(channel, blocking, raw, await stages(channel, raw), SEED)
                streams = [method for method in methods if method.request_streaming]
                others = [method for method in methods if not method.request_streaming]
                await fuzzer.find_homes(others)
                before = await contents(raw)
                cases_ = plan(others, fuzzer.chance)
                await fuzzer.run(cases_, WARM_UP)
                resident = resident_bytes(server.pid)
                await fuzzer.run(cases_, CASES - STREAMS)
                await fuzzer.find_homes(streams)
                await fuzzer.run(plan(streams, fuzzer.chance), CASES)
                growth = resident_bytes(server.pid) - resident
                after = await contents(raw)
    found = fuzzer.found
    print(f"seed {SEED}, growth {growth} bytes, good calls in {fuzzer.homes}", found.report())
    print(f"without one: {sorted({method.name for method in methods} - fuzzer.homes.keys())}")
    assert not found.wrong, "\n".join(found.wrong[:30])
    assert differences(before, after, fuzzer.made | fuzzer.written) == []
    assert set(found.methods) == {method.path for method in methods}
    assert worrying(found.accepted) == []
    assert growth < MOST_GROWTH
    assert '"bug"' not in server.log


# ---- planted faults -----------------------------------------------------------------------------


def _lets_exceptions_out(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(call: Any, error: Exception) -> None:
        raise error

    monkeypatch.setattr(boundary._Call, "fail", fail)


def _writes_and_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    create = opening.create_match

    async def create_and_refuse(*arguments: Any) -> Any:
        await create(*arguments)
        raise match_over()

    monkeypatch.setattr(opening, "create_match", create_and_refuse)


def _misnames_a_field(monkeypatch: pytest.MonkeyPatch) -> None:
    def seed(data: bytes) -> bytes:
        raise FieldInvalid("options.sead", "64 bytes")

    monkeypatch.setattr(validation, "seed", seed)


def _blames_another_field(monkeypatch: pytest.MonkeyPatch) -> None:
    def seed(data: bytes) -> bytes:
        raise FieldInvalid("deal_id", "64 bytes")

    monkeypatch.setattr(validation, "seed", seed)


PLANTS = {
    "StatusCode.UNKNOWN": _lets_exceptions_out,
    "the store has changed": _writes_and_refuses,
    "no field 'options.sead'": _misnames_a_field,
    "deal_id is blamed": _blames_another_field,
}


async def test_planted_faults_are_found(
    one_store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(redis_url=one_store_url, listen="127.0.0.1:0", drain_s=0)
    async with running_server(settings) as server, raw_client(one_store_url) as raw:
        methods = await asyncio.to_thread(methods_of, server.target)
        creating = [method for method in methods if method.name == "CreateMatch"]
        async with grpc.aio.insecure_channel(server.target) as channel:
            set_up = await stages(channel, raw)
            for complaint, plant in PLANTS.items():
                fuzzer = Fuzzer(channel, None, raw, set_up, SEED)
                await fuzzer.find_homes(creating)
                with monkeypatch.context() as planted:
                    plant(planted)
                    await fuzzer.run(plan(creating, fuzzer.chance), 100)
                assert any(complaint in wrong for wrong in fuzzer.found.wrong), complaint


async def test_a_method_that_a_service_leaves_out_is_unimplemented(one_store_url: str) -> None:
    settings = Settings(redis_url=one_store_url, listen="127.0.0.1:0", drain_s=0)
    async with (
        running_server(settings) as server,
        grpc.aio.insecure_channel(server.target) as channel,
    ):
        call: Any = channel.unary_unary("/grpc.health.v1.Health/List")
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await call(b"")
    assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED

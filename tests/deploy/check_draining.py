"""An Envoy that is taken away sends its callers to another one, by the manifest's own command."""

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import AsyncIterator
from typing import Any

import yaml

from dragonhall.sdk.tls import open_channel
from tests.deploy.stack import (
    DEPLOY,
    Balancer,
    curl,
    free_port,
    running_balancer,
    running_servers,
    until_all_answer,
    wait_for,
)
from tests.service.driver import dealt, get, stub_of


class Service:
    """What a Service of Kubernetes does: who comes is led to `to`, who is there stays."""

    def __init__(self, port: int, to: int) -> None:
        self.port = port
        self.to = to

    async def lead(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        back, on = await asyncio.open_connection("127.0.0.1", self.to)
        await asyncio.gather(carry(reader, on), carry(back, writer))


async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on what comes until one of the two ends."""
    with contextlib.suppress(OSError):
        while some := await reader.read(65_536):
            writer.write(some)
            await writer.drain()
    writer.close()


@contextlib.asynccontextmanager
async def service(to: int) -> AsyncIterator[Service]:
    way = Service(free_port(), to)
    async with await asyncio.start_server(way.lead, "127.0.0.1", way.port):
        yield way


def pre_stop(admin: int) -> None:
    """Run what the manifest has Kubernetes run, without its wait."""
    for each in yaml.safe_load_all((DEPLOY / "k8s" / "base" / "envoy.yaml").read_text()):
        if each["kind"] == "Deployment":
            (container,) = each["spec"]["template"]["spec"]["containers"]
    command = container["lifecycle"]["preStop"]["exec"]["command"]
    *shell, script = command
    for shipped, here in (("/9901", f"/{admin}"), ("sleep 10", "sleep 0")):
        assert script.count(shipped) == 1
        script = script.replace(shipped, here)
    subprocess.run([*shell, script], check=True)


def counted(envoy: Balancer, name: str) -> int:
    """Return what Envoy counts of its clients' connections."""
    asked = f"http://127.0.0.1:{envoy.admin}/stats?filter=^http.clients.{name}$"
    return int(curl(asked).rpartition(b": ")[2])


def left(envoy: Balancer) -> bool:
    return counted(envoy, "downstream_cx_active") == 0


async def test_who_calls_goes_to_another_envoy_before_one_ends(one_store_url: str) -> None:
    """Of a call that no server has seen since GOAWAY came, gRPC itself makes another one."""
    answered: list[Any] = []

    async def call_on(stub: Any) -> None:
        table = await dealt(stub)
        while True:
            answered.append(await get(stub, table))

    async def more(calls: "asyncio.Task[None]") -> None:
        before = len(answered)
        while len(answered) < before + 100:
            assert not calls.done(), calls.exception()
            await asyncio.sleep(0.01)

    with (
        running_servers(one_store_url) as (server,),
        running_balancer("envoy", [server.port]) as old,
        running_balancer("envoy", [server.port]) as new,
    ):
        for envoy in (old, new):
            await until_all_answer(envoy)
        async with service(old.port) as way, open_channel(f"127.0.0.1:{way.port}", None) as channel:
            calls = asyncio.create_task(call_on(stub_of(channel)))
            await more(calls)
            assert counted(old, "downstream_cx_active") == 1
            way.to = new.port
            await asyncio.to_thread(pre_stop, old.admin)
            await asyncio.to_thread(wait_for, "the end of its connection", lambda: left(old))
            assert counted(old, "downstream_cx_drain_close") == 1
            os.kill(old.pid, signal.SIGTERM)
            await more(calls)
            calls.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await calls

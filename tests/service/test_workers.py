"""`dragonhall serve --workers`: one port, several processes, one supervisor."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dragonhall.sdk import Client, new_token
from dragonhall.sdk.admin import AdminClient
from dragonhall_service.config import environment_of, read_settings
from tests.deploy.stack import free_port, listens
from tests.service.driver import SERVE, dealt, play_on, running_process, stub_of
from tests.service.scraping import Scrape

WORKERS = 3


async def until(happened: Callable[[], Any]) -> None:
    async with asyncio.timeout(60):
        while not await asyncio.to_thread(happened):
            await asyncio.sleep(0.05)


def children(pid: int) -> set[int]:
    return set(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


def free_ports(count: int) -> int:
    """Return the first of so many ports in a row that nobody listens on."""
    while True:
        first = free_port()
        if not any(listens(first + n) for n in range(count)):
            return first


def calls_of(port: int) -> float:
    """Return how many calls a worker has ended; nothing while it is away."""
    try:
        return Scrape(f"127.0.0.1:{port}").value("dragonhall_calls_total", code="OK")
    except OSError:
        return 0.0


async def call_anew(target: str) -> None:
    """Make a call over a connection of its own, wherever the kernel sends it."""
    async with Client(target) as client:
        await client.get_server_info()


async def until_all_are_asked(target: str, ports: range) -> None:
    async with asyncio.timeout(60):
        while not all([await asyncio.to_thread(calls_of, port) for port in ports]):
            await call_anew(target)


async def test_a_dead_worker_is_replaced_while_others_serve(one_store_url: str) -> None:
    first = free_ports(WORKERS)
    settings = {"WORKERS": str(WORKERS), "METRICS_LISTEN": f"127.0.0.1:{first}"}
    async with running_process(one_store_url, **settings) as server:
        ports = range(first, first + WORKERS)
        await until_all_are_asked(server.target, ports)
        before = children(server.pid)
        assert len(before) == WORKERS
        victim = min(before)
        os.kill(victim, signal.SIGKILL)
        async with Client(server.target) as client:  # it repeats what the kill has cut
            stub = stub_of(client._channel)
            await call_anew(server.target)
            await until(lambda: len(children(server.pid) - {victim}) == WORKERS)
            await until_all_are_asked(server.target, ports)
            await play_on(stub, await dealt(stub), moves=5)
    assert f'"code": {-signal.SIGKILL}' in server.log
    assert server.log.count('"worker ended"') == 1


async def test_each_worker_has_a_port_for_operators(one_store_url: str, tmp_path: Path) -> None:
    first, tokens = free_ports(2), tmp_path / "tokens"
    tokens.write_text(new_token())
    settings = {"ADMIN_LISTEN": f"127.0.0.1:{first}", "ADMIN_TOKEN_FILE": str(tokens)}
    async with running_process(one_store_url, WORKERS="2", **settings) as server:
        for port in (first, first + 1):
            await until(partial(listens, port))
            async with AdminClient(f"127.0.0.1:{port}", tokens.read_text()) as admin:
                while not (await admin.drain_server()).drained:
                    pass
        await call_anew(server.target)


async def test_workers_end_with_their_supervisor(one_store_url: str) -> None:
    process = serve(one_store_url, f"127.0.0.1:{free_port()}", "--workers", "2")
    try:
        await until(lambda: len(children(process.pid)) == 2)
        await asyncio.to_thread(process.stderr.readline)  # one serves
        orphans = children(process.pid)
    finally:
        process.kill()
        process.communicate()
    await until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in orphans))


def serve(store_url: str, listen: str, *more: str, **environment: str) -> Any:
    arguments = ["serve", "--listen", listen, "--redis", store_url, *more]
    return subprocess.Popen(
        [sys.executable, "-c", SERVE, *arguments],
        env={"DRAGONHALL_DRAIN_S": "0", "DRAGONHALL_LOG_FORMAT": "json", **environment},
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("more", [[], ["--workers", "2"]])
async def test_nobody_joins_the_port(one_store_url: str, more: list[str]) -> None:
    async with running_process(one_store_url, WORKERS="2") as server:
        other = serve(one_store_url, server.target, *more)
        told = await asyncio.to_thread(lambda: other.communicate()[1])
    assert other.returncode == 2
    assert f"DRAGONHALL_LISTEN {server.target} cannot be listened on" in told


async def test_a_single_server_shares_with_no_workers(one_store_url: str) -> None:
    async with running_process(one_store_url) as server:
        other = serve(one_store_url, server.target, "--workers", "2")
        told = await asyncio.to_thread(lambda: other.communicate()[1])
    assert other.returncode == 2
    assert "cannot be listened on" in told


async def test_what_a_worker_refuses_ends_all(one_store_url: str) -> None:
    nowhere = {"DRAGONHALL_TLS_CERT": "no.crt", "DRAGONHALL_TLS_KEY": "no.key"}
    process = serve(one_store_url, "127.0.0.1:0", "--workers", "2", **nowhere)
    told = await asyncio.to_thread(lambda: process.communicate()[1])
    assert process.returncode == 2
    assert "no certificate, key and CA: no.crt, no.key" in told
    assert "Traceback" not in told


def test_workers_read_the_same_settings() -> None:
    given = {
        "DRAGONHALL_REDIS_URL": "redis://127.0.0.1:1",
        "DRAGONHALL_HEARTBEAT_S": "0.25",
        "DRAGONHALL_WORKERS": "3",
    }
    settings = read_settings(given)
    assert read_settings(environment_of(settings)) == settings

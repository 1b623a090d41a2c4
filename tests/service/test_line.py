"""A line shared by many: answers go to who asked, and a lost connection loses nobody's answer."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from redis import exceptions as failures
from redis.asyncio import Redis

from dragonhall_service.store.connection import connect
from dragonhall_service.store.line import Line

PATIENCE_S = 5.0


@pytest.fixture
async def admin(store_url: str) -> AsyncIterator["Redis"]:
    async with Redis.from_url(store_url) as client:
        yield client
        await client.client_unpause()


@pytest.fixture
async def writes(store_url: str) -> AsyncIterator["Redis"]:
    async with connect(store_url, retries=0, connections=2) as client:
        yield client


@pytest.fixture
async def line(writes: "Redis") -> AsyncIterator[Line]:
    opened = Line(writes, PATIENCE_S)
    yield opened
    await opened.aclose()


async def pause(admin: "Redis") -> None:
    """Keep the store from answering writes."""
    await admin.client_pause(60_000, all=False)


async def test_everybody_gets_the_own_answer(line: Line) -> None:
    answers = await asyncio.gather(*(line.execute_command("ECHO", n) for n in range(500)))
    assert answers == [str(n).encode() for n in range(500)]


async def test_a_refusal_is_told_to_who_asked_alone(line: Line) -> None:
    commands: list[tuple[Any, ...]] = [("ECHO", "a"), ("EVALSHA", "0" * 40, 0), ("ECHO", "b")]
    answers = await asyncio.gather(
        *(line.execute_command(*command) for command in commands), return_exceptions=True
    )
    assert answers[::2] == [b"a", b"b"]
    assert isinstance(answers[1], failures.NoScriptError)


async def test_an_answer_that_nobody_waits_for_is_not_given_to_another(
    line: Line, admin: "Redis"
) -> None:
    await line.execute_command("ECHO", "open")
    await pause(admin)
    tasks = [asyncio.create_task(line.execute_command("SET", "line", n, "GET")) for n in range(3)]
    await asyncio.sleep(0)
    tasks[1].cancel()
    await asyncio.sleep(0)
    await admin.client_unpause()
    await asyncio.wait(tasks)
    assert tasks[1].cancelled()
    assert tasks[2].result() == b"1", "the second was written, but its answer is its own"


async def test_a_lost_connection_is_told_to_all_who_wait_and_opened_anew(
    line: Line, admin: "Redis"
) -> None:
    name = await line.execute_command("CLIENT", "ID")
    await pause(admin)
    tasks = [asyncio.create_task(line.execute_command("SET", "line", n)) for n in range(3)]
    await asyncio.sleep(0)
    await admin.client_kill_filter(_id=name)
    await admin.client_unpause()
    told = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(failure) for failure in told] == [failures.ConnectionError] * 3
    assert await line.execute_command("CLIENT", "ID") != name


async def test_who_is_not_answered_in_time_is_told_so(writes: "Redis", admin: "Redis") -> None:
    line = Line(writes, 0.05)
    name = await line.execute_command("CLIENT", "ID")
    await pause(admin)
    with pytest.raises(failures.TimeoutError):
        await line.execute_command("SET", "line", "late")
    await admin.client_unpause()
    assert await line.execute_command("CLIENT", "ID") != name
    await line.aclose()


async def test_a_busy_process_is_not_a_silent_store(writes: "Redis") -> None:
    line = Line(writes, 0.05)
    await line.execute_command("ECHO", "open")
    asking = asyncio.create_task(line.execute_command("ECHO", "answered long ago"))
    await asyncio.sleep(0)
    time.sleep(0.2)  # the event loop cannot read what is there
    assert await asking == b"answered long ago"
    await line.aclose()


@pytest.mark.parametrize(("retries", "survives"), [(0, False), (1, True)])
async def test_a_client_with_retries_asks_again_over_a_new_connection(
    store_url: str, admin: "Redis", retries: int, survives: bool
) -> None:
    async with connect(store_url, retries=retries, connections=2) as client:
        line = Line(client, PATIENCE_S)
        name = await line.execute_command("CLIENT", "ID")
        await pause(admin)
        asking = asyncio.create_task(line.execute_command("SET", "line", "again"))
        await asyncio.sleep(0)
        await admin.client_kill_filter(_id=name)
        await admin.client_unpause()
        told = (await asyncio.gather(asking, return_exceptions=True))[0]
        assert (told == b"OK") is survives
        await line.aclose()


async def test_callers_that_come_at_once_open_one_connection(line: Line) -> None:
    names = await asyncio.gather(*(line.execute_command("CLIENT", "ID") for _ in range(20)))
    assert len(set(names)) == 1


async def test_nothing_listens_at_the_address(tmp_path: Path) -> None:
    async with connect(f"unix://{tmp_path}/nobody", retries=0, connections=2) as client:
        line = Line(client, PATIENCE_S)
        with pytest.raises(failures.ConnectionError, match="connecting to"):
            await line.execute_command("PING")
        await line.aclose()


async def test_a_store_that_says_nothing_is_no_connection(tmp_path: Path) -> None:
    mute = await asyncio.start_unix_server(lambda reader, writer: None, tmp_path / "mute")
    async with mute, connect(f"unix://{tmp_path}/mute", retries=0, connections=2) as client:
        line = Line(client, 0.05)
        with pytest.raises(failures.ConnectionError, match="connecting to"):
            await line.execute_command("PING")
        await line.aclose()


async def test_who_waits_for_a_connection_waits_for_one_attempt() -> None:
    """A store that hangs takes connections and says nothing: nobody must wait for those before."""
    met = 0

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal met
        met += 1
        await reader.read()
        writer.close()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    async with server, connect(f"redis://{host}:{port}", retries=0, connections=2) as client:
        line = Line(client, 0.2)
        asked = [asyncio.create_task(line.execute_command("ECHO", n)) for n in range(20)]
        asked[0].cancel()
        told = await asyncio.gather(*asked, return_exceptions=True)
        await line.aclose()
    assert isinstance(told[0], asyncio.CancelledError)
    assert {type(each) for each in told[1:]} == {failures.ConnectionError}
    assert met == 1

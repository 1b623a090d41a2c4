"""`dragonhall admin`: an operator's commands, on a server with a listener of their own."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest

from dragonhall.sdk import new_token
from dragonhall_service.app import embedded_server
from tests.clients.inside import command
from tests.service.driver import dealt, play_on, stub_of
from tests.service.scraping import free_address


@dataclass
class Place:
    """A server with a store of its own."""

    stub: Any
    target: str
    options: tuple[str, ...]

    async def admin(self, *arguments: str, code: int = 0) -> str:
        name, *rest = arguments
        return await command("admin", name, *self.options, *rest, code=code)


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[Place]:
    file, address = tmp_path / "tokens", free_address()
    file.write_text(new_token())
    async with (
        embedded_server(admin_listen=address, admin_token_file=str(file)) as target,
        grpc.aio.insecure_channel(target) as channel,
    ):
        yield Place(stub_of(channel), target, ("--server", address, "--token-file", str(file)))


async def test_a_match_is_looked_into_and_ended(at: Place) -> None:
    table = await dealt(at.stub)
    await play_on(at.stub, table, 3)
    told = await at.admin("match", table.match_id)
    assert f"{table.match_id}  running" in told
    assert "to move" in told and "out of time at" in told
    told = await at.admin("match", table.match_id, "--json")
    assert json.loads(told)["match"]["version"] == "7"
    assert f"{table.match_id}  over" in await at.admin("abort", table.match_id)
    assert "over: server fault" in await at.admin("match", table.match_id)
    assert "has ended" in await at.admin("abort", table.match_id, code=1)
    assert "no such match" in await at.admin("match", "a" * 26, code=2)
    for name in ("watch", "replay", "verify"):
        assert await command(name, table.match_id, "--server", at.target)


async def test_tokens_are_taken_away(at: Place) -> None:
    table = await dealt(at.stub)
    told = await at.admin("revoke", "--match", table.match_id, "--seat", "0")
    assert f"{table.match_id}  over" in told
    assert "no such bot" in await at.admin("revoke", "--bot", "nobody", code=2)
    for wrong in (("--bot", "a", "--match", table.match_id), ("--match", table.match_id), ()):
        assert "give --bot, or --match and --seat" in await at.admin("revoke", *wrong, code=2)


async def test_a_server_is_drained(at: Place) -> None:
    assert await command("admin", "stuck", *at.options) == ""
    told = await at.admin("drain", "--wait")
    assert "is drained; open calls: 0" in told
    assert "NOT_SERVING" in await command("health", "--server", at.target, code=1)


async def test_mistakes_are_told(at: Place, tmp_path: Path) -> None:
    server = at.options[:2]
    empty = tmp_path / "empty"
    empty.touch()
    for file, told in [("absent", "No such file"), (str(empty), "holds no token")]:
        shown = await command("admin", "stuck", *server, "--token-file", file, code=2)
        assert told in shown
    assert "name the file" in await command("admin", "stuck", *server, code=2)
    stranger = tmp_path / "stranger"
    stranger.write_text(new_token())
    told = await command("admin", "stuck", *server, "--token-file", str(stranger), code=2)
    assert "no operator" in told
    nowhere = ("--server", "127.0.0.1:1", *at.options[2:])
    assert "no server answers" in await command("admin", "stuck", *nowhere, code=1)


async def test_a_time_that_never_passes_is_refused() -> None:
    told = await command("admin", "stuck", "--overdue", "inf", "--server", "127.0.0.1:9", code=2)
    assert "--overdue" in told

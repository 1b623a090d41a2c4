"""`dragonhall bots` and `dragonhall bot …`."""

import asyncio
import json
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from dragonhall.cli.hosting import hosted
from dragonhall.cli.mistakes import Mistake
from dragonhall.sdk import Client, new_token
from dragonhall.v1 import match_pb2
from dragonhall_service.app import embedded_server, running_server
from dragonhall_service.config import Settings
from tests.clients.inside import command
from tests.service.driver import SERVE, options


@asynccontextmanager
async def hosting(server: str, tokens: Path, *more: str) -> AsyncIterator[Process]:
    """Run `dragonhall bots` until both of its bots are there; then ask it to stop."""
    arguments = ["bots", "--server", server, "--tokens", str(tokens), *more]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SERVE, *arguments, stdout=PIPE, stderr=PIPE
    )
    assert process.stdout and process.stderr
    try:
        for _ in range(2):
            line = await process.stdout.readline()
            assert b" plays dragonheart" in line, line + await process.stderr.read()
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0, await process.stderr.read()


async def played(client: Client, *bots: str) -> match_pb2.OutcomeCause.ValueType:
    match = await client.create_match(new_token(), options(), bots=dict(enumerate(bots)))
    async for _ in client.watch(match.match_id):
        pass
    return (await client.get_match(match.match_id)).match.outcome.cause


async def test_bots_play_are_listed_read_and_withdrawn(tmp_path: Path) -> None:
    tokens = tmp_path / "state" / "bots.json"
    async with embedded_server() as target, Client(target) as client:
        at = ("--server", target)
        for _ in range(2):  # the second time it is the same bots
            async with hosting(target, tokens, "--names", "greedy,twin=random", "--seed", "3"):
                cause = await played(client, "greedy", "twin")
                assert cause == match_pb2.OUTCOME_CAUSE_COMPLETED
        assert tokens.stat().st_mode & 0o777 == 0o600
        listed = (await command("bot", "list", *at)).splitlines()
        assert [line.split()[0] for line in listed] == ["greedy", "twin"]
        assert "dragonheart, dragonkeepers" in listed[0]
        own = (*at, "--tokens", str(tokens))
        calls = await command("bot", "calls", "twin", *own, "--count", "500")
        assert "connected" in calls.splitlines()[0] and " ms)" in calls and "ended" in calls
        withdrawn = await command("bot", "revoke", "twin", *own)
        assert withdrawn.split()[1] == "withdrawn"
        told = await command("bots", *at, "--tokens", str(tokens), "--names", "twin=random", code=2)
        assert "twin is another's at this server, was withdrawn" in told


async def test_bots_outlive_a_server(one_store_url: str, tmp_path: Path) -> None:
    def settings(listen: str) -> Settings:
        return Settings(redis_url=one_store_url, listen=listen, drain_s=0, grace_s=1)

    async with running_server(settings("127.0.0.1:0")) as server:
        target = server.target
        names = ("--names", "old=greedy,new=random")
        hosted_bots = hosting(target, tmp_path / "bots.json", *names)
        await hosted_bots.__aenter__()
    try:
        async with running_server(settings(target)), Client(target) as client:
            cause = await played(client, "old", "new")
    finally:
        await hosted_bots.__aexit__(None, None, None)
    assert cause == match_pb2.OUTCOME_CAUSE_COMPLETED


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ("nobody", "no bot 'nobody' plays"),
        ("greedy:3", "takes nothing behind a colon"),
        ("greedy,greedy", "names a bot twice"),
        ("", "no bot '' plays"),
    ],
)
async def test_a_wrong_name_is_one_line(tmp_path: Path, names: str, told: str) -> None:
    async with embedded_server() as target:
        given = ("bots", "--server", target, "--tokens", str(tmp_path / "t"), "--names", names)
        line = await command(*given, code=2)
    assert told in line and len(line.splitlines()) == 1
    assert not (tmp_path / "t").exists()


async def test_a_server_with_a_key_refuses_in_one_line(tmp_path: Path) -> None:
    async with embedded_server(registration_key="k") as target:
        line = await command("bots", "--server", target, "--tokens", str(tmp_path / "t"), code=2)
    assert "registration key" in line and len(line.splitlines()) == 1


@pytest.mark.parametrize(
    ("content", "mode", "told"),
    [
        ("{}", 0o644, "chmod 600"),
        ("nonsense", 0o600, "no file of tokens"),
        ('{"a": []}', 0o600, "no file of tokens"),
        ("{}", 0o600, "holds no token of greedy"),
        (json.dumps({"here:1": {"anna": "x"}}), 0o600, "(there are anna)"),
    ],
)
async def test_a_wrong_file_of_tokens_is_one_line(
    tmp_path: Path, content: str, mode: int, told: str
) -> None:
    file = tmp_path / "bots.json"
    file.write_text(content)
    file.chmod(mode)
    given = ("bot", "calls", "greedy", "--server", "here:1", "--tokens", str(file))
    line = await command(*given, code=2)
    assert told in line and len(line.splitlines()) == 1


def test_a_bot_plays_what_both_it_and_the_server_know() -> None:
    assert hosted("ismcts:40", ["dragonheart"]).name == "ismcts-40"
    assert hosted("a=greedy", ["chess", "dragonkeepers"]).games == ("dragonkeepers",)
    with pytest.raises(Mistake):
        hosted("greedy", ["chess"])

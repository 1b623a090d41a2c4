"""Watches of the SDK outlive servers; the commands show what happens."""

import asyncio
from dataclasses import replace

from dragonhall.sdk import Client, new_token
from dragonhall_service.app import running_server
from dragonhall_service.config import Settings
from tests.clients import inside
from tests.clients.test_demo import RUN
from tests.service.driver import options


async def play(client: Client, match_id: str, tokens: list[str], moves: int) -> None:
    for _ in range(moves):
        match = (await client.get_match(match_id)).match
        if match.HasField("outcome"):
            return
        token = tokens[match.seat_to_move]
        listed = await client.legal_moves(match_id, token)
        await client.submit_move(match_id, token, listed.version, listed.moves[0])


async def seated(client: Client) -> tuple[str, list[str]]:
    tokens = [new_token(), new_token()]
    match_id = (await client.create_match(tokens[0], options())).match_id
    for token in tokens:
        await client.join_match(match_id, token, player_name="Ada")
    return match_id, tokens


async def versions(client: Client, match_id: str) -> list[int]:
    news = client.watch(match_id)
    return [m.event.version async for m in news if m.WhichOneof("body") == "event"]


async def test_a_watch_goes_on_after_its_server_was_replaced(one_store_url: str) -> None:
    settings = Settings(redis_url=one_store_url, listen="127.0.0.1:0", drain_s=0, grace_s=0)
    async with running_server(settings) as first:
        target = first.target
        client = Client(target)
        match_id, tokens = await seated(client)
        watching = asyncio.create_task(versions(client, match_id))
        await play(client, match_id, tokens, 5)
    async with running_server(replace(settings, listen=target)), client:
        await play(client, match_id, tokens, 1000)
        over = await client.get_match(match_id)
        seen = await watching
        async with asyncio.timeout(10):
            rest = [m async for m in client.watch(match_id, resume_token=over.resume_token)]
    assert seen == list(range(seen[0], over.match.version + 1))
    assert rest == []


async def command(*args: str) -> str:
    process = await asyncio.create_subprocess_exec(
        *RUN, *args, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return out.decode()


async def test_matches_and_watch_print_what_there_is(one_store_url: str) -> None:
    settings = Settings(redis_url=one_store_url, listen="127.0.0.1:0", drain_s=0)
    async with running_server(settings) as server, Client(server.target) as client:
        match_id, tokens = await seated(client)
        listed = await command("matches", "--server", server.target, "--phase", "running")
        assert f"{match_id}  running dragonheart  version 4  Ada, Ada" in listed
        watching = asyncio.create_task(command("watch", match_id, "--server", server.target))
        await play(client, match_id, tokens, 1000)
        assert "Ada (seat 1): " in await watching


async def test_a_watch_draws_boards(one_store_url: str) -> None:
    settings = Settings(redis_url=one_store_url, listen="127.0.0.1:0", drain_s=0)
    async with running_server(settings) as server, Client(server.target) as client:
        match_id, tokens = await seated(client)
        args = ["watch", match_id, "--server", server.target, "--board", "--token", tokens[1]]
        watching = asyncio.create_task(inside.command(*args))
        await play(client, match_id, tokens, 1000)
        shown = await watching
        assert shown.count("B Ada (you)") == shown.count("Your hand: ") >= 1
        assert shown.splitlines()[-1].startswith(("Won by ", "A draw."))
        again = await inside.command(*args)
        assert again.count("over after turn") == 1
        assert again.splitlines()[-3:] == shown.splitlines()[-3:]
        assert "not both" in await inside.command(*args, "--json", code=2)

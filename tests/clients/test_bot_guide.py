"""The bot author's guide: its bot plays, and what it lists is all there is."""

import asyncio
import re
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

from dragonhall.sdk import Client, new_token
from dragonhall.v1 import bot_service_pb2 as pb
from dragonhall.v1 import match_pb2
from dragonhall_service.app import embedded_server
from tests.service.driver import options

GUIDE = (Path(__file__).parents[2] / "docs" / "bots" / "guide.md").read_text()


def the_bot() -> str:
    (code,) = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    return str(code)


def test_the_bot_has_at_most_25_lines() -> None:
    assert len([line for line in the_bot().splitlines() if line.strip()]) <= 25


async def test_the_bot_plays_a_match_to_the_end(tmp_path: Path) -> None:
    async with embedded_server() as target, Client(target) as client:
        bots = [
            await asyncio.create_subprocess_exec(
                sys.executable, "-c", the_bot(), target, name, str(tmp_path / name), stderr=PIPE
            )
            for name in ("anna", "bert")
        ]
        try:
            async with asyncio.timeout(60):
                while len([bot async for bot in client.list_bots() if bot.connected]) < len(bots):
                    assert not [bot for bot in bots if bot.returncode is not None]
                    await asyncio.sleep(0.1)
            seats = {0: "anna", 1: "bert"}
            match = await client.create_match(new_token(), options(), bots=seats)
            async for _ in client.watch(match.match_id):
                pass
            ended = (await client.get_match(match.match_id)).match
        finally:
            for bot in bots:
                bot.terminate()
                await bot.wait()
    assert ended.outcome.cause == match_pb2.OUTCOME_CAUSE_COMPLETED
    assert (tmp_path / "anna").stat().st_mode & 0o077 == 0


def test_the_guide_names_every_message() -> None:
    told = set(re.findall(r"^\| `(\w+)` \|", GUIDE, re.MULTILINE))
    for message in (pb.PlayRequest, pb.PlayResponse):
        assert {field.name for field in message.DESCRIPTOR.fields} <= told


def test_the_guide_names_every_cause_of_a_seat() -> None:
    told = set(re.findall(r"`([A-Z_]+)`", GUIDE))
    of_matches = {"UNSPECIFIED", "COMPLETED", "ABORTED", "EXPIRED"}
    names = {
        name.removeprefix("OUTCOME_CAUSE_")
        for name in match_pb2.OutcomeCause.DESCRIPTOR.values_by_name
    }
    assert names - of_matches <= told

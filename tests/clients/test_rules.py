"""`dragonhall rules` prints a game's rules in the language asked for."""

import asyncio
import contextlib
import os
import pty
import sys

import pytest
from google.protobuf import json_format

from dragonhall.cli.rules import show_rules
from dragonhall.sdk import Client, DragonhallError
from dragonhall.v1 import catalog_service_pb2 as pb
from dragonhall_service.app import embedded_server

RUN = [sys.executable, "-c", "from dragonhall.cli import main; main()", "rules"]


async def test_a_file_gets_markdown_and_options(capsys: pytest.CaptureFixture[str]) -> None:
    async with embedded_server() as target, Client(target) as client:
        text = (await client.get_game("dragonheart", "uk")).text
        await show_rules(target, "dragonheart", "uk", as_json=False)
        with pytest.raises(DragonhallError, match="one of en, de, uk, pl, ro"):
            await show_rules(target, "dragonheart", "fr", as_json=False)
    out = capsys.readouterr().out
    assert out.startswith(text.rules)
    for option in text.options:
        assert f"**{option.name}** `{option.field}`: {option.description}" in out
        assert all(choice.description in out for choice in option.choices)


async def test_a_program_gets_the_game(capsys: pytest.CaptureFixture[str]) -> None:
    async with embedded_server() as target, Client(target) as client:
        await show_rules(target, "dragonkeepers", "ro", as_json=True)
        game = await client.get_game("dragonkeepers", "ro")
    (line,) = capsys.readouterr().out.splitlines()
    assert json_format.Parse(line, pb.Game()) == game
    assert "Dragon de umbră" in line


async def test_a_terminal_gets_a_layout_without_any_server() -> None:
    ours, theirs = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *RUN, "dragonheart", "--language", "pl", stdout=theirs,
        env={**os.environ, "COLUMNS": "90", "TERM": "xterm"},
    )  # fmt: skip
    os.close(theirs)
    shown = await asyncio.to_thread(_read, ours)
    assert await process.wait() == 0
    assert "\x1b[" in shown
    assert "────" in shown, "a table has lines"
    assert "**DH-4.2**" not in shown
    assert "Krasnolud" in shown


def _read(terminal: int) -> str:
    parts = []
    with contextlib.suppress(OSError):  # the other end is closed
        while part := os.read(terminal, 4096):
            parts.append(part)
    os.close(terminal)
    return b"".join(parts).decode()

"""The rules of a game in a language, as the server tells them."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from rich.console import Console
from rich.markdown import Markdown

from dragonhall.cli.connecting import connected
from dragonhall.cli.showing import json_line
from dragonhall.sdk import Client
from dragonhall.v1 import catalog_service_pb2 as pb
from dragonhall_service.app import embedded_server


async def show_rules(server: str, game: str, language: str, *, as_json: bool) -> None:
    """Print rules and options: laid out on a terminal, else as the Markdown that they are."""
    async with _client(server) as client:
        found = await client.get_game(game, language)
    text = found.text
    markdown = "\n".join([text.rules.rstrip(), "", "---", "", *map(_option, text.options)])
    if as_json:
        print(json_line(found))
    elif sys.stdout.isatty():
        Console().print(Markdown(markdown))
    else:
        print(markdown)


@asynccontextmanager
async def _client(server: str) -> AsyncIterator[Client]:
    """Yield a client of a server, of one of its own if none is named."""
    if server:
        async with connected(server) as client:
            yield client
    else:
        async with embedded_server() as target, Client(target) as client:
            yield client


def _option(option: pb.OptionText) -> str:
    choices = [
        f"    - **{choice.name}** `{choice.enum_value}`: {choice.description}"
        for choice in option.choices
    ]
    return "\n".join([f"- **{option.name}** `{option.field}`: {option.description}", *choices])

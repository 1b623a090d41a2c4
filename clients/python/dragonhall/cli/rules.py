"""The rules of a game in a language, as the server tells them."""

import sys

from rich.console import Console
from rich.markdown import Markdown

from dragonhall.cli.connecting import connected_or_own
from dragonhall.cli.showing import json_line
from dragonhall.v1 import catalog_service_pb2 as pb


async def show_rules(server: str, game: str, language: str, *, as_json: bool) -> None:
    """Print rules and options: laid out on a terminal, else as the Markdown that they are."""
    async with connected_or_own(server) as (_, client):
        found = await client.get_game(game, language)
    text = found.text
    markdown = "\n".join([text.rules.rstrip(), "", "---", "", *map(_option, text.options)])
    if as_json:
        print(json_line(found))
    elif sys.stdout.isatty():
        Console().print(Markdown(markdown))
    else:
        print(markdown)


def _option(option: pb.OptionText) -> str:
    choices = [
        f"    - **{choice.name}** `{choice.enum_value}`: {choice.description}"
        for choice in option.choices
    ]
    return "\n".join([f"- **{option.name}** `{option.field}`: {option.description}", *choices])

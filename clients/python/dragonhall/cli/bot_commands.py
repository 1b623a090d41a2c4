"""`dragonhall bots` and `dragonhall bot …`: their options."""

import secrets
from pathlib import Path
from typing import Annotated

import typer

from dragonhall.cli.bot_tokens import default_file, token_of
from dragonhall.cli.botting import list_bots, list_calls, revoke_bot
from dragonhall.cli.checking.checking import check_bot
from dragonhall.cli.connecting import require_token
from dragonhall.cli.hosting import host_bots
from dragonhall.cli.mistakes import FAILURE
from dragonhall.cli.waiting import wait

bot = typer.Typer(help="Bots of a server, for their authors.", no_args_is_help=True)
_LOCAL = "127.0.0.1:50051"
_CHECK = "127.0.0.1:50061"
Server = Annotated[str, typer.Option(help="host:port of the server")]
Name = Annotated[str, typer.Argument(help="the bot")]
Json = Annotated[bool, typer.Option("--json", help="one JSON object a line, for programs")]
Token = Annotated[
    str, typer.Option(help="of the bot; without: from --tokens", envvar="DRAGONHALL_TOKEN")
]
Tokens = Annotated[
    Path | None,
    typer.Option(help="file of tokens; without: dragonhall/bots.json in $XDG_STATE_HOME"),
]


def bots(
    server: Server = _LOCAL,
    names: Annotated[
        str, typer.Option(help="by commas: greedy, ismcts:800, mine=greedy")
    ] = "greedy,random",
    seed: Annotated[int | None, typer.Option(min=0, help="repeats what they choose")] = None,
    tokens: Tokens = None,
    registration_key: Annotated[
        str,
        typer.Option(help="the server's, if it has one", envvar="DRAGONHALL_REGISTRATION_KEY"),
    ] = "",
) -> None:
    """Host the shipped bots on a server until Ctrl-C or SIGTERM; the same ones the next time."""
    chosen = secrets.randbelow(2**32) if seed is None else seed
    file = tokens or default_file()
    wait(host_bots(server, names.split(","), chosen, file, registration_key))


@bot.command("list")
def list_(server: Server = _LOCAL, as_json: Json = False) -> None:
    """List the bots of a server by name."""
    wait(list_bots(server, as_json=as_json))


@bot.command()
def calls(
    name: Name,
    server: Server = _LOCAL,
    count: Annotated[int, typer.Option(min=1, max=500, help="at most so many")] = 100,
    token: Token = "",
    tokens: Tokens = None,
    as_json: Json = False,
) -> None:
    """Print what your bot was asked, answered and refused, oldest first."""
    wait(list_calls(server, _token(token, tokens, server, name), count, as_json=as_json))


@bot.command()
def revoke(name: Name, server: Server = _LOCAL, token: Token = "", tokens: Tokens = None) -> None:
    """Withdraw your bot: its seats leave their matches, its name stays taken."""
    wait(revoke_bot(server, name, _token(token, tokens, server, name)))


@bot.command()
def check(
    name: Name,
    listen: Annotated[str, typer.Option(help="host:port for the bot to connect to")] = _CHECK,
    only: Annotated[str, typer.Option(help="situations by commas; without: all")] = "",
    wait_s: Annotated[float, typer.Option("--wait", min=0, help="for the bot, seconds")] = 300,
    as_json: Json = False,
) -> None:
    """Play a bot through hard situations on a server of its own; exit code 1 if it does wrong."""
    chosen = only.split(",") if only else ()
    passed = wait(check_bot(name, listen, chosen, wait_s, as_json=as_json))
    raise typer.Exit(0 if passed else FAILURE)


def _token(token: str, tokens: Path | None, server: str, name: str) -> str:
    require_token(token)
    return token or token_of(tokens or default_file(), server, name)

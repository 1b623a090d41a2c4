"""`dragonhall admin …`: its options."""

from pathlib import Path
from typing import Annotated

import typer

from dragonhall.cli.operating import drain, end_match, inspect, list_stuck, revoke
from dragonhall.cli.waiting import wait

admin = typer.Typer(
    help="For operators of one server, on the listener that is theirs.", no_args_is_help=True
)
_LOCAL = "127.0.0.1:50053"
Server = Annotated[str, typer.Option(help="host:port of the server's DRAGONHALL_ADMIN_LISTEN")]
TokenFile = Annotated[
    Path | None,
    typer.Option(
        help="file of the operators' tokens; the first is used",
        envvar="DRAGONHALL_ADMIN_TOKEN_FILE",
    ),
]
MatchId = Annotated[str, typer.Argument(help="a match id")]
Json = Annotated[bool, typer.Option("--json", help="one JSON object a line, for programs")]


@admin.command("match")
def match_(
    match_id: MatchId, server: Server = _LOCAL, token_file: TokenFile = None, as_json: Json = False
) -> None:
    """Print what everybody may know of a match, a private one too, and how late it is."""
    wait(inspect(server, token_file, match_id, as_json=as_json))


@admin.command()
def abort(match_id: MatchId, server: Server = _LOCAL, token_file: TokenFile = None) -> None:
    """End a match for good; no seat is to blame."""
    wait(end_match(server, token_file, match_id))


@admin.command()
def stuck(
    server: Server = _LOCAL,
    token_file: TokenFile = None,
    overdue: Annotated[float, typer.Option(min=0, max=1e9, help="seconds after the deadline")] = 30,
    as_json: Json = False,
) -> None:
    """List matches that no server could go on with, and why."""
    wait(list_stuck(server, token_file, overdue, as_json=as_json))


@admin.command("revoke")
def revoke_(
    server: Server = _LOCAL,
    token_file: TokenFile = None,
    bot: Annotated[str, typer.Option(help="the bot of this name, everywhere")] = "",
    match: Annotated[str, typer.Option(help="the match of --seat")] = "",
    seat: Annotated[int | None, typer.Option(min=0, help="a seat of --match")] = None,
) -> None:
    """Take a token away: a bot is withdrawn, a seat leaves its match."""
    wait(revoke(server, token_file, bot, match, seat))


@admin.command("drain")
def drain_(
    server: Server = _LOCAL,
    token_file: TokenFile = None,
    until_left: Annotated[bool, typer.Option("--wait", help="until nobody calls it")] = False,
) -> None:
    """Take the server out of service; it goes on answering and does not exit."""
    wait(drain(server, token_file, until_left=until_left))

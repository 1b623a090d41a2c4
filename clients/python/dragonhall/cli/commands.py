"""The commands of `dragonhall` and their options."""

import asyncio
import contextlib
import functools
import os
import secrets
import signal
import sys
import threading
from pathlib import Path
from typing import Annotated

import typer

from dragonhall.cli import bot_commands
from dragonhall.cli.admin_commands import admin
from dragonhall.cli.choosing import ClockChoice
from dragonhall.cli.connecting import TLS
from dragonhall.cli.demo import Wanted, play_demo
from dragonhall.cli.health import check_health
from dragonhall.cli.keyboard import Keyboard
from dragonhall.cli.mistakes import (
    FAILURE,
    MISTAKE,
    Mistake,
    Unhealthy,
    Unreachable,
    exit_code_of,
)
from dragonhall.cli.playing import Wish, play_match
from dragonhall.cli.replaying import enter_key, replay_match, verify_match
from dragonhall.cli.retelling import Differs
from dragonhall.cli.rules import show_rules
from dragonhall.cli.showing import list_matches
from dragonhall.cli.tournament_commands import tournament
from dragonhall.cli.waiting import wait
from dragonhall.cli.watching import watch_match
from dragonhall.sdk import DragonhallError, Tls, new_token
from dragonhall_service.app import run as run_server
from dragonhall_service.config import BadSetting, read_settings
from dragonhall_service.credentials import MalformedToken, caller_of
from dragonhall_service.embedded import NoStore, embedded_store
from dragonhall_service.workers import supervise

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(tournament, name="tournament")
app.add_typer(bot_commands.bot, name="bot")
app.add_typer(admin, name="admin")
app.command()(bot_commands.bots)
Server = Annotated[str, typer.Option(help="host:port of the server")]
Token = Annotated[str, typer.Option(help="of a seat or host", envvar="DRAGONHALL_TOKEN")]
Json = Annotated[bool, typer.Option("--json", help="one JSON object a line, for programs")]
Finished = Annotated[str, typer.Argument(help="a match id, or a file of `replay --json`")]
_LOCAL = "127.0.0.1:50051"


@app.callback()
def tls(
    tls: Annotated[bool, typer.Option("--tls", help="reach --server over TLS")] = False,
    tls_ca: Annotated[Path | None, typer.Option(help="PEM file: who vouches for it")] = None,
    tls_cert: Annotated[Path | None, typer.Option(help="PEM file: your certificate")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="PEM file: its key")] = None,
    tls_name: Annotated[str, typer.Option(help="whom its certificate names, if not host")] = "",
) -> None:
    """Dragonhall: a server for Dragonheart and Dragonkeepers."""
    wanted = tls or tls_ca or tls_cert or tls_key or tls_name
    try:
        TLS.set(Tls.from_files(tls_ca, tls_cert, tls_key, tls_name) if wanted else None)
    except (OSError, ValueError) as wrong:
        raise Mistake(f"--tls: {wrong}") from None


def run() -> None:
    """Run a command; what goes wrong is one line on stderr and an exit code, never a traceback."""
    _end_in_order()
    try:
        # Not standalone: Typer would draw a box of several lines around the mistake.
        sys.exit(app(standalone_mode=False))
    except typer.TyperException as mistake:
        _stop(mistake.format_message(), mistake.exit_code)
    except typer.Abort:
        sys.exit(130)
    except (BadSetting, Mistake) as mistake:
        _stop(str(mistake), MISTAKE)
    except NoStore as missing:
        _stop(str(missing), 3)
    except (Unreachable, Unhealthy, Differs) as failed:
        _stop(str(failed), FAILURE)
    except DragonhallError as refused:
        _stop(refused.message or refused.reason, exit_code_of(refused))
    except BrokenPipeError:  # the reader has seen enough: `dragonhall demo | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FAILURE)


def _end_in_order() -> None:
    """Turn a closed terminal and SIGTERM into an exit, so that a store of one's own ends too."""
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda number, _: sys.exit(128 + number))


def _stop(message: str, code: int) -> None:
    if message:  # without one Typer has printed the help
        print(f"dragonhall: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(code)


@app.command()
def serve(
    listen: Annotated[str | None, typer.Option(help="host:port to serve on")] = None,
    redis: Annotated[str | None, typer.Option(help="address of the store")] = None,
    embedded: Annotated[bool, typer.Option("--embedded", help="run a store of its own")] = False,
    data: Annotated[Path | None, typer.Option(help="its folder; without: thrown away")] = None,
    workers: Annotated[int | None, typer.Option(help="processes that share the port")] = None,
) -> None:
    """Serve until SIGTERM or Ctrl-C. Settings: DRAGONHALL_* in the environment (README)."""
    if redis and embedded:
        raise Mistake("give --redis or --embedded, not both")
    if data and not embedded:
        raise Mistake("--data is for --embedded")
    ends: list[str] = []

    def end(why: str) -> None:
        ends.append(why)
        os.kill(os.getpid(), signal.SIGTERM)

    with contextlib.ExitStack() as stack:
        url = stack.enter_context(embedded_store(data, on_end=end)) if embedded else redis
        settings = read_settings(listen=listen, redis_url=url, workers=workers)
        serve_settings = supervise if settings.workers > 1 else run_server
        serve_settings(settings)
    if ends:  # a server without its store serves nobody: whoever keeps it alive starts both again
        _stop(ends[0], FAILURE)


@app.command()
def health(server: Server = _LOCAL) -> None:
    """Say whether a server is ready for calls; exit code 1 if it is not."""
    wait(check_health(server))


@app.command("token")
def token_(token: Annotated[str, typer.Option(help="of which to print the hash")] = "") -> None:
    """Make a token and print it with its SHA-256; with --token, the SHA-256 of that one."""
    chosen = token or new_token()
    try:
        token_hash = caller_of(chosen).token_hash
    except MalformedToken as wrong:
        raise Mistake(f"--token: {wrong}") from None
    assert token_hash is not None
    print(*([] if token else [f"token   {chosen}"]), f"sha256  {token_hash.hex()}", sep="\n")


@app.command()
def demo(
    seed: Annotated[int | None, typer.Option(min=0, help="repeats a match")] = None,
    game: Annotated[str, typer.Option(help="which game")] = "dragonheart",
    edition: Annotated[str, typer.Option(help="which rules; without: the game's first")] = "",
    seats: Annotated[int | None, typer.Option(help="how many play; without: the fewest")] = None,
    bots: Annotated[
        str, typer.Option(help="one a seat, by commas; without: greedy, then random")
    ] = "",
    board: Annotated[bool, typer.Option("--board", help="show it after each event")] = False,
) -> None:
    """Play a match between bots over gRPC, on a server and store of its own."""
    wanted = Wanted(game, edition, seats, tuple(bots.split(",")) if bots else (), board)
    wait(play_demo(secrets.randbelow(2**32) if seed is None else seed, wanted))


@app.command()
def play(
    game: Annotated[str, typer.Option(help="which game")] = "dragonheart",
    edition: Annotated[str, typer.Option(help="which rules; without: the game's first")] = "",
    seats: Annotated[int | None, typer.Option(help="how many play; without: the fewest")] = None,
    bot: Annotated[
        str, typer.Option(help="for all other seats, or one each; or `open`")
    ] = "greedy",
    seat: Annotated[int, typer.Option(min=0, help="yours")] = 0,
    name: Annotated[str, typer.Option(help="yours, as others see it")] = "player",
    seed: Annotated[int | None, typer.Option(min=0, help="repeats a deal")] = None,
    move_limit: Annotated[float, typer.Option(min=0, help="seconds for each move")] = 0,
    bank: Annotated[float, typer.Option(min=0, help="more seconds, for the whole match")] = 0,
    on_expiry: Annotated[str, typer.Option(help="lose or default-move")] = "lose",
    server: Annotated[str, typer.Option(help="host:port; without: a server of its own")] = "",
    match: Annotated[str, typer.Option(help="a match to come back to, or to join")] = "",
    token: Token = "",
    save: Annotated[Path | None, typer.Option(help="file for the finished match")] = None,
) -> None:
    """Play against bots in the terminal; `help` there tells what you may type."""
    clock = ClockChoice(move_limit, bank, on_expiry)
    bots = tuple(bot.split(","))
    wish = Wish(server, match, token, name, game, edition, bots, seats, seat, seed, clock, save)
    raise typer.Exit(wait(play_match(wish, Keyboard())))


@app.command()
def matches(
    server: Server = _LOCAL,
    phase: Annotated[str, typer.Option(help="lobby, running, over or any")] = "any",
    as_json: Json = False,
) -> None:
    """List the public matches of a server, newest first."""
    wait(list_matches(server, phase, as_json=as_json))


@app.command()
def watch(
    match_id: str,
    server: Server = _LOCAL,
    token: Token = "",
    board: Annotated[bool, typer.Option("--board", help="draw it after each event")] = False,
    as_json: Json = False,
) -> None:
    """Print what happens in a match until it is over."""
    wait(watch_match(server, match_id, token, as_json=as_json, boards=board))


@app.command()
def replay(
    match: Finished,
    server: Server = _LOCAL,
    token: Token = "",
    seat: Annotated[int | None, typer.Option(min=0, help="show what this seat saw")] = None,
    step: Annotated[bool, typer.Option("--step", help="wait for Enter after each board")] = False,
    delay: Annotated[float, typer.Option(help="seconds between two boards")] = 0,
    as_json: Json = False,
) -> None:
    """Print a finished match board by board; --json: what `verify` takes from a file."""
    if step and delay:
        raise Mistake("give --step or --delay, not both")
    if not 0 <= delay <= 3600:
        raise Mistake("--delay is 0 to 3600 seconds")
    pause = enter_key() if step else functools.partial(asyncio.sleep, delay)
    wait(replay_match(match, server, token, seat, pause, as_json=as_json))


@app.command()
def verify(
    match: Finished, server: Server = _LOCAL, token: Token = "", as_json: Json = False
) -> None:
    """Deal and play a finished match again from its seed; exit code 1 and what differs, if so."""
    good = wait(verify_match(match, server, token, as_json=as_json))
    raise typer.Exit(0 if good else FAILURE)


@app.command()
def rules(
    game: str,
    language: Annotated[str, typer.Option(help="such as de, uk, pl, ro; without: English")] = "",
    server: Annotated[str, typer.Option(help="host:port; without: a server of its own")] = "",
    as_json: Json = False,
) -> None:
    """Print the rules of a game and what its host may choose; --json: its components too."""
    wait(show_rules(server, game, language, as_json=as_json))

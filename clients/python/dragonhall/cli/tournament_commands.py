"""`dragonhall tournament …`: its options. What it needs is imported late: it takes a while."""

import math
from pathlib import Path
from typing import Annotated

import typer

from dragonhall.cli.mistakes import Mistake

tournament = typer.Typer(
    help="Tournaments between bots, with paired deals and honest error bars.",
    no_args_is_help=True,
)
Folder = Annotated[Path, typer.Argument(help="the results folder")]
Address = Annotated[str, typer.Option(help="host:port; without: a server of its own")]
Key = Annotated[
    str, typer.Option(help="the server's, if it has one", envvar="DRAGONHALL_REGISTRATION_KEY")
]


@tournament.command()
def run(
    out: Annotated[Path, typer.Option(help="folder for the results")],
    game: Annotated[str | None, typer.Option(help="which game")] = None,
    edition: Annotated[str | None, typer.Option(help="without: the game's first")] = None,
    seats: Annotated[int | None, typer.Option(help="of each game; without: 2")] = None,
    bots: Annotated[
        str | None,
        typer.Option(help="by commas: greedy, ismcts:800, mine=cmd:./mine --fast, x=remote"),
    ] = None,
    deals: Annotated[int | None, typer.Option(help="each is played in all rotations")] = None,
    seed: Annotated[int | None, typer.Option(help="of all deals; without: 0")] = None,
    format: Annotated[str | None, typer.Option(help="round-robin or gauntlet")] = None,
    concurrency: Annotated[int | None, typer.Option(help="games at once")] = None,
    move_limit: Annotated[float | None, typer.Option(help="seconds for each move")] = None,
    sprt: Annotated[
        str | None,
        typer.Option(help="stop when decided: two scores, as 0.5,0.55"),
    ] = None,
    config: Annotated[Path | None, typer.Option(help="TOML file of the same settings")] = None,
    server: Address = "",
    registration_key: Key = "",
) -> None:
    """Play a tournament; stop it as you like and go on with `resume`."""
    from dragonhall.cli.tournaments import plan_of, run_tournament, server_of

    given = {
        "game": game,
        "edition": edition,
        "seats": seats,
        "entrants": bots.split(",") if bots else None,
        "deals": deals,
        "seed": seed,
        "format": format,
        "concurrency": concurrency,
        "move_limit_ms": None if move_limit is None else _milliseconds(move_limit),
        "sprt": _sprt(sprt),
    }
    run_tournament(out, plan_of(config, given), server_of(server, registration_key))


@tournament.command()
def resume(out: Folder, server: Address = "", registration_key: Key = "") -> None:
    """Go on with a tournament that was stopped or killed."""
    from dragonhall.cli.tournaments import run_tournament, server_of

    run_tournament(out, None, server_of(server, registration_key))


@tournament.command()
def hashes(out: Folder) -> None:
    """Print the SHA-256 of its tokens, by commas, for DRAGONHALL_ORGANISERS of a server."""
    from dragonhall.cli.tournaments import token_hashes

    print(",".join(token_hashes(out)))


@tournament.command()
def report(
    out: Folder,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object a line")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="comma-separated values")] = False,
) -> None:
    """Print the tables and write report.html, which opens offline."""
    from dragonhall.cli.tournaments import write_report
    from dragonhall.tournament import tables

    summary, page = write_report(out)
    if as_json:
        print("\n".join(tables.as_json_lines(summary)))
    elif as_csv:
        print(tables.as_csv(summary), end="")
    else:
        print("\n".join([*tables.report_lines(summary), "", f"page: {page}"]))


@tournament.command()
def replay(
    out: Folder,
    key: Annotated[str, typer.Argument(help="a game: line-up, deal and rotation, as 0-12-1")],
) -> None:
    """Deal and play a game again from its seed, and say whether it was recorded rightly."""
    from dragonhall.cli.commands import verify
    from dragonhall.cli.tournaments import replay_file

    verify(str(replay_file(out, key)))


def _milliseconds(seconds: float) -> int:
    if not math.isfinite(seconds):
        raise Mistake("--move-limit is a number of seconds")
    return round(seconds * 1000)


def _sprt(text: str | None) -> dict[str, float] | None:
    if text is None:
        return None
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (2, 4):
        raise Mistake("--sprt is two scores, or two scores and two error rates, by commas")
    return dict(zip(("low", "high", "alpha", "beta"), numbers, strict=False))

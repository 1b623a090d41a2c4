"""The commands `dragonhall tournament`: run, resume, report, replay."""

import sys
import time
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from dragonhall.cli.connecting import TLS, connected
from dragonhall.cli.mistakes import Mistake
from dragonhall.cli.waiting import wait
from dragonhall.tournament.page import report_page
from dragonhall.tournament.plan import BadPlan, Plan, Stopped, plan_from_dict
from dragonhall.tournament.results import Results
from dragonhall.tournament.runner import Progress, Server, run
from dragonhall.tournament.standings import Summary, summarise
from dragonhall.tournament.tables import as_csv, as_json_lines, report_lines
from dragonhall_service.credentials import caller_of


def plan_of(config: Path | None, given: Mapping[str, Any]) -> Plan:
    """Make a plan of a TOML file and of options, which win.

    Raises:
        Mistake: it cannot be played; the text says what to change.
    """
    values: dict[str, Any] = {"edition": "", "seats": 2, "seed": 0}
    if config is not None:
        try:
            values |= tomllib.loads(config.read_text())
        except (OSError, ValueError) as wrong:
            raise Mistake(f"{config} cannot be read: {wrong}") from wrong
    values |= {name: value for name, value in given.items() if value is not None}
    try:
        return plan_from_dict(values)
    except BadPlan as wrong:
        raise Mistake(str(wrong)) from wrong


def server_of(address: str, registration_key: str) -> Server:
    """Return where to play: a server that answers now, or with "" one of the tournament's own.

    Raises:
        Mistake: it is no address.
        Unreachable: nobody answers there.
    """
    if address:
        wait(_ask(address))
    return Server(address, registration_key, TLS.get())


async def _ask(address: str) -> None:
    async with connected(address):
        pass


def run_tournament(folder: Path, plan: Plan | None, server: Server) -> None:
    """Play a tournament from its beginning, or without a plan from where it stopped.

    Raises:
        Mistake: it cannot be played, or the run had to stop; results so far are kept.
    """
    results, fresh = Results(folder), plan is not None
    try:
        if plan is not None:
            results.begin(plan)
        plan = results.plan()
    except BadPlan as wrong:
        raise Mistake(str(wrong)) from wrong
    except OSError as full:
        raise Mistake(f"{folder} cannot be written: {full.strerror}") from full
    cpu_s = time.process_time()
    try:
        ended = wait(_run_live(results, plan, server))
    except BadPlan as wrong:
        if fresh:
            results.give_up()
        raise Mistake(str(wrong)) from None
    except Stopped as stopped:
        raise Mistake(f"{stopped}; {_go_on(folder)}") from None
    except KeyboardInterrupt:
        print(f"dragonhall: stopped; {_go_on(folder)}", file=sys.stderr)
        raise
    cost = _cost(plan, ended, time.process_time() - cpu_s)
    summary, _ = write_report(folder)
    print("\n".join([*report_lines(summary), "", cost]))


def _go_on(folder: Path) -> str:
    return f"results so far are kept, go on with: dragonhall tournament resume {folder}"


def _cost(plan: Plan, ended: Progress, cpu_s: float) -> str:
    """Say what a run took, and what of it was the runner's own work."""
    games = ended.played_now
    own = f"; the runner itself used {1000 * cpu_s / games:.1f} ms of CPU a game" if games else ""
    return f"{games} games in {ended.seconds:.0f} s, up to {plan.concurrency} at once{own}"


async def _run_live(results: Results, plan: Plan, server: Server) -> Progress:
    console = Console(stderr=True)
    if not console.is_terminal:
        return await run(results, server, lambda progress: None)
    with Live(console=console, refresh_per_second=4) as live:
        table = _LiveTable(plan)
        return await run(results, server, lambda progress: live.update(table.text(progress)))


class _LiveTable:
    """Progress and standings; at most a tenth of the time goes into summing up."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._lines: list[str] = []
        self._next_s = 0.0

    def text(self, progress: Progress) -> Text:
        begun = time.monotonic()
        if begun >= self._next_s:
            self._lines = report_lines(summarise(self._plan, progress.records))
            now = time.monotonic()
            self._next_s = now + 9 * (now - begun)
        left = progress.seconds_left
        rest = "" if left is None else f", about {left / 60:.0f} min left"
        head = f"{progress.done} of {progress.size} games{rest}"
        return Text("\n".join([head, "", *self._lines]))


def write_report(folder: Path) -> tuple[Summary, Path]:
    """Write report.html, standings.csv and standings.jsonl into a results folder.

    Returns:
        What they say, and the page.

    Raises:
        Mistake: it holds no tournament, or the disk is full.
    """
    results, page = Results(folder), folder / "report.html"
    try:
        summary = summarise(results.plan(), list(results.games()))
    except BadPlan as wrong:
        raise Mistake(str(wrong)) from wrong
    try:
        (folder / "standings.csv").write_text(as_csv(summary))
        (folder / "standings.jsonl").write_text("\n".join(as_json_lines(summary)) + "\n")
        page.write_text(report_page(summary))
    except OSError as full:
        raise Mistake(f"{full.filename or page} cannot be written: {full.strerror}") from full
    return summary, page


def token_hashes(folder: Path) -> list[str]:
    """Return the SHA-256 of the tokens of a tournament: its host's, and those of bots it hosts.

    Raises:
        Mistake: the folder holds no tournament.
    """
    results = Results(folder)
    try:
        seated = results.plan().seated()
    except BadPlan as wrong:
        raise Mistake(str(wrong)) from wrong
    bots = [name for entrant, names in seated.items() if not entrant.is_remote for name in names]
    tokens = [results.token(whose) for whose in ("host", *(f"bot {name}" for name in bots))]
    hashes = [caller_of(token).token_hash for token in tokens]
    return [each.hex() for each in hashes if each is not None]


def replay_file(folder: Path, key: str) -> Path:
    """Return the file of a game's last attempt.

    Raises:
        Mistake: it has not been played.
    """
    found = sorted(folder.glob(f"replays/{key}.*.json"))
    if not found:
        raise Mistake(
            f"{folder} holds no game {key!r}: a key is line-up, deal, rotation, as 0-12-1"
        )
    return found[-1]

"""Tournaments that are really played, stopped, killed and gone on with."""

import asyncio
import contextlib
import json
import os
import random
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from dragonhall.tournament.plan import BadPlan, Plan, parse_entrant, plan_from_dict
from dragonhall.tournament.results import GameRecord, Results
from dragonhall.tournament.standings import pairings, standings, summarise
from dragonhall.tournament.tables import as_csv, as_json_lines, report_lines
from dragonhall_service.config import Settings
from dragonhall_service.credentials import caller_of
from tests.budget import cases
from tests.clients.inside import inside

DRAGONHALL = [sys.executable, "-c", "from dragonhall.cli import main; main()"]
DEALS = cases(ci=10, sweep=100)
RUNNER_KILLS, SERVER_KILLS = cases(ci=2, sweep=10), cases(ci=1, sweep=5)


async def dragonhall(*arguments: str) -> "asyncio.subprocess.Process":
    return await asyncio.create_subprocess_exec(
        *DRAGONHALL,
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def finished(process: "asyncio.subprocess.Process") -> tuple[int, str, str]:
    out, err = await process.communicate()
    return process.returncode or 0, out.decode(), err.decode()


def start(out: Path, deals: int) -> list[str]:
    options = "tournament run --game dragonheart --bots random,greedy --concurrency 3 --seed 5"
    return [*options.split(), "--deals", str(deals), "--out", str(out)]


def children(pid: int) -> Iterator[int]:
    """List the processes below one, with those below them."""
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in task.read_text().split():
                yield int(child)
                yield from children(int(child))


def server_of(runner: int) -> int | None:
    for pid in children(runner):
        with contextlib.suppress(OSError):
            command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if b"serve" in command and b"dragonhall.tournament.guard" not in command:
                return pid
    return None


def outcomes(out: Path) -> dict[str, GameRecord]:
    """Return every game with what no clock tells."""
    found = {}
    for record in Results(out).games():
        if record.counts:
            assert record.key not in found, f"{record.key} was played twice"
            timeless = replace(record, match_id="", thinking_ms=(), attempt=0)
            found[record.key] = timeless
    return found


async def disturbed(out: Path) -> None:
    """Play with the runner and its server killed at odd moments, each as often as was meant."""
    chance = random.Random(1)
    kills = ["runner"] * RUNNER_KILLS + ["server"] * SERVER_KILLS
    chance.shuffle(kills)
    runner = await dragonhall(*start(out, DEALS))
    for victim in kills:
        played = len(list(Results(out).games()))
        while len(list(Results(out).games())) == played:
            assert runner.returncode is None, await finished(runner)
            await asyncio.sleep(0.05)
        await asyncio.sleep(chance.uniform(0, 0.2))
        if victim == "server":
            server = server_of(runner.pid)
            assert server, "a server that has just ended a game is alive"
            os.kill(server, signal.SIGKILL)
        else:
            runner.kill()
            await runner.communicate()
            assert runner.returncode == -signal.SIGKILL, "the tournament was over before"
            runner = await dragonhall("tournament", "resume", str(out))
    code, _, err = await finished(runner)
    if code:
        raise AssertionError(err)


async def test_killed_again_and_again_it_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    calm, stormy = tmp_path / "calm", tmp_path / "stormy"
    code, out, err = await finished(await dragonhall(*start(calm, DEALS)))
    assert code == 0, err
    assert "greedy" in out
    await disturbed(stormy)
    assert len(outcomes(calm)) == 2 * DEALS
    assert outcomes(stormy) == outcomes(calm)
    for name in ("report.html", "standings.csv", "standings.jsonl"):
        assert (stormy / name).stat().st_size > 0
    key = next(iter(outcomes(stormy)))
    code, out, err = await finished(await dragonhall("tournament", "replay", str(stormy), key))
    assert (code, err) == (0, "")
    assert "verified" in out


# ---- what is recorded ---------------------------------------------------------------------------


def plan(**more: object) -> Plan:
    given = {"game": "dragonheart", "edition": "", "seats": 2, "deals": 3, "seed": 1}
    return plan_from_dict(given | {"entrants": ["random", "greedy"]} | more)


def record(key: str, ranks: tuple[int, ...], **more: object) -> GameRecord:
    lineup, deal, rotation = map(int, key.split("-"))
    names = ("random", "greedy") if rotation == 0 else ("greedy", "random")
    cause = "COMPLETED"
    basis = GameRecord(
        key, 0, lineup, deal, rotation, names, "m", cause, ranks, (5, 4), (cause, cause), True,
        60, 56, (28, 28), (100, 200),
    )  # fmt: skip
    return replace(basis, **more)  # type: ignore[arg-type]


def test_a_line_that_was_cut_off_does_not_count_and_ruins_nothing(tmp_path: Path) -> None:
    results = Results(tmp_path)
    results.begin(plan())
    results.append(record("0-0-0", (1, 2)))
    with (tmp_path / "games.jsonl").open("a") as file:
        file.write('{"key":"0-0-1","att')
    results.append(record("0-1-0", (2, 1)))
    assert [each.key for each in results.games()] == ["0-0-0", "0-1-0"]
    assert results.plan() == plan()


def test_tokens_stay_and_are_nobody_elses_to_read(tmp_path: Path) -> None:
    results = Results(tmp_path)
    results.begin(plan())
    assert results.token("host") == Results(tmp_path).token("host") != results.token("bot")
    assert (tmp_path / "secret").stat().st_mode & 0o077 == 0
    with pytest.raises(BadPlan, match="holds a tournament already"):
        results.begin(plan())


def test_the_hashes_of_its_tokens_are_what_a_server_wants(tmp_path: Path) -> None:
    results = Results(tmp_path)
    results.begin(plan(entrants=["random", "greedy", "far=remote"]))
    (line,) = inside("tournament", "hashes", str(tmp_path)).stdout.split()
    settings = Settings(redis_url="redis://127.0.0.1:1", organisers=line)
    used = [results.token(whose) for whose in ("host", "bot random", "bot greedy")]
    assert settings.organiser_hashes == {caller_of(token).token_hash for token in used}
    assert inside("tournament", "hashes", str(tmp_path / "none")).returncode == 2


@pytest.mark.parametrize(
    "records",
    [
        [],
        [record("0-0-0", (1, 2))],
        [record("0-0-0", (1, 1)), record("0-0-1", (1, 1))],
        [record(f"0-{n // 2}-{n % 2}", (1, 2) if n % 2 else (2, 1)) for n in range(6)],
        [record("0-0-0", (), counts=False, cause="SERVER_FAULT", scores=(), causes=())],
        [record("0-0-0", (2, 1), cause="ILLEGAL", causes=("ILLEGAL", "COMPLETED"),
                illegal="random at version 9")],
    ],
    ids=["none", "one", "draws", "all wins", "a fault", "illegal"],
)  # fmt: skip
def test_edge_cases_are_finite_and_labelled(records: list[GameRecord]) -> None:
    summary = summarise(plan(), records)
    lines = report_lines(summary)
    assert any(line.split()[1:2] == ["greedy"] for line in lines)
    for line in as_json_lines(summary):
        assert "NaN" not in line
        assert "Infinity" not in line
        json.loads(line)
    assert as_csv(summary).count("\n") == 3
    assert standings(plan(), records) == standings(plan(), records[::-1])
    swapped = plan(entrants=["greedy", "random"])
    assert [row.name for row in standings(swapped, records)] == [
        row.name for row in standings(plan(), records)
    ]
    assert len(pairings(plan(), records)) == 1


# ---- plans --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"entrants": ["random"]}, "two bots or more"),
        ({"entrants": ["random", "random"]}, "two bots are called random"),
        ({"entrants": ["random", "x y"]}, "is no bot"),
        ({"entrants": ["random", {"name": "X", "how": "greedy"}]}, "is no name"),
        ({"entrants": ["a=greedy", "a.1=greedy"], "seats": 3}, "a.1 is also the name"),
        ({"deals": 0}, "deals is 1 to"),
        ({"deals": "3"}, "deals is a whole number"),
        ({"concurrency": 0}, "concurrency is 1 to"),
        ({"format": "swiss"}, "format is one of"),
        ({"colour": "red"}, "colour is no setting"),
        ({"sprt": {"low": 0.6, "high": 0.5}}, "low < high"),
        ({"sprt": "0.5,0.55"}, "sprt is a table"),
        ({"sprt": [0.5, 0.55]}, "sprt is a table"),
        ({"entrants": ["a=remote", "b=remote"], "seats": 3}, "a remote bot takes one seat"),
    ],
)
def test_a_plan_that_cannot_be_played_is_refused(more: dict[str, object], message: str) -> None:
    with pytest.raises(BadPlan, match=message):
        plan(**more)


def test_every_player_has_every_seat_of_every_deal_equally_often() -> None:
    entrants = [f"b{n}=greedy" for n in range(4)]
    for seats in (2, 3, 4):
        games = list(plan(entrants=entrants, seats=seats).games())
        assert len(games) == plan(entrants=entrants, seats=seats).size
        assert len({game.key for game in games}) == len(games)
        for deal in range(3):
            seen = {(p, s): 0 for p in range(4) for s in range(seats)}
            for game in games:
                if game.deal == deal:
                    for seat, player in enumerate(game.players):
                        seen[player, seat] += 1
            assert len(set(seen.values())) == 1


def test_fewer_players_than_seats_and_gauntlets() -> None:
    three = plan(seats=3)
    assert three.lineups() == ((0, 1, 1), (1, 0, 0))
    gauntlet = plan(entrants=["a=greedy", "b=greedy", "c=greedy"], seats=4, format="gauntlet")
    assert gauntlet.lineups() == ((0, 1, 1, 1), (0, 2, 2, 2))


def test_entrants() -> None:
    assert parse_entrant("ismcts:800").name == "ismcts-800"
    assert parse_entrant("mine=cmd:./mine --fast").how == "cmd:./mine --fast"
    assert parse_entrant("x=remote").is_remote

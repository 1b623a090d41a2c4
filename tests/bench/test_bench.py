"""The benches run through with tiny numbers, and their figures are put down as measured."""

import json
from pathlib import Path

import pytest

from dragonhall_engine.registry import GAMES
from tests.bench import engine, play, processes, profile, size, submit, watch
from tests.bench.__main__ import BENCHES
from tests.bench.figures import ROOT, Bound, Report, Row, keep, ratio

OURS, THEIRS = Row("ours", "/s", [40, 10, 30]), Row("theirs", "/s", [4, 5, 1])
REPORT = Report("engine", "How.", 3, [OURS], "machine", "abc", "2026-01-02 03:04 UTC")


def test_the_engine_is_measured_in_every_setup() -> None:
    report = engine.measure(1, 0.001, None)
    setups = sum(len(game.EDITIONS) * len(game.SEATS) for game in GAMES.values())
    assert len([row for row in report.rows if row.what.endswith(": playouts")]) == setups
    assert all(row.median > 0 for row in report.rows)


async def test_submit_is_measured_beside_the_echo() -> None:
    store = {"embedded": processes.stores()["embedded"]}
    report = await submit.measure(1, submit.Amount(8, in_flight=(1, 2)), store)
    held = [row for row in report.rows if row.bound]
    assert len(held) == 2 * len(submit.FSYNC) * 2
    assert all(row.median > 0 for row in report.rows if row.unit == "ms")


async def test_bots_are_measured_beside_unary_calls() -> None:
    report = await play.measure(1, at_once=(2,))
    assert len(report.rows) == 6
    assert all(row.median > 0 for row in report.rows)


async def test_watchers_are_measured() -> None:
    report = await watch.measure(1, watchers=(20,), moves=10, pace=200)
    assert len(report.rows) == 5
    assert all(row.median > 0 for row in report.rows if "sending" in row.what)


async def test_what_an_operator_has_to_provide_is_measured() -> None:
    report = await size.measure(1, size.Amount(calls=8, watchers=10, matches=1))
    assert len(report.rows) == 7 + 2 * 5
    assert all(row.median > 0 for row in report.rows if row.unit in ("bytes", "µs", "MiB"))


@pytest.mark.parametrize(
    ("stack", "part"),
    [
        ("main (app.py);_run (asyncio/events.py)", "gRPC and event loop"),
        ("_run (asyncio/events.py);ended (x/api/boundary.py);dumps (json/__init__.py)", "boundary"),
        ("load (dragonhall_service/store/matches.py);load (x/store/records.py)", "store: records"),
        ("load (dragonhall_service/store/matches.py);send (x/store/line.py)", "store: connection"),
        ("<module> (<string>)", profile.OTHER),
    ],
)
def test_a_stack_belongs_to_its_innermost_part(stack: str, part: str) -> None:
    assert profile.part_of(stack.split(";")).startswith(part)


def test_shares_are_of_all_samples() -> None:
    found = profile.shares("a (asyncio/events.py) 3\na;b (dragonhall_engine/x.py) 1\n")
    assert found["gRPC and event loop"] == 75
    assert sum(found.values()) == 100


def test_a_ratio_compares_each_repetition_with_its_own() -> None:
    assert ratio("both", OURS, THEIRS).samples == [10, 2, 30]


@pytest.mark.parametrize(("at_least", "verdict"), [(True, "≥ 31: NO"), (False, "≤ 31: yes")])
def test_a_bound_is_asked_of_the_median(at_least: bool, verdict: str) -> None:
    row = Row("what", "/s", [40, 10, 30], Bound(31, at_least))
    assert row.verdict == verdict
    report = Report("name", "How.", 3, [row], "machine", "abc", "2026")
    assert report.missed == ([row] if at_least else [])


def test_kept_figures_replace_the_earlier_ones_alone(tmp_path: Path) -> None:
    page = tmp_path / "bench.md"
    page.write_text("before\n<!-- bench engine -->\nold\n<!-- end engine -->\nafter\n")
    keep(page, [REPORT])
    text = page.read_text()
    assert "| ours | /s | 30 | 10 | 40 |" in text
    assert "2026-01-02 03:04 UTC, commit abc, machine; 3 repetitions." in text
    assert text.startswith("before\n") and text.endswith("\nafter\n") and "old" not in text
    keep(page, [REPORT])
    assert page.read_text() == text


def test_figures_are_kept_only_where_there_is_a_place_for_them(tmp_path: Path) -> None:
    page = tmp_path / "bench.md"
    page.write_text("<!-- bench engine -->\n")
    with pytest.raises(ValueError, match="no marks"):
        keep(page, [REPORT])


def test_every_sample_is_saved(tmp_path: Path) -> None:
    saved = json.loads(REPORT.save(tmp_path).read_text())
    assert saved["rows"] == [
        {"what": "ours", "unit": "/s", "median": 30, "samples": [40, 10, 30]},
    ]


@pytest.mark.parametrize("name", list(BENCHES))
def test_the_page_has_a_place_for_every_bench(name: str) -> None:
    text = (ROOT / "docs" / "bench.md").read_text()
    assert f"<!-- bench {name} -->" in text and f"<!-- end {name} -->" in text

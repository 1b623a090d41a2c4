"""One line a promise: ok, broken, or void for want of work."""

import pytest

from tests.faults.verdicts import Figure, Finding, Work, merged, percentile, report

GOOD = Figure("P5", "p99 move", 0.3, "s", most=1)
DONE = Work("P5", "kills", 12, least=10)


@pytest.mark.parametrize(
    ("findings", "verdict"),
    [
        ([GOOD, DONE], "ok"),
        ([Figure("P5", "p99 move", 1.2, "s", most=1), DONE], "NOT OK"),
        ([Figure("P5", "p99 move", float("nan"), "s", most=1), DONE], "NOT OK"),
        ([GOOD, Work("P5", "kills", 9, least=10)], "VOID"),
        ([GOOD, DONE, Figure("P5", "p99 move", 1.2, "s", most=1)], "NOT OK"),
        ([GOOD, DONE, Work("P5", "kills", 5, least=10)], "VOID"),
        ([Figure("P5", "loss", 900, "moves"), DONE], "ok"),
        ([GOOD, Work("P5", "kills", 0, least=1), Work("P5", "kills", 99, least=1)], "VOID"),
        ([GOOD, Work("P5", "kills", 99, least=1), Work("P5", "kills", 0, least=1)], "VOID"),
        ([Figure("P5", "loss", 900, "moves")], "told"),
    ],
)
def test_a_promise_has_one_verdict(findings: list[Finding], verdict: str) -> None:
    (line,), kept = report(findings)
    assert line[4:].startswith(verdict)
    assert kept == (verdict in ("ok", "told"))


def test_a_line_tells_figures_and_what_they_must_be() -> None:
    lines, _ = report([DONE, GOOD])
    assert lines == ["P5  ok      p99 move 0.3 s (≤ 1 s); 12 kills (≥ 10)"]


def test_promises_come_in_their_order() -> None:
    lines, _ = report([Work("P16", "errors", 1, 1), Work("P2", "resets", 1, 1)])
    assert [line.split()[0] for line in lines] == ["P2", "P16"]


def test_the_worst_figure_and_all_work_count() -> None:
    worse = Figure("P5", "p99 move", 0.4, "s", most=1)
    assert merged([worse, GOOD, DONE, DONE]) == [worse, Work("P5", "kills", 24, least=20)]


def test_percentiles() -> None:
    assert [percentile(range(1, 101), mark) for mark in (0, 50, 99, 100)] == [1, 51, 100, 100]
    assert percentile([], 99) == 0

"""Results as tables: lines for a terminal, JSON lines and CSV for programs."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict

from dragonhall.tournament.intervals import Interval
from dragonhall.tournament.sprt import decide
from dragonhall.tournament.standings import Pairing, Standing, Summary, sprt_scores

Table = tuple[list[str], list[list[str]]]
"""A heading and rows of as many cells."""


def standings_table(rows: Sequence[Standing]) -> Table:
    """Return the table of players."""
    heading = ["", "player", "score", "95 %", "Elo", "95 %", "games", "wins by seat", "ms/move"]
    heading += ["ends", "first illegal move"]
    return heading, [
        [
            str(place),
            row.name,
            f"{row.score.mean:.3f}",
            _range(row.score),
            f"{round(row.rating.elo):+d}",
            f"{round(row.rating.low):+d} … {round(row.rating.high):+d}",
            str(row.games),
            " ".join(map(str, row.wins_by_seat)),
            f"{row.thinking_ms:.1f}",
            ", ".join(f"{cause} {count}" for cause, count in row.causes.items()) or "-",
            row.illegal or "-",
        ]
        for place, row in enumerate(rows, start=1)
    ]


def pairings_table(rows: Sequence[Pairing]) -> Table:
    """Return the table of line-ups, from the first player's point of view."""
    heading = ["player", "against", "score", "95 %", "superior", "deals", "games"]
    return heading, [
        [
            row.first,
            ", ".join(row.others),
            f"{row.score.mean:.3f}",
            _range(row.score),
            f"{row.score.superiority:.1%}",
            str(row.score.deals),
            str(row.games),
        ]
        for row in rows
    ]


def as_text(table: Table) -> list[str]:
    """Return a table as lines; columns without any entry are left out."""
    heading, rows = table
    kept = [n for n in range(len(heading)) if any(row[n] not in ("", "-") for row in rows)]
    cells = [[row[n] for n in kept] for row in (heading, *rows)]
    widths = [max(len(row[n]) for row in cells) for n in range(len(kept))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]


def report_lines(summary: Summary) -> list[str]:
    """Return everything that a terminal shows of a tournament."""
    plan, records = summary.plan, summary.records
    lines = as_text(standings_table(summary.standings))
    lines += ["", *as_text(pairings_table(summary.pairings))]
    faults = sum(not record.counts for record in records)
    if faults:
        why = "after a fault of the server or a stop of the run"
        lines += ["", f"{faults} games were played again {why}."]
    if plan.sprt is not None:
        test = decide(sprt_scores(plan, records), plan.sprt)
        bounds = f"{test.lower:.2f} … {test.upper:.2f}"
        asked = f"{plan.sprt.low:g} or {plan.sprt.high:g}"
        lines += ["", f"{asked}: {test.verdict.value} after {test.deals} deals"]
        lines[-1] += f" (log-likelihood ratio {test.ratio:.2f}, bounds {bounds})"
    return lines


def as_json_lines(summary: Summary) -> list[str]:
    """Return a JSON object for each player, then for each line-up: `kind` tells them apart."""
    rows = [{"kind": "standing", **asdict(row)} for row in summary.standings]
    rows += [{"kind": "pairing", **asdict(row)} for row in summary.pairings]
    return [json.dumps(row) for row in rows]


def as_csv(summary: Summary) -> str:
    """Return the table of players as comma-separated values."""
    out = io.StringIO()
    heading, rows = standings_table(summary.standings)
    names = [*heading]
    names[0], names[3], names[5] = "place", "score 95 %", "Elo 95 %"
    csv.writer(out).writerows([names, *rows])
    return out.getvalue()


def _range(interval: Interval) -> str:
    return f"{interval.low:.3f} … {interval.high:.3f}"

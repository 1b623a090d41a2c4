"""What a bench found: repeated samples, their median and range, and what they must reach."""

import json
import os
import platform
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Bound:
    """What a figure must reach: at least or at most `limit`."""

    limit: float
    at_least: bool

    def holds(self, value: float) -> bool:
        return value >= self.limit if self.at_least else value <= self.limit

    def __str__(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {self.limit:g}"


@dataclass(frozen=True)
class Row:
    """One line of a table: a sample for each repetition."""

    what: str
    unit: str
    samples: Sequence[float]
    bound: Bound | None = None

    @property
    def median(self) -> float:
        return median(self.samples)

    @property
    def verdict(self) -> str:
        if self.bound is None:
            return ""
        return f"{self.bound}: {'yes' if self.bound.holds(self.median) else 'NO'}"

    def cells(self) -> list[str]:
        figures = (self.median, min(self.samples), max(self.samples))
        return [self.what, self.unit, *map(_short, figures), self.verdict]


def ratio(what: str, ours: Row, theirs: Row, bound: Bound | None = None) -> Row:
    """Compare repetition by repetition, so that a slow minute of the machine counts for both."""
    samples = [a / b for a, b in zip(ours.samples, theirs.samples, strict=True)]
    return Row(what, "×", samples, bound)


class Samples:
    """Collects samples by name, in the order in which names first come."""

    def __init__(self) -> None:
        self._samples: dict[tuple[str, str], list[float]] = {}

    def add(self, what: str, unit: str, value: float) -> None:
        self._samples.setdefault((what, unit), []).append(value)

    def row(self, what: str, unit: str) -> Row:
        return Row(what, unit, self._samples[what, unit])

    def rows(self) -> list[Row]:
        return [self.row(*name) for name in self._samples]


HEADS = ("what", "unit", "median", "min", "max", "must be")


@dataclass(frozen=True)
class Report:
    """All figures of one bench from one run.

    Attributes:
        name: of the bench.
        how: in a sentence or two, what was measured.
        repetitions: samples per row.
    """

    name: str
    how: str
    repetitions: int
    rows: Sequence[Row]
    machine: str = field(default_factory=lambda: machine())
    commit: str = field(default_factory=lambda: commit())
    when: str = field(default_factory=lambda: datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"))

    @property
    def missed(self) -> list[Row]:
        return [row for row in self.rows if row.bound and not row.bound.holds(row.median)]

    def text(self) -> str:
        """Return a table for a terminal."""
        lines = [list(HEADS), *(row.cells() for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        aligned = [
            "  ".join(_aligned(line[n], widths[n], n) for n in range(len(HEADS))).rstrip()
            for line in lines
        ]
        return "\n".join([f"{self.name}: {self.how}", self._origin(), "", *aligned])

    def markdown(self) -> str:
        """Return a table for the documentation."""
        lines = [HEADS, ("---", "---", "--:", "--:", "--:", "---"), *(r.cells() for r in self.rows)]
        table = ["| " + " | ".join(line) + " |" for line in lines]
        return "\n".join([self.how, "", self._origin(), "", *table])

    def _origin(self) -> str:
        return f"{self.when}, commit {self.commit}, {self.machine}; {self.repetitions} repetitions."

    def save(self, folder: Path) -> Path:
        """Write every sample as JSON and return the file."""
        folder.mkdir(parents=True, exist_ok=True)
        stamp = "".join(c for c in self.when if c.isdigit())
        path = folder / f"{self.name}-{stamp}-{self.commit.split()[0]}.json"
        path.write_text(json.dumps(self._plain(), indent=1, ensure_ascii=False) + "\n")
        return path

    def _plain(self) -> dict[str, Any]:
        rows = [
            {"what": r.what, "unit": r.unit, "median": r.median, "samples": list(r.samples)}
            | ({"bound": str(r.bound), "holds": r.bound.holds(r.median)} if r.bound else {})
            for r in self.rows
        ]
        return {
            "bench": self.name,
            "when": self.when,
            "commit": self.commit,
            "machine": self.machine,
            "how": self.how,
            "rows": rows,
        }


def keep(page: Path, reports: Iterable[Report]) -> None:
    """Put each report's table between its marks on a page; the text around them stays.

    Raises:
        ValueError: the page has no marks for a report.
    """
    text = page.read_text()
    for report in reports:
        begin, end = f"<!-- bench {report.name} -->", f"<!-- end {report.name} -->"
        head, found, rest = text.partition(begin)
        _, closed, tail = rest.partition(end)
        if not found or not closed:
            raise ValueError(f"{page} has no marks {begin} … {end}")
        text = f"{head}{begin}\n{report.markdown()}\n{end}{tail}"
    page.write_text(text)


def machine() -> str:
    """Say what it ran on: processor, cores, Python."""
    model = platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line.partition(":")[2] for line in info.read_text().splitlines()]
        labels = [line.partition("\t")[0] for line in info.read_text().splitlines()]
        model = dict(zip(labels, names, strict=True)).get("model name", model).strip()
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}"


def commit() -> str:
    """Name the commit that is measured, and whether files were changed since but for figures."""
    head = _git("rev-parse", "--short=9", "HEAD") or "unknown"
    return head + (
        " with changes" if _git("status", "--porcelain", "--", ":!docs/bench.md") else ""
    )


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip()


def _short(value: float) -> str:
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def _aligned(cell: str, width: int, column: int) -> str:
    return cell.rjust(width) if 2 <= column <= 4 else cell.ljust(width)

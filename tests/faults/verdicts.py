"""Figures of a run and what they must be: one line a promise at the end."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Figure:
    """Something measured; of several with one name the largest counts.

    Attributes:
        promise: its number in the design, such as `P1`.
        most: what it may be; None if it is only told.
    """

    promise: str
    what: str
    value: float
    unit: str = ""
    most: float | None = None

    @property
    def short(self) -> bool:
        """Whether the promise is broken."""
        return self.most is not None and not self.value <= self.most

    def __str__(self) -> str:
        bound = "" if self.most is None else f" (≤ {_number(self.most)}{_unit(self.unit)})"
        return f"{self.what} {_number(self.value)}{_unit(self.unit)}{bound}"


@dataclass(frozen=True, slots=True)
class Work:
    """What a scenario did; of several with one name the sum counts, or the first that is void.

    A planted fault that was caught is work too: a checker that misses it proves nothing.
    """

    promise: str
    what: str
    done: int
    least: int

    @property
    def void(self) -> bool:
        """Whether too little was done for the figures to say anything."""
        return self.done < self.least

    def __str__(self) -> str:
        return f"{self.done:,} {self.what} (≥ {self.least:,})"


Finding = Figure | Work


def merged(findings: Iterable[Finding]) -> list[Finding]:
    """Make one of those with the same promise and name."""
    found: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        key = finding.promise, finding.what
        before = found.get(key)
        if isinstance(finding, Work) and isinstance(before, Work):
            if before.void:
                finding = before
            elif not finding.void:
                least = before.least + finding.least
                finding = replace(finding, done=before.done + finding.done, least=least)
        elif isinstance(finding, Figure) and isinstance(before, Figure):
            finding = max(before, finding, key=lambda figure: figure.value)
        found[key] = finding
    return list(found.values())


def report(findings: Sequence[Finding]) -> tuple[list[str], bool]:
    """Return one line a promise, and whether all are kept."""
    lines, kept = [], True
    by_promise: dict[str, list[Finding]] = {}
    for finding in merged(findings):
        by_promise.setdefault(finding.promise, []).append(finding)
    for promise in sorted(by_promise, key=lambda promise: int(promise[1:])):
        found = sorted(by_promise[promise], key=lambda finding: isinstance(finding, Work))
        verdict = _verdict(found)
        kept = kept and verdict in ("ok", "told")
        lines.append(f"{promise:<4}{verdict:<8}{'; '.join(map(str, found))}")
    return lines, kept


def _verdict(findings: Sequence[Finding]) -> str:
    if any(isinstance(finding, Figure) and finding.short for finding in findings):
        return "NOT OK"
    if any(isinstance(finding, Work) and finding.void for finding in findings):
        return "VOID"
    if all(isinstance(finding, Figure) and finding.most is None for finding in findings):
        return "told"
    return "ok"


def _number(value: float) -> str:
    whole = float(value).is_integer() or value >= 100
    return f"{value:,.0f}" if whole else f"{value:.3g}"


def _unit(unit: str) -> str:
    return f" {unit}" if unit else ""


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the smallest value that so many percent are not above; 0 of no values."""
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, int(len(ranked) * percent / 100))] if ranked else 0.0

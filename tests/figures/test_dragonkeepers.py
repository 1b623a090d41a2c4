"""The figures of docs/figures/dragonkeepers.md are those of the game that we know."""

from functools import lru_cache

import pytest

from dragonhall_engine.core.game import Setup
from tests.budget import cases
from tests.engine.dragonkeepers.matches import SETUPS
from tests.figures.dragonkeepers import PAGE, Figures, play, table

GAMES = cases(ci=6, sweep=150)
NAMES = [f"{setup.edition} {setup.seats}" for setup in SETUPS]


@lru_cache(maxsize=len(SETUPS))
def played(setup: Setup) -> Figures:
    return play(setup, range(GAMES))


def rows(text: str) -> dict[str, dict[str, str]]:
    """Read a table: row, column, value."""
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    head = [cell.strip() for cell in lines[0]]
    return {name: dict(zip(head, values, strict=True)) for name, *values in lines[2:]}


PAGE_ROWS = rows(PAGE.read_text(encoding="utf-8"))


def share(text: str) -> float:
    return 0.0 if text == "–" else float(text.removesuffix(" %"))


def test_the_page_has_the_rows_and_columns_of_the_script() -> None:
    written = rows(table({setup: played(setup) for setup in SETUPS}))
    assert list(written) == list(PAGE_ROWS)
    assert all(list(columns) == NAMES for columns in (*written.values(), *PAGE_ROWS.values()))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["ended by", "won by"])
def test_the_pages_shares_are_whole(kind: str, name: str) -> None:
    shares = [share(columns[name]) for row, columns in PAGE_ROWS.items() if row.startswith(kind)]
    assert sum(shares) == pytest.approx(100, abs=0.2)


@pytest.mark.parametrize("setup", SETUPS, ids=NAMES)
@pytest.mark.parametrize(
    "row",
    ["turns of all seats together, mean", "points of a winner, mean", "points of a seat, mean"],
)
def test_games_are_as_the_page_says(row: str, setup: Setup) -> None:
    column = f"{setup.edition} {setup.seats}"
    fresh = rows(table({setup: played(setup)}))[row][column]
    assert float(fresh) == pytest.approx(float(PAGE_ROWS[row][column]), rel=0.25)


def test_lots_add_up_to_the_same_figures() -> None:
    setup = SETUPS[-1]
    summed = Figures()
    for number in range(GAMES):
        summed.add(play(setup, range(number, number + 1)))
    assert summed == played(setup)

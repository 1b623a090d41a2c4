"""The rules pages keep the form that the games' rule tables are checked against."""

import re
from pathlib import Path

import pytest

from tests.engine.core.rng_questions import RULESETS

DOCS = Path(__file__).parents[3] / "docs"
RULE = re.compile(r"^- \*\*(D[HK]-\d+\.\d+)\*\* \S", re.MULTILINE)
PAGES: dict[str, tuple[str, tuple[int, ...]]] = {
    "dragonheart.md": ("DH", (1, 3, 10, 9, 4, 5, 0, 1)),
    "dragonkeepers.md": ("DK", (7, 6, 4, 5, 6, 5, 2, 4, 0, 1, 1)),
}
"""Prefix, and the rules in each group from group 1; the groups of 0 are tables (who knows what)."""


def text_of(page: str) -> str:
    return (DOCS / "rules" / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_every_rule_is_listed_once_and_in_order(page: str) -> None:
    prefix, groups = PAGES[page]
    expected = [
        f"{prefix}-{group}.{rule}"
        for group, size in enumerate(groups, start=1)
        for rule in range(1, size + 1)
    ]
    assert RULE.findall(text_of(page)) == expected


@pytest.mark.parametrize("page", PAGES)
def test_every_rule_that_is_cited_exists(page: str) -> None:
    prefix, groups = PAGES[page]
    known = set(RULE.findall(text_of(page)))
    for cited in re.findall(rf"{prefix}-\d+(?:\.\d+)?", text_of(page)):
        assert cited in known or cited in {f"{prefix}-{i + 1}" for i in range(len(groups))}


@pytest.mark.parametrize("page", ["rules/README.md", "rules/dragonheart.md",
                                  "rules/dragonkeepers.md", "rng.md"])  # fmt: skip
def test_links_lead_somewhere(page: str) -> None:
    path = DOCS / page
    for target, anchor in re.findall(r"\]\(([^)#]*)#?([^)]*)\)", path.read_text(encoding="utf-8")):
        file = (path.parent / target).resolve() if target else path
        assert file.exists(), target
        assert not anchor or anchor in anchors(file.read_text(encoding="utf-8")), anchor


def anchors(text: str) -> set[str]:
    """Return GitHub's anchors of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_dragonheart_table_sums_up() -> None:
    rows = re.findall(r"^\| [a-z ]+ \| (\d+) \|.*\| (\d+) \|$", text_of("dragonheart.md"), re.M)
    assert [sum(int(row[i]) for row in rows) for i in (0, 1)] == [50, 81]


def test_the_standard_names_every_ruleset() -> None:
    page = (DOCS / "rng.md").read_text(encoding="utf-8")
    assert all(f"`{ruleset}`" in page for ruleset in RULESETS)

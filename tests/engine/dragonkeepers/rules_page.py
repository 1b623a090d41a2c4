"""The rules page of Dragonkeepers, as the project publishes it."""

import re
from pathlib import Path

_PAGE = Path(__file__).parents[3] / "docs" / "rules" / "dragonkeepers.md"


def read_rules_page() -> str:
    """Return the text of the page."""
    return _PAGE.read_text(encoding="utf-8")


def rule_numbers(page: str) -> set[str]:
    """Return the rules of a page: `DK-4.2`, and `DK-9` where a section has no further numbers."""
    numbers = set(re.findall(r"DK-\d+(?:\.\d+)?", page))
    sections = {number.partition(".")[0] for number in numbers if "." in number}
    return numbers - sections

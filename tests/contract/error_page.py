"""Writes the table of docs/errors.md from the comments of error.proto.

`python -m tests.contract.error_page` brings the page up to date; a test sees that it is.
"""

import re
from pathlib import Path

from dragonhall.sdk.errors import ERRORS
from tests.architecture.addresses import ROOT
from tests.contract.statuses import REASONS

PAGE = ROOT / "docs" / "errors.md"
_HEAD = [
    "| reason | code | comes with | means | do | raised by the SDK |",
    "|---|---|---|---|---|---|",
]
_COMMENT = re.compile(
    r"(?P<code>[A-Z_]+)(?:, (?P<more>[^:]+))?: (?P<means>[^.]+)\.(?: (?P<do>.+))?"
)
_TABLE = re.compile(r"(?<=\n)\| reason \|.*?\n(?=\n|$)", re.DOTALL)


def parts(comment: str) -> dict[str, str]:
    """Take the comment of a reason apart: `code`, `more`, `means`, `do`.

    Raises:
        ValueError: it does not read `CODE, what comes with it: what it means. What to do.`
    """
    found = _COMMENT.fullmatch(comment)
    if not found or not found["do"]:
        raise ValueError(f"the comment does not say code, meaning and what to do: {comment}")
    return {name: text or "" for name, text in found.groupdict().items()}


def table() -> str:
    """Return the table, a row for each reason."""
    rows = list(_HEAD)
    for name, comment in REASONS.items():
        part = parts(comment)
        more = part["more"].replace("with google.rpc.", "")
        raised = ERRORS[name].__name__
        rows.append(
            f"| `{name}` | {part['code']} | {more} | {part['means']} | {part['do']} | `{raised}` |"
        )
    return "\n".join(rows) + "\n"


def updated(page: str) -> str:
    """Return a page with its table as it should be."""
    return _TABLE.sub(lambda _: table(), page)


def main(page: Path) -> None:
    """Bring a page up to date."""
    page.write_text(updated(page.read_text()))


if __name__ == "__main__":
    main(PAGE)

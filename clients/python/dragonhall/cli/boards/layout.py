"""Boxes of text that share their borders, 79 columns wide."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

WIDTH = 79
"""One less than a terminal's 80, some of which break the line after the 80th."""


@dataclass(frozen=True, slots=True)
class Box:
    """A box of a grid.

    Attributes:
        title: on the left of its upper border.
        note: on the right of it; may be empty.
        lines: its content, cut where it is too wide.
    """

    title: str
    note: str
    lines: tuple[str, ...]


def grid(rows: Sequence[Sequence[Box]]) -> list[str]:
    """Draw rows of boxes below each other; every row is as high as its highest box."""
    lines: list[str] = []
    above: list[int] = []
    for row in rows:
        widths = _widths(len(row))
        posts = _posts(widths)
        lines.append(_border(above, posts, row, widths))
        height = max(len(box.lines) for box in row)
        for n in range(height):
            texts = [box.lines[n] if n < len(box.lines) else "" for box in row]
            lines.append(f"│{'│'.join(map(_inside, texts, widths))}│")
        above = posts
    return [*lines, _border(above, [], (), [])]


def fit(text: str, width: int) -> str:
    """Pad or cut a text to so many columns; a cut is marked."""
    if cell_len(text) > width:
        text = set_cell_size(text, width - 1) + "…"
    return set_cell_size(text, width)


def flow(words: Sequence[str], width: int = WIDTH, gap: str = " ") -> tuple[str, ...]:
    """Fill lines with words, none of which is broken; at least one line, perhaps empty."""
    lines = [""]
    for word in words:
        longer = f"{lines[-1]}{gap}{word}" if lines[-1] else word
        if cell_len(longer) > width and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = longer
    return tuple(lines)


def justified(left: str, right: str) -> str:
    """Set two texts to both ends of a line."""
    return fit(left, WIDTH - cell_len(right)) + right


def columns(items: Sequence[str]) -> list[str]:
    """Set short items in as many columns as fit, read downwards."""
    if not items:
        return []
    wide = max(map(cell_len, items)) + 2
    height = -(-len(items) // max(1, WIDTH // wide))
    rows = [items[n::height] for n in range(height)]
    return ["".join(fit(item, wide) for item in row).rstrip() for row in rows]


def inner_width(boxes: int) -> int:
    """Return how many columns a line of a box has in a row of so many."""
    return _widths(boxes)[-1] - 2


def _widths(boxes: int) -> list[int]:
    each, more = divmod(WIDTH - boxes - 1, boxes)
    return [each + (n < more) for n in range(boxes)]


def _posts(widths: Sequence[int]) -> list[int]:
    """Return where the upright lines of a row stand."""
    posts = [0]
    for width in widths:
        posts.append(posts[-1] + width + 1)
    return posts


def _border(above: list[int], below: list[int], row: Sequence[Box], widths: Sequence[int]) -> str:
    """Draw what lies between two rows; it carries the titles of the lower one."""
    line = [_corner(at, above, below) for at in range(WIDTH)]
    for box, post, width in zip(row, below, widths, strict=False):
        _write(line, post + 1, f" {box.title} ", width - cell_len(box.note) - 2)
        if box.note:
            _write(line, post + width - cell_len(box.note) - 1, f" {box.note} ", width)
    return "".join(line)


def _write(line: list[str], at: int, text: str, width: int) -> None:
    """Put a text into a line of columns; a wide character takes the place of two."""
    if cell_len(text) > width:
        text = f"{fit(text, width - 1)} "
    line[at : at + cell_len(text)] = [text, *[""] * (cell_len(text) - 1)]


def _corner(at: int, above: list[int], below: list[int]) -> str:
    up, down = at in above, at in below
    left, right = at > 0, at < WIDTH - 1
    return _CORNERS.get((up, down, left, right), "─")


_CORNERS = {
    (False, True, False, True): "┌",
    (False, True, True, False): "┐",
    (True, False, False, True): "└",
    (True, False, True, False): "┘",
    (True, True, False, True): "├",
    (True, True, True, False): "┤",
    (False, True, True, True): "┬",
    (True, False, True, True): "┴",
    (True, True, True, True): "┼",
}


def _inside(text: str, width: int) -> str:
    return f" {fit(text, width - 1)}"

"""Lines on a terminal; where there is none, the same lines without colours."""

from collections.abc import Iterable, Mapping

from rich.console import Console
from rich.text import Text


class Screen:
    """Prints lines as they are, never broken, and a prompt that news may interrupt."""

    def __init__(self, styles: Mapping[str, str] | None = None) -> None:
        """Colour what the patterns of `styles` find, where there is a terminal."""
        self._console = Console(soft_wrap=True, highlight=False)
        self._styles = styles or {}
        self._prompted = False

    def show(self, lines: Iterable[str]) -> None:
        """Print lines below whatever is there."""
        if self._prompted:
            self._console.print()
            self._prompted = False
        text = "\n".join(lines)
        if self._console.color_system is None:  # nothing to colour: rich would take its time
            print(text, file=self._console.file, flush=True)
            return
        coloured = Text(text)
        for pattern, style in self._styles.items():
            coloured.highlight_regex(pattern, style)
        self._console.print(coloured)

    def prompt(self, text: str) -> None:
        """Print what a person's line follows."""
        self._console.print(Text(f"{text}> ", style="bold"), end="")
        self._console.file.flush()
        self._prompted = True

    def typed(self, line: str) -> None:
        """Note that the person has typed a line; write it down where no terminal shows it."""
        if not self._console.is_terminal:
            self._console.print(Text(line))
        self._prompted = False

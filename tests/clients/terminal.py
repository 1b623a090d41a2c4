"""A person at a real terminal who plays a match with the command line; what there is to see.

`python -m tests.clients.terminal` (from the repository) writes the screenshots anew.
"""

import contextlib
import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

GOLDENS: Final = Path(__file__).parent / "goldens"


@dataclass(frozen=True)
class Played:
    """A match that is played at the terminal.

    Attributes:
        args: of `dragonhall play`.
        mistakes: what the person tries at the first prompt.
        length: how many of its moves a screenshot shows.
    """

    args: tuple[str, ...]
    mistakes: tuple[str, ...]
    length: int


GAMES: Final = {
    "dragonheart": Played(
        ("--seed", "11", "--name", "Ada"), ("help", "d3 d3", "nonsense", "99", "moves"), 2
    ),
    "dragonkeepers": Played(
        ("--seed", "4", "--name", "Ada", "--seats", "3", "--bot", "greedy,random"),
        ("help", "pass", "take L9", "0"),
        8,
    ),
}

_RUN = "from dragonhall.cli import main; main()"
_PATIENCE_S = 60
_PROMPT = re.compile(r"^(?:Your move|Resign\?)[^\n]*> \Z", re.MULTILINE)

Person = Callable[[str], str]
"""Answers what stands on the screen with a line; `^C` and `^D` are the keys."""

KEYS: Final = {"^C": b"\x03", "^D": b"\x04"}


def at_terminal(args: list[str], person: Person) -> tuple[str, int]:
    """Run `dragonhall ARGS` on a terminal of its own; return the whole screen and exit code."""
    ours, theirs = pty.openpty()
    env = dict(os.environ, TERM="dumb", COLUMNS="80", LINES="50")
    argv = [sys.executable, "-c", _RUN, *args]
    with subprocess.Popen(
        argv, stdin=theirs, stdout=theirs, stderr=theirs, env=env, preexec_fn=_own_terminal
    ) as process:
        os.close(theirs)
        try:
            screen = _converse(ours, person)
        except BaseException:
            process.send_signal(signal.SIGKILL)
            raise
        finally:
            os.close(ours)
    return screen, process.returncode


def _own_terminal() -> None:
    """Make the terminal the one whose keys send signals."""
    import fcntl
    import termios

    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _converse(terminal: int, person: Person) -> str:
    seen = b""
    while True:
        ready, _, _ = select.select([terminal], [], [], _PATIENCE_S)
        assert ready, f"silence after: {seen[-500:]!r}"
        chunk = b""
        with contextlib.suppress(OSError):  # the other side has closed it
            chunk = os.read(terminal, 65536)
        if not chunk:
            return seen.decode().replace("\r\n", "\n")
        seen += chunk
        screen = seen.decode(errors="replace").replace("\r\n", "\n")
        if _PROMPT.search(screen):
            line = person(screen)
            os.write(terminal, KEYS.get(line) or f"{line}\n".encode())


class Curious:
    """Tries what may be typed at the first prompt, then plays what it can, and takes cards."""

    def __init__(self, mistakes: tuple[str, ...]) -> None:
        self._lines = list(mistakes)

    def __call__(self, screen: str) -> str:
        if self._lines:
            return self._lines.pop(0)
        moves = numbered(screen)
        if len(moves) == 1:
            return ""
        good = [n for word in ("play", "take") for n, move in moves if move.startswith(word)]
        return good[0] if good else moves[-1][0]


def numbered(screen: str) -> list[tuple[str, str]]:
    """Return the moves that are listed last, with their numbers."""
    listed = re.findall(r"^ *1\) .*(?:\n *\d+\) .*)*", screen, re.MULTILINE)
    moves = re.findall(r"(\d+)\) (\S+(?: \S+)*)", listed[-1])
    return sorted(moves, key=lambda move: int(move[0]))


def screenshots(game: str) -> dict[str, str]:
    """Play a whole match; return what there is to see at the start, in the middle, at the end."""
    played = GAMES[game]
    person = Curious(played.mistakes)
    screen, code = at_terminal(["play", "--game", game, *played.args], person)
    assert code == 0, screen
    parts = re.split(r"(?<=\n)(?=Your move)", screen)  # each begins with what is typed
    middle, length = len(parts) // 2, played.length
    return {
        "start": "".join(parts[: len(played.mistakes) + length]),
        "middle": "".join(parts[middle : middle + length]),
        "end": "".join(parts[-2:]),
    }


def golden_path(game: str, moment: str) -> Path:
    """Return where a screenshot is kept."""
    return GOLDENS / f"play_{game}_{moment}.txt"


def write() -> None:
    """Write all screenshots anew."""
    for game in GAMES:
        for moment, screen in screenshots(game).items():
            golden_path(game, moment).write_text(screen, encoding="utf-8")


if __name__ == "__main__":
    write()

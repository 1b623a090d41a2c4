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
from pathlib import Path
from typing import Final

GOLDENS: Final = Path(__file__).parent / "goldens"
GAMES: Final = {"dragonheart": ("--seed", "11", "--name", "Ada")}
"""The arguments of the match that is played of each game."""

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


def numbered(screen: str) -> list[int]:
    """Return the numbers of the moves that are listed last."""
    listed = re.findall(r"^ ?1\) .*(?:\n ?\d+\) .*)*", screen, re.MULTILINE)
    return [int(number) for number in re.findall(r"(\d+)\) ", listed[-1])]


class Curious:
    """Tries what may be typed at the first prompt, then always makes the last move listed."""

    def __init__(self, mistakes: list[str]) -> None:
        self._lines = mistakes

    def __call__(self, screen: str) -> str:
        return self._lines.pop(0) if self._lines else str(max(numbered(screen)))


def screenshots(game: str) -> dict[str, str]:
    """Play a whole match; return what there is to see at the start, in the middle, at the end."""
    person = Curious(["help", "d3 d3", "nonsense", "99", "moves"])
    screen, code = at_terminal(["play", "--game", game, *GAMES[game]], person)
    assert code == 0, screen
    parts = re.split(r"(?<=\n)(?=\n [^\n]*turn )", screen)  # each begins with a board
    middle = len(parts) // 2
    return {
        "start": "".join(parts[:2]),
        "middle": "".join(parts[middle : middle + 2]),
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

"""Runs a command in this process: a process of its own takes a second or more to start."""

import asyncio
import contextlib
import io
import sys
from dataclasses import dataclass
from unittest import mock

from dragonhall.cli.commands import run


@dataclass(frozen=True)
class Done:
    """What a command printed and how it ended."""

    returncode: int
    stdout: str
    stderr: str


def inside(*args: str) -> Done:
    """Run `dragonhall ARGS`; standard input is at its end."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            with mock.patch.object(sys, "argv", ["dragonhall", *args]):
                run()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    return Done(code, out.getvalue(), err.getvalue())


async def command(*args: str, code: int = 0) -> str:
    """Run a command beside the server it asks; return what it prints, or why it refuses."""
    done = await asyncio.to_thread(inside, *args)
    assert done.returncode == code, done.stderr
    return done.stdout or done.stderr

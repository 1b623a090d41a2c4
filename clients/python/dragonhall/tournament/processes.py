"""The processes of a tournament, kept alive while it lasts: its server and its bots."""

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

from dragonhall.tournament.plan import Stopped

RESTART_S = 0.5
QUICK_S = 30.0
MOST_QUICK_ENDS = 10
"""A process that ends so often in a row, each time so soon after its start, is broken."""


class Process:
    """A command that runs again whenever it ends.

    Attributes:
        fate: how it ended the last time; "" if it has not.
    """

    def __init__(self, name: str, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self.name = name
        self.fate = ""
        self._command = command
        self._environment = os.environ | environment

    async def keep_alive(self) -> None:
        """Run it until this task is cancelled.

        Raises:
            Stopped: it does not stay alive.
        """
        quick_ends = 0
        while quick_ends < MOST_QUICK_ENDS:
            begun_s = time.monotonic()
            code = await self._run()
            quick = time.monotonic() - begun_s < QUICK_S
            quick_ends = quick_ends + 1 if quick else 0
            self.fate = f"it ended with code {code}"
            await asyncio.sleep(RESTART_S)
        soon = f"{MOST_QUICK_ENDS} times in a row within {QUICK_S:g} s; what it said stands above"
        raise Stopped(f"{self.name} does not stay alive: {self.fate}, {soon}")

    async def _run(self) -> int:
        guard = [sys.executable, "-m", "dragonhall.tournament.guard", *self._command]
        process = await asyncio.create_subprocess_exec(
            *guard, stdin=asyncio.subprocess.PIPE, env=self._environment
        )
        try:
            return await process.wait()
        finally:
            if process.stdin is not None:
                process.stdin.close()  # the guard ends the command
            await process.wait()


@asynccontextmanager
async def kept_alive(group: asyncio.TaskGroup, process: Process) -> AsyncIterator[Process]:
    """Keep a process alive while the context lasts; the group hears of it if it is broken."""
    keeping = group.create_task(process.keep_alive())
    try:
        yield process
    finally:
        keeping.cancel()
        await asyncio.wait([keeping])

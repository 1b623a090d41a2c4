"""The processes of a tournament, kept alive while it lasts: its server and its bots."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

RESTART_S = 0.5
MOST_RESTARTS = 100
"""A process that ends more often than that is broken, not unlucky."""


class Broken(Exception):
    """A process does not stay alive; the text says which and how it ended."""


@asynccontextmanager
async def kept_alive(
    name: str, command: Sequence[str], environment: Mapping[str, str]
) -> AsyncIterator["asyncio.Task[None]"]:
    """Run a command while the context lasts, again whenever it ends.

    Yields:
        A task that is done, with Broken, only if the command cannot be kept alive.
    """
    keeping = asyncio.create_task(_keep(name, command, os.environ | environment))
    try:
        yield keeping
    finally:
        keeping.cancel()
        await asyncio.wait([keeping])


async def _keep(name: str, command: Sequence[str], environment: Mapping[str, str]) -> None:
    for _ in range(MOST_RESTARTS):
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "dragonhall.tournament.guard",
            *command,
            stdin=asyncio.subprocess.PIPE,
            env=dict(environment),
        )
        try:
            code = await process.wait()
        finally:
            if process.stdin is not None:
                process.stdin.close()  # the guard ends the command
            await process.wait()
        await asyncio.sleep(RESTART_S)
    raise Broken(f"{name} ended {MOST_RESTARTS} times, the last time with code {code}")

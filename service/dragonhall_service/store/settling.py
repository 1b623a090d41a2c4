"""Answers that stand: a command is answered once replicas have what it wrote."""

import asyncio
from typing import Any

from redis import exceptions as failures

from dragonhall_service.store.line import Line, packed

PATIENCE_MS = 400
"""How long replicas may take; much less than a line waits for any answer."""


class Unsettled(failures.RedisError):
    """It was done, but too few replicas say so: a failover may still undo it."""


class Settling:
    """A line whose answers mean that replicas have what was written.

    `WAIT` holds up the connection that it is sent on, and speaks for all that was written there
    before. So what comes while one `WAIT` is out is sent together and shares the next.
    """

    def __init__(self, line: Line, replicas: int) -> None:
        """Take a line that nobody else uses, and how many replicas must have it."""
        self._line = line
        self._replicas = replicas
        (self._wait,) = packed(("WAIT", replicas, PATIENCE_MS))
        self._asked: list[tuple[list[bytes], asyncio.Future[Any]]] = []
        self._sending: asyncio.Task[None] | None = None

    async def execute_command(self, *command: Any, asking: bool = False) -> Any:
        """Send a command and return its answer, as `Line` does.

        Raises:
            Unsettled: it was done, but too few replicas say so in time.
        """
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._asked.append((packed(command, asking=asking), answer))
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send())
        return await answer

    async def aclose(self) -> None:
        """Close the connection; who still waits is told that it is lost."""
        await self._line.aclose()

    async def _send(self) -> None:
        while self._asked:
            batch, self._asked = self._asked, []
            sent = [part for parts, _ in batch for part in parts]
            try:
                *answers, holders = await self._line.together([*sent, self._wait])
            except (failures.RedisError, OSError) as failure:
                answers, holders = [failure] * len(sent), failure
            told = iter(answers)
            for parts, asked in batch:
                *_, answer = [next(told) for _ in parts]
                self._tell(asked, answer, holders)

    def _tell(self, asked: "asyncio.Future[Any]", answer: Any, holders: Any) -> None:
        if asked.done():  # its caller has gone
            return
        if isinstance(answer, Exception):  # a refusal: nothing was written
            asked.set_exception(answer)
        elif isinstance(holders, Exception) or holders < self._replicas:
            asked.set_exception(Unsettled(f"replicas that have it: {holders}"))
        else:
            asked.set_result(answer)

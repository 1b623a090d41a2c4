"""One connection to the store that many callers share.

A pool lends a connection to one caller at a time, and each command costs a wait for a socket of its
own. On a line commands are written as they come and answered in that order, so that those in flight
together share system calls, wake-ups and the store's sync of its file. A command that blocks holds
up everybody else's: `Settling` sends the one that must.
"""

import asyncio
import math
from collections import deque
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any

import hiredis
from redis import exceptions as failures
from redis.asyncio import Redis
from redis.asyncio.connection import AbstractConnection

_REFUSALS = (failures.ResponseError, failures.BusyLoadingError, failures.AuthenticationError)
"""Answers to one command; anything else that goes wrong is the end of the connection."""
_ASKING = hiredis.pack_command(("ASKING",))


def packed(command: tuple[Any, ...], *, asking: bool = False) -> list[bytes]:
    """Return the bytes of a command, of two where its slot is only about to come to the store.

    Args:
        asking: the store holds the slot only for those that say so.
    """
    return [*([_ASKING] if asking else []), hiredis.pack_command(command)]


class Line:
    """Connects at the first command, and anew after a failure."""

    def __init__(self, client: "Redis", patience_s: float) -> None:
        """Take address, credentials and retries of a client.

        Args:
            patience_s: a store that is asked and says nothing for so long ends the connection.
        """
        self._client = client
        self._patience_s = patience_s
        self._open: _Open | None = None
        self._opening: asyncio.Task[_Open] | None = None

    async def execute_command(self, *command: Any, asking: bool = False) -> Any:
        """Send a command and return its answer.

        Args:
            asking: the command belongs here only until its slot has moved here.

        Raises:
            RedisError: the store refused it, or the connection was lost: if it had been sent, the
                outcome is unknown.
        """
        commands = packed(command, asking=asking)
        retry = self._client.get_retry()
        assert retry is not None
        return await retry.call_with_retry(lambda: self._send(commands), _nothing)

    async def together(self, commands: Sequence[bytes]) -> list[Any]:
        """Send commands once, with none of others in between, and return what became of each.

        Raises:
            RedisError: there is no connection; nothing was sent.
        """
        line = await self._working()
        return await asyncio.gather(*await line.send(commands), return_exceptions=True)

    async def aclose(self) -> None:
        """Close the connection; who still waits is told that it is lost."""
        if self._opening is not None:
            await asyncio.wait([self._opening])  # as long as its patience lasts
        if self._open is not None:
            await self._open.close()

    async def _send(self, commands: Sequence[bytes]) -> Any:
        line = await self._working()
        *unheard, answer = await line.send(commands)
        for each in unheard:
            each.cancel()
        return await answer

    async def _working(self) -> "_Open":
        if self._open is None or self._open.lost:
            # All who come meanwhile wait for one attempt, and no longer if it fails.
            if self._opening is None:
                self._opening = asyncio.create_task(self._connect())
                self._opening.add_done_callback(self._opened)
            return await asyncio.shield(self._opening)
        return self._open

    def _opened(self, opening: "asyncio.Task[_Open]") -> None:
        self._opening = None
        if not opening.cancelled() and not opening.exception():
            self._open = opening.result()

    async def _connect(self) -> "_Open":
        pool = self._client.connection_pool
        # A line watches the time by itself; redis-py would start a task for each write.
        connection = pool.connection_class(**pool.connection_kwargs | {"socket_timeout": None})
        async with AsyncExitStack() as undo:
            undo.push_async_callback(connection.disconnect, nowait=True)
            try:
                async with asyncio.timeout(self._patience_s):
                    await connection.connect()  # type: ignore[no-untyped-call]
            except (TimeoutError, failures.TimeoutError) as late:
                raise failures.ConnectionError("too late when connecting to the store") from late
            undo.pop_all()
        return _Open(connection, self._patience_s)


class _Open:
    """A connection that works, until it is lost once and for all."""

    def __init__(self, connection: AbstractConnection, patience_s: float) -> None:
        self.lost = False
        self._connection = connection
        self._patience_s = patience_s
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[asyncio.Future[Any]] = deque()
        self._listening = asyncio.create_task(self._listen())
        self._silent_since = 0.0
        self._suspected = False
        self._watch: asyncio.TimerHandle | None = None

    async def send(self, commands: Sequence[bytes]) -> "list[asyncio.Future[Any]]":
        answers: list[asyncio.Future[Any]] = [self._loop.create_future() for _ in commands]
        if not self._waiting:
            self._silent_since = self._loop.time()
        self._waiting.extend(answers)  # they are written before anybody else can run
        if self._watch is None:
            self._watch = self._loop.call_later(self._patience_s, self._check)
        try:
            await self._connection.send_packed_command(commands, check_health=False)
        except (failures.RedisError, OSError) as failure:
            self._end(failure)
        return answers

    async def close(self) -> None:
        self._end(failures.ConnectionError("closed"))
        await asyncio.wait([self._listening])

    def _check(self) -> None:
        self._watch = None
        if not self._waiting:
            return
        left = self._silent_since + self._patience_s - self._loop.time()
        if left <= 0 and self._suspected:
            self._end(failures.TimeoutError("no answer in time"))
            return
        # Perhaps it was us who were busy, and an answer lies in the socket: let it be read first.
        self._suspected = left <= 0
        self._watch = self._loop.call_later(max(left, self._patience_s / 16), self._check)

    def _end(self, failure: Exception) -> None:
        self._lose(failure)
        self._listening.cancel()

    def _lose(self, failure: Exception) -> None:
        self.lost = True
        waiting, self._waiting = self._waiting, deque()
        for answer in waiting:
            if not answer.done():
                answer.set_exception(failure)

    async def _listen(self) -> None:
        try:
            while True:
                answer = await self._next()
                self._settle(answer)
                if isinstance(answer, failures.ReadOnlyError):
                    raise failures.ConnectionError("this was the primary, and another one is")
        except (failures.RedisError, OSError) as failure:
            self._lose(failure)
        finally:
            await self._connection.disconnect(nowait=True)

    async def _next(self) -> Any:
        try:
            return await self._connection.read_response(timeout=math.inf, disconnect_on_error=False)
        except _REFUSALS as refusal:
            return refusal

    def _settle(self, answer: Any) -> None:
        self._silent_since, self._suspected = self._loop.time(), False
        asked = self._waiting.popleft()
        if asked.done():  # its caller has gone
            return
        if isinstance(answer, Exception):
            asked.set_exception(answer)
        else:
            asked.set_result(answer)


async def _nothing(failure: Exception) -> None:
    """What is to be done between two tries: the lost connection has been let go already."""

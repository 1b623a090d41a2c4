"""Several processes behind one port: starts them, replaces those that die, ends them in order.

Each is a server of its own (`dragonhall_service.worker`), started by exec and never forked, so that
no thread or connection of gRPC is ever shared. The kernel spreads connections among them.
"""

import asyncio
import os
import signal
import socket
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import structlog

from dragonhall_service.config import BadSetting, Settings, environment_of
from dragonhall_service.logs import configure_logs
from dragonhall_service.usecases.tasks import wait_within

BAD_SETTING = 2
"""With this code a process says that it must not be started again."""
STOP_S = 14.0
"""A worker that takes longer to end, or longer than its settings ask for, is killed."""
SLACK_S = 3.0
PAUSES_S = 0.5, 5.0
"""The first wait before a dead worker is replaced, and the longest, if they die at once."""


def supervise(settings: Settings) -> None:
    """Serve by `settings.workers` processes until SIGTERM or SIGINT.

    Raises:
        BadSetting: the address cannot be listened on, or a worker refuses its settings.
        SystemExit: with 1 if a worker did not end in order.
    """
    configure_logs(settings)
    with _reserved(settings.listen) as address:
        codes = asyncio.run(_run(replace(settings, listen=address)))
    if any(codes):
        sys.exit(1)


async def _run(settings: Settings) -> list[int]:
    stopping, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    workers = [_Worker(settings, number) for number in range(settings.workers)]
    work = [asyncio.create_task(worker.keep(stopping)) for worker in workers]
    try:
        await asyncio.wait(work, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        stopping.set()
        ends = await asyncio.gather(*work, return_exceptions=True)
    for end in ends:
        if isinstance(end, BaseException):
            raise end
    return [end for end in ends if isinstance(end, int)]


class _Worker:
    """One of the processes, whichever holds its place now."""

    def __init__(self, settings: Settings, number: int) -> None:
        own = replace(
            settings,
            metrics_listen=_own_port(settings.metrics_listen, number),
            admin_listen=_own_port(settings.admin_listen, number),
        )
        self._environment: Mapping[str, str] = {**os.environ, **environment_of(own)}
        self._number = number
        self._patience_s = max(STOP_S, settings.leaving_s + settings.grace_s + SLACK_S)
        self._log = structlog.get_logger("dragonhall.workers").bind(worker=number)

    async def keep(self, stopping: asyncio.Event) -> int:
        """Run the process and its successors; return the exit code of the last.

        Raises:
            BadSetting: it refuses its settings, and has said why.
        """
        loop, pause_s = asyncio.get_running_loop(), PAUSES_S[0]
        while True:
            started = loop.time()
            code = await self._live(stopping)
            if code == BAD_SETTING:
                raise BadSetting("a worker did not start; its reason is above")
            if stopping.is_set():
                return code
            self._log.error("worker ended", code=code)
            lived_s = loop.time() - started
            pause_s = PAUSES_S[0] if lived_s > PAUSES_S[1] else min(2 * pause_s, PAUSES_S[1])
            if await wait_within(pause_s, stopping):
                return 0

    async def _live(self, stopping: asyncio.Event) -> int:
        """Run the process once, and end it when all shall end."""
        command = (sys.executable, "-m", "dragonhall_service.worker", str(self._number))
        # It ends when its standard input does: a supervisor that is killed leaves nobody behind.
        process = await asyncio.create_subprocess_exec(*command, env=self._environment, stdin=PIPE)
        ended = asyncio.create_task(process.wait())
        stop = asyncio.create_task(stopping.wait())
        await asyncio.wait((ended, stop), return_when=asyncio.FIRST_COMPLETED)
        stop.cancel()
        if not ended.done():
            await self._end(process, ended)
        return await ended

    async def _end(self, process: Process, ended: "asyncio.Task[int]") -> None:
        process.terminate()
        await asyncio.wait((ended,), timeout=self._patience_s)
        if not ended.done():
            self._log.error("worker killed", after_s=self._patience_s)
            process.kill()


def _own_port(address: str, number: int) -> str:
    """Return the address of a worker's own, counted from the one that is set."""
    host, _, port = address.rpartition(":")
    return f"{host}:{int(port) + number}" if address and port != "0" else address


@contextmanager
def _reserved(listen: str) -> Iterator[str]:
    """Hold host:port for workers to share, and yield it with the port that 0 has become.

    Sharing needs the consent of all who share: a server that listens there already has not given
    it, so it is refused here, and nobody but our workers can join later.

    Raises:
        BadSetting: somebody listens there already, or nobody can.
    """
    host, _, port = listen.rpartition(":")
    try:
        found = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)
        family, _, _, _, place = found[0]
        with _bound(family, place, shared=False) as alone:
            place = alone.getsockname()
        with _bound(family, place, shared=True):
            yield f"{host}:{place[1]}"
    except OSError as refused:
        raise BadSetting(f"DRAGONHALL_LISTEN {listen} cannot be listened on: {refused}") from None


def _bound(family: int, place: Any, *, shared: bool) -> socket.socket:
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, int(shared))
    try:
        bound.bind(place)
    except OSError:
        bound.close()
        raise
    return bound

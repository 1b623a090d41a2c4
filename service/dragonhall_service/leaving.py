"""Takes a server out of service while it goes on answering: before it stops, or for an operator."""

import asyncio

import structlog

from dragonhall_service.api.boundary import Boundary
from dragonhall_service.config import MOST_QUIET_WAITS, QUIET_S
from dragonhall_service.readiness import Readiness
from dragonhall_service.usecases.feeds import Feeds


class Leaving:
    """Begins once; there is no way back."""

    def __init__(
        self, readiness: Readiness, feeds: Feeds, boundary: Boundary, drain_s: float
    ) -> None:
        self._readiness = readiness
        self._feeds = feeds
        self._boundary = boundary
        self._drain_s = drain_s
        self._task: asyncio.Task[None] | None = None

    @property
    def done(self) -> bool:
        """Whether watches and bots have been told to go elsewhere."""
        return self._feeds.draining

    @property
    def tasks(self) -> "tuple[asyncio.Task[None], ...]":
        """What must have ended before the process does."""
        return (self._task,) if self._task else ()

    def begin(self) -> "asyncio.Task[None]":
        """Leave the balancer, then end watches with a token to go on from elsewhere."""
        if self._task is None:
            structlog.get_logger("dragonhall.server").info("draining")
            self._task = asyncio.create_task(self._leave())
        return self._task

    async def _leave(self) -> None:
        await self._readiness.leave()
        if self._drain_s:
            await asyncio.sleep(self._drain_s)
            await self._until_left()
        self._feeds.drain()

    async def _until_left(self) -> None:
        """Wait until calls no longer come: gRPC would answer CANCELLED to one that does.

        Where clients come without a balancer they never cease, so it is not waited for long.
        """
        for _ in range(MOST_QUIET_WAITS):
            begun = self._boundary.begun
            await asyncio.sleep(QUIET_S)
            if self._boundary.begun == begun:
                return

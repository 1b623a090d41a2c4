"""Whether this server is ready for calls: its store answers, and is what the mode promises."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from grpc_health.v1 import health_pb2

from dragonhall_service.config import BadSetting
from dragonhall_service.metrics import Metrics
from dragonhall_service.ports import StorageUnavailable
from dragonhall_service.store.matches import RedisMatches
from dragonhall_service.store.promises import Lack, Promise, shortcomings

POLL_S = 1.0
PASSING_S = 10.0
"""A failover that is on must not keep a server from starting."""
LIVENESS = "live"
"""The name under which grpc.health.v1 tells that the process is well, whatever its store does."""
_log = structlog.get_logger("dragonhall.store")


class Assurance:
    """Whether the store is what its mode promises, asked until it answers."""

    def __init__(self, promise: Promise) -> None:
        self._promise = promise
        self._given = False
        self._told = ""

    async def given(self) -> bool:
        """Return whether it is; False if it could not be asked yet.

        Raises:
            BadSetting: it is not.
        """
        if not self._given:
            try:
                lacking = await self._lacking()
            except StorageUnavailable as away:
                self._tell(away.__cause__)
                return False
            if lacking:
                chosen = self._promise.durability.value
                raise BadSetting(
                    f"the store does not have what DRAGONHALL_DURABILITY={chosen} promises "
                    f"(deploy/README.md, Durability): {'; '.join(lack.text for lack in lacking)}"
                )
            self._given = True
        return True

    def _tell(self, why: BaseException | None) -> None:
        """Log why the store cannot be asked: once, until it is for another reason."""
        told = f"{type(why).__name__}: {why}"
        if told != self._told:
            self._told = told
            _log.warning("store not asked", why=told)

    async def _lacking(self) -> list[Lack]:
        deadline = asyncio.get_running_loop().time() + PASSING_S
        while True:
            lacking = await shortcomings(self._promise)
            passing = all(lack.passing for lack in lacking)
            if not lacking or not passing or asyncio.get_running_loop().time() >= deadline:
                return lacking
            await asyncio.sleep(0.2)


@dataclass(slots=True)
class Readiness:
    """Tells of it: readiness follows the store until the server leaves, liveness never does."""

    store: RedisMatches
    assurance: Assurance
    health: Any
    services: Sequence[str]
    metrics: Metrics
    left: bool = False

    async def leave(self) -> None:
        """Be ready no more, whatever the store does."""
        self.left = True
        await self._set(ready=False)

    async def follow(self, refused: "asyncio.Future[None]") -> None:
        """Tell it again and again, until the store turns out not to be what its mode promises."""
        try:
            while True:
                await asyncio.sleep(POLL_S)
                await self.tell()
        except BadSetting as wrong:
            refused.set_exception(wrong)

    async def tell(self) -> None:
        """Ask the store, and tell whoever asks for our health."""
        ready = await self.store.ready() and await self.assurance.given()
        self.metrics.store_ready.set(ready)
        await self._set(ready=ready)
        await self.health.set(LIVENESS, health_pb2.HealthCheckResponse.SERVING)

    async def _set(self, *, ready: bool) -> None:
        told = health_pb2.HealthCheckResponse
        for name in ("", *self.services):  # it may leave in between
            serving = ready and not self.left
            await self.health.set(name, told.SERVING if serving else told.NOT_SERVING)

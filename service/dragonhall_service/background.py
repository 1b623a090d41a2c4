"""What a server does all the time beside its calls: clocks, bells, health, metrics."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from dragonhall_service.api.bugs import report_bug
from dragonhall_service.metrics import Metrics

AGAIN_S = 1.0
_log = structlog.get_logger("dragonhall.background")


async def kept_up(work: Callable[[], Awaitable[None]], metrics: Metrics) -> None:
    """Do it until it ends by itself or is cancelled; after a bug, which is reported, begin anew.

    A server whose clocks or bells had fallen silent would look well.
    """
    while True:
        try:
            return await work()
        except Exception as bug:
            report_bug(bug, _log)
            metrics.bugs.inc()
        await asyncio.sleep(AGAIN_S)

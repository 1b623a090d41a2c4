"""The one place of retry and deadline policy: what is sent again, when, and for how long."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

import grpc

from dragonhall.sdk.errors import DragonhallError, error_of

T = TypeVar("T")

REPEATABLE = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
    }
)
"""After these the same request, with the same request_id, may be sent again."""


@dataclass(frozen=True, slots=True)
class Retry:
    """Sends a call again until it is answered.

    Attributes:
        deadline_s: of one attempt.
        budget_s: of all waiting together; then the last error is raised.
        first_s: the first wait; each further one is twice as long, up to `most_s`, times a random
            0.5-1. A wait that the server names is obeyed instead.
        sleep: how to wait.
        jitter: a number 0-1.
    """

    deadline_s: float = 5.0
    budget_s: float = 30.0
    first_s: float = 0.05
    most_s: float = 2.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[], float] = field(default=random.random)

    async def call(self, attempt: Callable[[float], Awaitable[T]]) -> T:
        """Make a call; `attempt` takes its deadline in seconds.

        Raises:
            DragonhallError: the server refused it, or the budget is spent.
        """
        waited, attempts = 0.0, 0
        while True:
            try:
                return await attempt(self.deadline_s)
            except grpc.aio.AioRpcError as failure:
                error = error_of(failure)
                wait = self.wait_s(error, attempts)
                if wait is None or waited + wait > self.budget_s:
                    raise error from None
            await self.sleep(wait)
            waited, attempts = waited + wait, attempts + 1

    def wait_s(self, error: DragonhallError, attempts: int) -> float | None:
        """Return how long to wait before a repeat; None if repeating cannot help."""
        unlimited = error.code is not grpc.StatusCode.RESOURCE_EXHAUSTED
        if error.code not in REPEATABLE or not (unlimited or error.retry_after_s):
            return None
        backoff = min(self.most_s, self.first_s * 2.0**attempts) * (0.5 + self.jitter() / 2)
        return error.retry_after_s or backoff

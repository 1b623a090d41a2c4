"""The one place of retry and deadline policy: what is sent again, when, and for how long."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

import grpc

from dragonhall.sdk.errors import DragonhallError
from dragonhall.sdk.status import error_of

T = TypeVar("T")

REPEATABLE = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.CANCELLED,
    }
)
"""After these the same request, with the same request_id, may be sent again.

CANCELLED is the server's: it stops, and its patience with what still ran has ended. One's own
cancellation is a CancelledError.
"""

CHANNEL_OPTIONS = (
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
)
"""gRPC's own back-off, up to 2 minutes, would outlast our budget; without the pings a watch would
wait for ever on a connection that was cut without a word."""


@dataclass(frozen=True, slots=True)
class Retry:
    """How long to wait for an answer, and when to ask again.

    Attributes:
        deadline_s: of one attempt at a unary call.
        budget_s: from the first failure on; no attempt begins later.
        first_s: the first wait; each further one is twice as long, up to `most_s`, times a random
            0.5-1. Where the server names a longer wait, that one is obeyed.
        most_s: the longest wait, and so by how much a call may miss the end of an outage.
        sleep: how to wait.
        clock: seconds, from any origin.
        jitter: a number 0-1.
    """

    deadline_s: float = 5.0
    budget_s: float = 30.0
    first_s: float = 0.05
    most_s: float = 1.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic
    jitter: Callable[[], float] = random.random

    async def call(self, attempt: Callable[[float], Awaitable[T]]) -> T:
        """Make a call; `attempt` takes its deadline in seconds.

        Raises:
            DragonhallError: the server refused it, or the budget is spent.
        """
        failures = Failures(self)
        while True:
            try:
                return await attempt(self.deadline_s)
            except grpc.aio.AioRpcError as failure:
                error = error_of(failure)
            await failures.add(error)

    def wait_s(self, error: DragonhallError, failures: int) -> float | None:
        """Return how long to wait after so many failures; None if repeating cannot help."""
        if error.code not in REPEATABLE:
            return None
        if error.code is grpc.StatusCode.RESOURCE_EXHAUSTED and error.retry_after_s is None:
            return None  # gRPC itself: the message is too large, and stays so
        # The exponent is bounded, since a long budget may outlive what a float can hold.
        backoff = min(self.most_s, self.first_s * 2.0 ** min(failures, 30))
        return max(error.retry_after_s or 0.0, backoff * (0.5 + self.jitter() / 2))


class Failures:
    """The failures in a row of one call, or of one watch since it last heard something."""

    def __init__(self, policy: Retry) -> None:
        self._policy = policy
        self._count = 0
        self._since = 0.0

    def clear(self) -> None:
        """Start anew, with the whole budget."""
        self._count = 0

    async def add(self, error: DragonhallError) -> None:
        """Wait before the next attempt.

        Raises:
            DragonhallError: the error given, if there should be none.
        """
        policy, now = self._policy, self._policy.clock()
        if not self._count:
            self._since = now
        wait = policy.wait_s(error, self._count)
        if wait is None or now + wait > self._since + policy.budget_s:
            raise error
        self._count += 1
        await policy.sleep(wait)

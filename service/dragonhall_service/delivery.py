"""How late news is sent: measured by the store's clock, which stamps every commit."""

import time
from collections.abc import Callable

FORGET_S = 60.0


class Delivery:
    """Tells an observer the seconds from a commit to the sending of its news.

    What the store's clock shows now is read off its answers. Each answer is a little late, so the
    greatest lead over our own clock is the right one; an old one is forgotten, as clocks drift.
    """

    def __init__(
        self, observe: Callable[[float], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Take the observer, and a clock in seconds from any origin."""
        self._observe = observe
        self._clock = clock
        self._lead_ms, self._earlier_ms = float("-inf"), float("-inf")
        self._since = clock()

    def heard(self, store_ms: int) -> None:
        """Note the time of the store that an answer has just brought, in ms since 1970."""
        now = self._clock()
        lead_ms = store_ms - now * 1000
        if now - self._since > FORGET_S:
            self._earlier_ms, self._lead_ms, self._since = self._lead_ms, lead_ms, now
        self._lead_ms = max(self._lead_ms, lead_ms)

    def sent(self, committed_ms: int) -> None:
        """Note that news of a commit has just been sent; the store must have answered before."""
        now_ms = self._clock() * 1000 + max(self._lead_ms, self._earlier_ms)
        self._observe(max(0.0, now_ms - committed_ms) / 1000)

"""How often something may happen, for many keys at once: the generic cell rate algorithm (GCRA).

Each use pays for one interval, and may pay ahead for as many as make a burst. So all that is kept
of a key is the time up to which it has paid; one that lies in the past is as good as none.
"""

from collections import OrderedDict
from collections.abc import Hashable


class Gcra:
    """A rate that every key has for itself; memory is bounded whatever keys come."""

    def __init__(self, per_s: float, burst_s: float, most_keys: int = 10_000) -> None:
        """Allow so many uses a second, and those of `burst_s` seconds at once, at least one."""
        self._interval = 1 / per_s
        self._ahead = max(0.0, burst_s - self._interval)
        self._paid: OrderedDict[Hashable, float] = OrderedDict()
        self._most_keys = most_keys

    def __len__(self) -> int:
        return len(self._paid)

    def opens(self, key: Hashable, now: float) -> float:
        """Return when a key may be used next; `now` or earlier: at once."""
        return self._paid.get(key, now) - self._ahead

    def pay(self, key: Hashable, now: float) -> None:
        """Pay for one use of a key, which moves the next one on.

        Where there are too many keys the one that was used longest ago is forgotten: it has most
        likely no burst left to give back, and forgetting can only be to its advantage.
        """
        self._paid[key] = max(self._paid.get(key, now), now) + self._interval
        self._paid.move_to_end(key)
        if len(self._paid) > self._most_keys:
            self._paid.popitem(last=False)

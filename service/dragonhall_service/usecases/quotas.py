"""How much one token and one address may ask of this server, and when to ask again.

A refused call pays at once for a place in the future and is told when that is. Calls that were not
refused cannot overtake it, so a wait that is obeyed succeeds. Who comes back early, or with another
request, is somebody new.
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, unique

from dragonhall_service.credentials import Caller
from dragonhall_service.usecases.gcra import Gcra
from dragonhall_service.usecases.refusals import OverQuota

LONGEST_WAIT_S = 10.0
"""Places are promised so far ahead; further calls are told a wait without a promise."""
KEPT_S = 10.0
"""A place is kept at least so long after its time."""
_MOST_PROMISED = 20_000


@unique
class Kind(Enum):
    """What a call asks for, by what it costs; the value names it to the caller."""

    CALL = "calls"
    OPENING = "matches created, matches joined and bots registered"


@dataclass(frozen=True, slots=True)
class Rate:
    """How often, a second.

    Attributes:
        burst_s: what so many seconds allow may come at once.
    """

    per_token: int
    per_address: int
    burst_s: float


class Quotas:
    """What callers of one process have used; memory is bounded whatever they do."""

    def __init__(
        self,
        rates: Mapping[Kind, Rate],
        streams_per_address: int,
        is_free: Callable[[Caller], bool],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take the limits, and whom they are not for.

        Args:
            streams_per_address: most streams open at once from one address.
            clock: seconds, from any origin.
        """
        self._gates = {kind: _Gates(rate) for kind, rate in rates.items()}
        self.is_free = is_free
        self._clock = clock
        self._promises = _Promises(clock())
        self._most_streams = streams_per_address
        self._streams: Counter[str] = Counter()

    def admit(self, kind: Kind, caller: Caller, request: Hashable) -> None:
        """Count a call.

        Args:
            request: what is asked, byte for byte: a call that comes again is known by it.

        Raises:
            Refusal: QUOTA, with the wait.
        """
        if self.is_free(caller):
            return
        now, gates = self._clock(), self._gates[kind]
        if self._promises and self._promises.redeem(hash((kind, caller, request)), now):
            return
        opens = gates.open(caller, now)
        if opens <= now:
            gates.pay(caller, now)
            return
        if opens - now <= LONGEST_WAIT_S and self._promises.has_room(now):
            gates.pay(caller, now)
            self._promises.make(hash((kind, caller, request)), opens)
        wait_ms = math.ceil((opens - now) * 1000)
        message = f"too many {kind.value} of this token or address: come back in {wait_ms} ms"
        raise OverQuota(message, wait_ms)

    def pace_s(self, kind: Kind, caller: Caller) -> float:
        """Count what came on a stream, and return for how long to read no more of it."""
        if self.is_free(caller):
            return 0.0
        now, gates = self._clock(), self._gates[kind]
        opens = gates.open(caller, now)
        gates.pay(caller, now)
        return max(0.0, opens - now)

    @contextmanager
    def stream(self, caller: Caller) -> Iterator[None]:
        """Hold a place for an open stream of the caller's address while the context lasts.

        Raises:
            Refusal: QUOTA.
        """
        address = caller.address
        if self.is_free(caller):
            yield
            return
        if self._streams[address] >= self._most_streams:
            raise OverQuota(f"an address may hold {self._most_streams} streams at once")
        self._streams[address] += 1
        try:
            yield
        finally:
            self._streams[address] -= 1
            if not self._streams[address]:
                del self._streams[address]


class _Gates:
    """The two rates that a call must keep."""

    def __init__(self, rate: Rate) -> None:
        self._token = Gcra(rate.per_token, rate.burst_s)
        self._address = Gcra(rate.per_address, rate.burst_s)

    def open(self, caller: Caller, now: float) -> float:
        """Return when both let a caller through; at the earliest now."""
        opens = max(now, self._address.opens(caller.address, now))
        if caller.token_hash is None:
            return opens
        return max(opens, self._token.opens(caller.token_hash, now))

    def pay(self, caller: Caller, now: float) -> None:
        self._address.pay(caller.address, now)
        if caller.token_hash is not None:
            self._token.pay(caller.token_hash, now)


class _Promises:
    """Places in the future by request; two generations, so that old ones go all at once."""

    def __init__(self, now: float) -> None:
        self._young: dict[int, list[float]] = {}
        self._old: dict[int, list[float]] = {}
        self._made = 0
        self._since = now

    def __bool__(self) -> bool:
        return bool(self._young or self._old)

    def has_room(self, now: float) -> bool:
        if now - self._since > LONGEST_WAIT_S + KEPT_S:
            self._young, self._old = {}, self._young
            self._made, self._since = 0, now
        return self._made < _MOST_PROMISED

    def make(self, request: int, opens: float) -> None:
        self._young.setdefault(request, []).append(opens)
        self._made += 1

    def redeem(self, request: int, now: float) -> bool:
        """Use a place whose time has come."""
        for made in (self._old, self._young):
            places = made.get(request)
            if places and places[0] <= now:
                del places[0]
                if not places:
                    del made[request]
                return True
        return False

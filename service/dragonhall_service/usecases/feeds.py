"""One reader of the log per watched match and process, shared by all who watch it.

A watcher holds a place, not a queue: it asks for what follows its place, and gets it from the
few entries kept here or, if it is slow, from the log. So a slow reader costs no memory.
"""

import asyncio
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from enum import Enum, unique

from dragonhall_service.match import LoggedEntry
from dragonhall_service.ports import (
    Doorbell,
    MatchStore,
    RecordCorrupt,
    RecordTooNew,
    StorageUnavailable,
)
from dragonhall_service.usecases.tasks import wait_within

SAFETY_POLL_S = 2.0
"""A doorbell may be lost; the log is read at least this often."""
KEPT_ENTRIES = 64
READ_LIMIT = 256


@dataclass(frozen=True, slots=True)
class Place:
    """How far a reader has got: a version and the tag that the store gave it."""

    version: int
    tag: str


def place_of(logged: LoggedEntry) -> Place:
    """Return the place right after an entry."""
    return Place(logged.version, logged.tag)


@unique
class Break(Enum):
    """Why the log does not go on from a place."""

    REWOUND = "rewound"
    DIVERGED = "diverged"
    TRIMMED = "trimmed"


def continuation(entries: Sequence[LoggedEntry], place: Place) -> Sequence[LoggedEntry] | Break:
    """Return what follows a place in entries that were read from its own version on."""
    if not entries:
        return Break.REWOUND
    if entries[0].version > place.version:
        return Break.TRIMMED
    if entries[0].tag != place.tag:
        return Break.DIVERGED
    return entries[1:]


class Tail:
    """The newest entries of one log, each following the one before."""

    def __init__(self, base: Place) -> None:
        self._base = base
        self._entries: deque[LoggedEntry] = deque()

    @property
    def head(self) -> Place:
        """The place after the newest entry."""
        return place_of(self._entries[-1]) if self._entries else self._base

    def extend(self, entries: Sequence[LoggedEntry]) -> None:
        """Add entries that follow the head; the oldest are let go."""
        self._entries.extend(entries)
        while len(self._entries) > KEPT_ENTRIES:
            self._base = place_of(self._entries.popleft())

    def after(self, place: Place) -> Sequence[LoggedEntry] | None:
        """Return what follows a place; None if it lies outside or in another history."""
        skip = place.version - self._base.version
        if not 0 <= skip <= len(self._entries):
            return None
        known = self._base if skip == 0 else place_of(self._entries[skip - 1])
        return tuple(self._entries)[skip:] if known == place else None


class Feed:
    """What is new in one match; `after` waits for it."""

    def __init__(self, store: MatchStore, match_id: str) -> None:
        self._store = store
        self._match_id = match_id
        self._tail: Tail | None = None
        self._rung = asyncio.Event()
        self._changed = asyncio.Event()
        self._closed = False
        self.readers = 0

    def ring(self, version: int = 0) -> None:
        """Hint that there may be a new version, this one if it is known."""
        if not version or self._tail is None or self._tail.head.version != version:
            self._rung.set()

    def committed(self, upon: Place, entries: Sequence[LoggedEntry]) -> None:
        """Take what this server has just committed upon a place: it need not be read."""
        if self._tail is not None and self._tail.head == upon:
            self._tail.extend(entries)
            self.announce()

    def close(self) -> None:
        """End the pump.

        It is told rather than cancelled: while a client connects, a cancellation can get lost.
        """
        self._closed = True
        self.ring()

    def announce(self) -> None:
        """Wake everybody who waits in `after`."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def after(self, place: Place, patience: float) -> Sequence[LoggedEntry] | Break | None:
        """Return what follows `place`; None when nothing did for `patience` seconds.

        Woken by `announce` for another reason it returns ().

        Raises:
            StorageUnavailable: the store did not answer.
        """
        changed = self._changed
        found = await self._now(place)
        if isinstance(found, Break) or found:
            return found
        if await wait_within(patience, changed):
            return await self._now(place)
        return None

    async def _now(self, place: Place) -> Sequence[LoggedEntry] | Break:
        kept = self._tail.after(place) if self._tail else None
        if kept is not None:
            return kept
        found = await self.read(place)
        if self._tail is None and not isinstance(found, Break):
            self._tail = Tail(place)
            self._tail.extend(found)
        return found

    async def read(self, place: Place) -> Sequence[LoggedEntry] | Break:
        """Read from the log what follows a place."""
        entries = await self._store.entries(self._match_id, place.version, READ_LIMIT)
        return continuation(entries, place)

    async def pump(self) -> None:
        """Read the log at each ring and at least every `SAFETY_POLL_S`, until closed."""
        while not self._closed:
            await wait_within(SAFETY_POLL_S, self._rung)
            self._rung.clear()
            with suppress(StorageUnavailable, RecordCorrupt, RecordTooNew):
                await self._refresh()

    async def _refresh(self) -> None:
        tail = self._tail
        if tail is None:
            return
        head = tail.head
        new = await self.read(head)
        if tail.head != head:  # a commit of this server was added meanwhile
            self.ring()
        elif isinstance(new, Break):
            self._tail = None
            self.announce()
        elif new:
            tail.extend(new)
            self.announce()
            if len(new) + 1 >= READ_LIMIT:  # there may be more than one read returns
                self.ring()


class Feeds:
    """The feeds of one process."""

    def __init__(self, store: MatchStore, doorbell: Doorbell) -> None:
        self._store = store
        self._doorbell = doorbell
        self._open: dict[str, Feed] = {}
        self._closing: dict[str, ExitStack] = {}
        self._pumps: dict[Feed, asyncio.Task[None]] = {}
        self.drained = asyncio.Event()

    @contextmanager
    def open(self, match_id: str) -> Iterator[Feed]:
        """Share the feed of a match while the context lasts."""
        feed = self._open.get(match_id) or self._start(match_id)
        feed.readers += 1
        try:
            yield feed
        finally:
            feed.readers -= 1
            if not feed.readers:
                del self._open[match_id]
                self._closing.pop(match_id).close()

    def committed(self, match_id: str, upon: str, entries: Sequence[LoggedEntry]) -> None:
        """Tell who follows a match what this server has just committed upon a version's tag."""
        if (feed := self._open.get(match_id)) is not None:
            feed.committed(Place(entries[0].version - 1, upon), entries)

    @property
    def draining(self) -> bool:
        """Whether this process is stopping."""
        return self.drained.is_set()

    def drain(self) -> None:
        """Make every watch end with a token to go on from elsewhere."""
        self.drained.set()
        for feed in self._open.values():
            feed.announce()

    async def finish(self, patience_s: float) -> None:
        """Wait until the pumps of feeds that nobody has open any more have ended."""
        if self._pumps:
            await asyncio.wait(self._pumps.values(), timeout=patience_s)

    def _start(self, match_id: str) -> Feed:
        feed = self._open[match_id] = Feed(self._store, match_id)
        closing = self._closing[match_id] = ExitStack()
        closing.enter_context(self._doorbell.listen(match_id, feed.ring))
        pumping = self._pumps[feed] = asyncio.create_task(feed.pump())
        pumping.add_done_callback(lambda _: self._pumps.pop(feed))
        closing.callback(feed.close)
        return feed

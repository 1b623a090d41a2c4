"""Watching a match: a snapshot or a resumption, then every version in order."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from dragonhall_service.credentials import Caller, Role
from dragonhall_service.match import EntryKind, LoggedEntry, MatchRecord, Phase
from dragonhall_service.ports import Ports
from dragonhall_service.usecases.admission import Admission, Ticket
from dragonhall_service.usecases.feeds import Break, Feed, Feeds, Place, place_of
from dragonhall_service.usecases.reading import Seen, see
from dragonhall_service.usecases.refusals import draining

_RESEATING = (EntryKind.JOINED, EntryKind.LEFT)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The match as it is now; `reset` says why what the reader knew is void."""

    record: MatchRecord
    role: Role
    reset: Break | None = None

    @property
    def place(self) -> Place:
        """The place after the snapshot."""
        return Place(self.record.version, self.record.tag)


@dataclass(frozen=True, slots=True)
class News:
    """The next version."""

    record: MatchRecord
    role: Role
    logged: LoggedEntry

    @property
    def place(self) -> Place:
        """The place after the entry."""
        return place_of(self.logged)


@dataclass(frozen=True, slots=True)
class Quiet:
    """Nothing happened for a while."""

    place: Place


@dataclass(frozen=True, slots=True)
class Drained:
    """This server is stopping; go on from `place` elsewhere."""

    place: Place


@dataclass(frozen=True, slots=True)
class Superseded:
    """A newer watch of the same token has taken this one's place."""

    place: Place


Item = Snapshot | News | Quiet | Drained | Superseded


async def watch(
    ports: Ports,
    feeds: Feeds,
    admission: Admission,
    caller: Caller,
    match_id: str,
    resume: Place | None,
    heartbeat_s: float,
) -> AsyncGenerator[Item, None]:
    """Yield what a caller may see of a match until it is over or this watch must end.

    Raises:
        Refusal: MATCH_NOT_FOUND, QUOTA, DRAINING.
    """
    if feeds.draining:
        raise draining()
    with admission.enter(caller, match_id) as ticket:
        seen = await see(ports, caller, match_id)
        with feeds.open(match_id) as feed:
            ticket.wake = feed.announce
            watcher = _Watcher(ports, feeds, feed, ticket, caller, match_id, seen)
            async with aclosing(watcher.items(resume, heartbeat_s)) as items:
                async for item in items:
                    yield item


class _Watcher:
    def __init__(
        self,
        ports: Ports,
        feeds: Feeds,
        feed: Feed,
        ticket: Ticket,
        caller: Caller,
        match_id: str,
        seen: Seen,
    ) -> None:
        self._ports = ports
        self._feeds = feeds
        self._feed = feed
        self._ticket = ticket
        self._caller = caller
        self._match_id = match_id
        self._seen = seen
        self._over = False

    async def items(self, resume: Place | None, heartbeat_s: float) -> AsyncGenerator[Item, None]:
        if resume is None:
            first = self._snapshot(None)
            yield first
            place = first.place
        else:
            place = resume
            record = self._seen.record
            at_head = place == Place(record.version, record.tag)
            self._over = at_head and record.phase is Phase.OVER
        while not self._over:
            if self._feeds.draining:
                yield Drained(place)
                return
            if self._ticket.superseded:
                yield Superseded(place)
                return
            found = await self._feed.after(place, heartbeat_s)
            if isinstance(found, Break):
                self._seen = await see(self._ports, self._caller, self._match_id)
                reset = self._snapshot(found)
                yield reset
                place = reset.place
            elif found is None:
                yield Quiet(place)
            else:
                for logged in found:
                    if logged.entry.kind in _RESEATING:  # the caller may hold a seat now, or none
                        self._seen = await see(self._ports, self._caller, self._match_id)
                    self._over = logged.entry.ending is not None
                    yield News(self._seen.record, self._seen.role, logged)
                    place = place_of(logged)

    def _snapshot(self, reset: Break | None) -> Snapshot:
        self._over = self._seen.record.phase is Phase.OVER
        return Snapshot(self._seen.record, self._seen.role, reset)

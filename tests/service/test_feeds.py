"""Feeds: nothing is missed or doubled, and nobody goes back unnoticed."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from dragonhall_service.match import LoggedEntry
from dragonhall_service.ports import Applied, Ring
from dragonhall_service.store.keys import keys_of
from dragonhall_service.usecases.feeds import KEPT_ENTRIES, Break, Feed, Feeds, Place
from tests.service.store_driver import Bench, bench, created, move, moved, rewind


class Bells:
    """A doorbell that rings only when the test says so."""

    def __init__(self) -> None:
        self.rings: list[Ring] = []

    @contextmanager
    def listen(self, match_id: str, ring: Ring) -> Iterator[None]:
        self.rings.append(ring)
        yield
        self.rings.remove(ring)


@pytest.fixture
async def at(one_store_url: str) -> AsyncIterator[Bench]:
    async with bench(one_store_url) as opened:
        yield opened


async def follow(feed: Feed, place: Place, until: int) -> list[int]:
    versions: list[int] = []
    while place.version < until:
        found = await feed.after(place, 10)
        assert found is not None
        assert not isinstance(found, Break)
        versions += [logged.version for logged in found]
        if found:
            place = Place(found[-1].version, found[-1].tag)
    return versions


async def test_every_reader_gets_every_version_once_in_order(at: Bench) -> None:
    record = await created(at.store)
    feeds = Feeds(at.store, bells := Bells())
    place = Place(record.version, record.tag)
    with feeds.open(record.match_id) as feed, feeds.open(record.match_id) as same:
        assert feed is same
        readers = [asyncio.create_task(follow(feed, place, 41)) for _ in range(20)]
        for _ in range(40):
            record = await moved(at.store, record, 1)
            bells.rings[0](0)
        for reader in readers:
            assert await reader == list(range(2, 42))
    assert not bells.rings


async def test_a_lost_ring_is_made_good_by_the_safety_poll(at: Bench) -> None:
    record = await created(at.store)
    with Feeds(at.store, Bells()).open(record.match_id) as feed:
        reader = asyncio.create_task(follow(feed, Place(record.version, record.tag), 2))
        await asyncio.sleep(0)
        await moved(at.store, record, 1)
        assert await reader == [2]


async def test_a_slow_reader_reads_the_log(at: Bench) -> None:
    first = await created(at.store)
    with Feeds(at.store, bells := Bells()).open(first.match_id) as feed:
        fast = asyncio.create_task(follow(feed, Place(1, first.tag), KEPT_ENTRIES + 30))
        record = await moved(at.store, first, KEPT_ENTRIES + 29)
        bells.rings[0](0)
        await fast
        slow = await follow(feed, Place(1, first.tag), record.version)
        assert slow == list(range(2, record.version + 1))


async def test_a_rewound_history_is_noticed(at: Bench) -> None:
    first = await created(at.store)
    record = await moved(at.store, first, 3)
    with Feeds(at.store, Bells()).open(first.match_id) as feed:
        reader = asyncio.create_task(feed.after(Place(4, record.tag), 30))
        await asyncio.sleep(0.05)
        await rewind(at.raw, record, 1, first.tag)
        assert await reader is Break.REWOUND


async def test_another_history_of_the_same_length_is_noticed(at: Bench) -> None:
    first = await created(at.store)
    record = await moved(at.store, first, 1)
    with Feeds(at.store, bells := Bells()).open(first.match_id) as feed:
        reader = asyncio.create_task(feed.after(Place(2, record.tag), 30))
        await asyncio.sleep(0.05)
        await rewind(at.raw, record, 1, first.tag)
        await moved(at.store, first, 2)
        bells.rings[0](0)
        assert await reader is Break.DIVERGED


async def test_a_trimmed_log_is_noticed(at: Bench) -> None:
    first = await created(at.store)
    await moved(at.store, first, 5)
    await at.raw.xtrim(keys_of(first.match_id).log, maxlen=2, approximate=False)
    with Feeds(at.store, Bells()).open(first.match_id) as feed:
        assert await feed.after(Place(1, first.tag), 1) is Break.TRIMMED


class Reads:
    """A store whose log may be read; it counts how often that was begun, and done."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.count = self.answered = 0
        self.before_answer: list[Callable[[], object]] = []

    async def entries(self, match_id: str, first: int, limit: int) -> Sequence[LoggedEntry]:
        self.count += 1
        found: Sequence[LoggedEntry] = await self._store.entries(match_id, first, limit)
        while self.before_answer:
            self.before_answer.pop()()
        self.answered += 1
        return found


async def test_what_this_server_has_committed_is_not_read(at: Bench) -> None:
    record = await created(at.store)
    feeds = Feeds(reads := Reads(at.store), bells := Bells())  # type: ignore[arg-type]
    with feeds.open(record.match_id) as feed:
        reader = asyncio.create_task(follow(feed, Place(1, record.tag), 9))
        while not reads.answered:
            await asyncio.sleep(0.01)
        for _ in range(8):
            done = await at.store.commit(move(record, str(record.version)))
            assert isinstance(done, Applied)
            feeds.committed(record.match_id, record.tag, done.entries)
            bells.rings[0](done.record.version)
            record = done.record
        assert await reader == list(range(2, 10))
        assert reads.count == 1


async def test_a_commit_upon_another_history_is_no_news(at: Bench) -> None:
    record = await created(at.store)
    feeds = Feeds(at.store, Bells())
    with feeds.open(record.match_id) as feed:
        assert await feed.after(Place(1, record.tag), 0) is None
        done = await at.store.commit(move(record, str(record.version)))
        assert isinstance(done, Applied)
        feeds.committed(record.match_id, "another", done.entries)
        assert await feed.after(Place(1, record.tag), 0) is None
        feeds.committed(record.match_id, record.tag, done.entries)
        assert await feed.after(Place(1, record.tag), 0) == done.entries


async def test_a_commit_while_the_log_is_read_is_told_once(at: Bench) -> None:
    record = await created(at.store)
    feeds = Feeds(reads := Reads(at.store), bells := Bells())  # type: ignore[arg-type]
    with feeds.open(record.match_id) as feed:
        reader = asyncio.create_task(follow(feed, Place(1, record.tag), 3))
        while not reads.count:
            await asyncio.sleep(0.01)
        done = await at.store.commit(move(record, str(record.version)))
        assert isinstance(done, Applied)
        reads.before_answer.append(
            lambda: feeds.committed(record.match_id, record.tag, done.entries)
        )
        bells.rings[0](0)
        while reads.before_answer:
            await asyncio.sleep(0.01)
        await moved(at.store, done.record, 1)
        bells.rings[0](3)
        assert await reader == [2, 3]

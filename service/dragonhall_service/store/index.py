"""The list of public matches: a convenience beside the matches, mended from them.

It is written after a commit that may change the phase, so a server that dies in between leaves a
match unlisted. Later commits, every few versions, mend that, and reading the list mends what is
listed wrongly.
"""

from contextlib import suppress
from typing import Any

from dragonhall_service.match import MatchRecord, Phase
from dragonhall_service.ports import StorageUnavailable
from dragonhall_service.store.connection import translated
from dragonhall_service.store.keys import index_key

_ALL = "all"


class PublicIndex:
    """Sorted sets by phase, and one of all, with the creation time in ms as the score."""

    def __init__(self, reads: Any, writes: Any) -> None:
        """Take redis-py's client for reads, and one without retries."""
        self._reads = reads
        self._writes = writes

    async def note(self, record: MatchRecord) -> None:
        """List a match under its phase; failing here must not fail the commit before it."""
        row = {record.match_id: record.created_ms}
        with suppress(StorageUnavailable), translated(writes=True):
            pipe = self._writes.pipeline(transaction=False)
            for phase in Phase:
                if phase is record.phase:
                    pipe.zadd(index_key(phase.value), row)
                else:
                    pipe.zrem(index_key(phase.value), record.match_id)
            pipe.zadd(index_key(_ALL), row)
            await pipe.execute()

    async def forget(self, match_id: str) -> None:
        """Drop a match that has expired."""
        with suppress(StorageUnavailable), translated(writes=True):
            pipe = self._writes.pipeline(transaction=False)
            for name in (_ALL, *(phase.value for phase in Phase)):
                pipe.zrem(index_key(name), match_id)
            await pipe.execute()

    async def oldest(self, before_ms: int, limit: int) -> list[str]:
        """Return ids of finished matches that were created before, oldest first."""
        key = index_key(Phase.OVER.value)
        with translated(writes=False):
            rows: list[bytes] = await self._reads.zrangebyscore(
                key, "-inf", f"({before_ms}", start=0, num=limit
            )
        return [match_id.decode() for match_id in rows]

    async def page(self, phase: Phase | None, after: str, limit: int) -> list[tuple[str, str]]:
        """Return ids, newest first, each with the place after it.

        Args:
            after: a place, `<score>:<id>`; "" for the newest.
        """
        key = index_key(phase.value if phase else _ALL)
        score, _, last = after.partition(":")
        highest = score or "+inf"
        with translated(writes=False):
            rows: list[Any] = await self._reads.zrevrangebyscore(
                key, highest, "-inf", start=0, num=limit + 64, withscores=True
            )
        places = [(raw.decode(), f"{int(ms)}:{raw.decode()}") for raw, ms in rows]
        if last:  # rows of one score come in falling order of their ids
            places = [row for row in places if _before(row[1], after)]
        return places[:limit]


def _before(place: str, after: str) -> bool:
    return _order(place) < _order(after)


def _order(place: str) -> tuple[int, str]:
    score, _, match_id = place.partition(":")
    return int(score), match_id

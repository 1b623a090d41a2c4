"""Matches in Redis or Valkey: reads, the one atomic commit, and the index of public matches."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, count
from typing import Any

from dragonhall_service.match import LoggedEntry, MatchRecord, Phase
from dragonhall_service.ports import (
    Applied,
    Commit,
    Conflict,
    Countdown,
    Ids,
    Loaded,
    Missed,
    RecordCorrupt,
    RecordTooNew,
    Repeated,
    RequestKey,
    StorageFull,
    StorageUnavailable,
)
from dragonhall_service.store.access import Access
from dragonhall_service.store.connection import translated
from dragonhall_service.store.index import PublicIndex
from dragonhall_service.store.keys import LIVE_KEYS, Keys, keys_of, prefix_of
from dragonhall_service.store.records import (
    decode_entry,
    decode_record,
    decode_request,
    decode_timing,
    encode_banks,
    encode_entry,
    encode_record,
    encode_request,
    pairs,
)
from dragonhall_service.store.scripts import Script

_AT_ONCE = 64
_PRUNED = 3
"""So many of the oldest rows are looked at when a match ends: more than the one that it adds."""
LISTED_EVERY = 32
"""A version of such a number is listed anew too, for what a dying server left out."""


class RedisMatches:
    """Implements `ports.MatchStore`."""

    def __init__(self, access: Access, ids: Ids, finished_ttl_s: int) -> None:
        """Take the ways to the store.

        Args:
            finished_ttl_s: how long a finished match is kept, in seconds.
        """
        self._access = access
        self._ids = ids
        self._finished_ttl_ms = finished_ttl_s * 1000
        self._load = Script(access.asks, "load.lua")
        self._commit = Script(access.commits, "commit.lua")
        self._again = Script(access.commits, "again.lua")
        self._extend = Script(access.commits, "extend.lua")
        self._due = Script(access.asks, "due.lua")
        self._count = Script(access.asks, "count.lua")
        self._index = PublicIndex(access.reads, access.writes)

    async def load(self, match_id: str, request: RequestKey | None = None) -> Loaded | None:
        """Read a match together with what a request did, at one instant."""
        keys = keys_of(match_id)
        field = _field(request) if request else ""
        with translated(writes=False):
            fields, earlier, now = await self._load.run([keys.match, keys.requests], [field])
        if not fields:
            return None
        record = decode_record(match_id, pairs(fields), now)
        if earlier:
            await self._settle(keys, field, earlier)
        return Loaded(record, decode_request(earlier) if earlier else None)

    async def commit(self, commit: Commit) -> Applied | Repeated | Conflict | Missed:
        """Write record, log, request record and deadline in one atomic step, then the index."""
        keys = keys_of(commit.record.match_id)
        before = commit.record.version
        last = before + len(commit.entries)
        tags = [self._ids.tag() for _ in commit.entries]
        arguments = self._arguments(commit, tags)
        names = [keys.match, keys.log, keys.requests, keys.live]
        with translated(writes=True):
            answer, *values = await self._commit.run(names, arguments)
        if answer == b"repeated":
            await self._settle(keys, _field(commit.request), values[0])
            return Repeated(decode_request(values[0]))
        if answer == b"conflict":
            return Conflict(values[0])
        if answer == b"missed":
            return Missed()
        phase_before, now, timing = values[0], int(values[1]), decode_timing(*values[2:])
        record = replace(
            commit.record,
            version=last,
            tag=tags[-1],
            created_ms=commit.record.created_ms or now,
            timing=timing,
            as_of_ms=now,
        )
        anew = phase_before != record.phase.value.encode() or last % LISTED_EVERY == 0
        if record.options.public and anew:
            await self._index.note(record)
            if record.phase is Phase.OVER:
                await self._prune(now - self._finished_ttl_ms)
        logged = [
            LoggedEntry(version, tag, now, entry, timing if version == last else None)
            for version, tag, entry in zip(count(before + 1), tags, commit.entries, strict=False)
        ]
        return Applied(record, tuple(logged))

    def _arguments(self, commit: Commit, tags: list[str]) -> list[Any]:
        record, before = commit.record, commit.record.version
        last = before + len(tags)
        finished = record.phase is Phase.OVER
        request = encode_request(before + 1, last, commit.fingerprint)
        fields = encode_record(record, commit.entries, last, tags[-1], reseated=commit.reseated)
        if not before:
            fields += ["banks", encode_banks(record.options)]
        arguments: list[Any] = [_field(commit.request), request, before]
        arguments += [record.tag, self._finished_ttl_ms if finished else 0]
        arguments += [record.match_id, len(commit.entries), commit.window.value]
        arguments += _countdown(commit.countdown)
        arguments += [len(fields), *fields]
        for entry, tag in zip(commit.entries, tags, strict=True):
            encoded = encode_entry(entry, tag)
            arguments += [len(encoded), *encoded]
        return [*arguments, keys_of(record.match_id).bell]

    async def entries(self, match_id: str, first: int, limit: int) -> Sequence[LoggedEntry]:
        """Read the log from version `first` on, at most `limit` entries."""
        with translated(writes=False):
            log = keys_of(match_id).log
            rows: Any = await self._access.reads.xrange(log, f"0-{first}", "+", limit)
        return [decode_entry(stream_id, fields) for stream_id, fields in rows]

    async def extend(self, match_id: str, version: int, grace_ms: int) -> bool:
        """Move a deadline that has passed on, once a version."""
        keys = keys_of(match_id)
        with translated(writes=True):
            arguments = [match_id, version, grace_ms]
            return bool(await self._extend.run([keys.match, keys.live], arguments))

    async def due(self, limit: int, late_ms: int = 0) -> Sequence[str]:
        """List matches whose deadline passed `late_ms` ago, at most `limit` of each bucket."""
        groups = [LIVE_KEYS] if self._access.one_slot else [[key] for key in LIVE_KEYS]
        found: list[bytes] = []
        with translated(writes=False):
            for some in range(0, len(groups), _AT_ONCE):  # others have their turn in between
                some_keys = groups[some : some + _AT_ONCE]
                asked = (self._due.run(keys, [limit, late_ms]) for keys in some_keys)
                found += chain.from_iterable(await asyncio.gather(*asked))
        return [match_id.decode() for match_id in found]

    async def count(self, bucket: int) -> dict[str, int]:
        """Count the unfinished matches of a bucket by the names of their phases."""
        with translated(writes=False):
            told = await self._count.run([LIVE_KEYS[bucket]], [prefix_of(bucket)])
        return {phase.decode(): int(count) for phase, count in pairs(told).items()}

    async def public_matches(
        self, phase: Phase | None, after: str, limit: int
    ) -> tuple[Sequence[MatchRecord], str]:
        """List public matches, newest first; stale rows of the index are mended on the way.

        One that cannot be read is left out: it must not hide the others.
        """
        found: list[MatchRecord] = []
        while len(found) < limit:
            rows = await self._index.page(phase, after, limit - len(found))
            for match_id, place in rows:
                after = place
                try:
                    loaded = await self.load(match_id)
                except (RecordCorrupt, RecordTooNew):
                    continue
                if loaded is None:
                    await self._index.forget(match_id)
                elif phase is None or loaded.record.phase is phase:
                    found.append(loaded.record)
                else:
                    await self._index.note(loaded.record)
            if not rows:
                return found, ""
        return found, after

    async def _prune(self, before_ms: int) -> None:
        """Drop some rows of the index whose matches have expired, more than one is added.

        Nobody pages as far as they are.
        """
        with suppress(StorageUnavailable, RecordCorrupt, RecordTooNew):
            for match_id in await self._index.oldest(before_ms, _PRUNED):
                if await self.load(match_id) is None:
                    await self._index.forget(match_id)

    async def ready(self) -> bool:
        """Ask whether the store answers."""
        return await self._access.answers()

    async def _settle(self, keys: Keys, field: str, record: bytes) -> None:
        """Where answers must stand, let replicas have what a request did before it is told again.

        Raises:
            StorageUnavailable: a failover may still undo it, or has.
        """
        if not self._access.settled:
            return
        try:
            with translated(writes=True):
                there = await self._again.run([keys.requests], [field, record])
        except StorageFull as full:
            raise StorageUnavailable(None, "too full to make sure") from full
        if not there:
            raise StorageUnavailable(None, "it was undone")


def _field(request: RequestKey) -> str:
    return f"{request.actor}:{request.request_id}"


def _countdown(countdown: Countdown | None) -> list[str | int]:
    if countdown is None:
        return ["", "", ""]
    seats = (countdown.charged, countdown.next)
    return [countdown.allowance_ms, *("" if seat is None else seat for seat in seats)]

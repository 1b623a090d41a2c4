"""Counts, times and traces what a store is asked; what it answers passes through unchanged."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache

from dragonhall_service.match import Ending, EntryKind, LoggedEntry, MatchRecord, Phase
from dragonhall_service.metrics import Metrics
from dragonhall_service.ports import (
    Applied,
    Commit,
    Conflict,
    Loaded,
    MatchStore,
    Missed,
    Repeated,
    RequestKey,
    StorageFull,
    StorageUnavailable,
    Window,
)
from dragonhall_service.tracing import UNTRACED, Tracing


class MeasuredMatches:
    """Implements `ports.MatchStore` around another."""

    def __init__(self, store: MatchStore, metrics: Metrics, tracing: Tracing = UNTRACED) -> None:
        self._store = store
        self._metrics = metrics
        self._tracing = tracing
        self._commits = cache(metrics.commits.labels)
        self._seconds = cache(metrics.store_seconds.labels)
        self._failures = cache(metrics.store_failures.labels)

    async def load(self, match_id: str, request: RequestKey | None = None) -> Loaded | None:
        """Read a match."""
        with self._measured("load"):
            loaded = await self._store.load(match_id, request)
        if loaded is not None:
            self._metrics.delivery.heard(loaded.record.as_of_ms)
        return loaded

    async def commit(self, commit: Commit) -> Applied | Repeated | Conflict | Missed:
        """Commit; the time includes the index of public matches."""
        outcome = "unknown"  # also where the caller gives up waiting
        try:
            with self._measured("commit"):
                result = await self._store.commit(commit)
            outcome = type(result).__name__.lower()
        except StorageFull:
            outcome = "full"
            raise
        except StorageUnavailable as failure:
            if failure.applied is False:
                outcome = "unavailable"
            raise
        finally:
            self._commits(outcome).inc()
        if isinstance(result, Applied):
            self._count(commit)
        return result

    def _count(self, commit: Commit) -> None:
        if commit.window is Window.FROM_DUE:
            self._metrics.expiries.labels(_expired(commit)).inc()
        if commit.entries[-1].ending is not None:
            self._metrics.endings.labels(_cause(commit.entries[-1].ending)).inc()

    async def entries(self, match_id: str, first: int, limit: int) -> Sequence[LoggedEntry]:
        """Read the log."""
        with self._measured("entries"):
            return await self._store.entries(match_id, first, limit)

    async def extend(self, match_id: str, version: int, grace_ms: int) -> bool:
        """Move a deadline on."""
        with self._measured("extend"):
            return await self._store.extend(match_id, version, grace_ms)

    async def due(self, limit: int, late_ms: int = 0) -> Sequence[str]:
        """List matches whose deadline has passed."""
        with self._measured("due"):
            return await self._store.due(limit, late_ms)

    async def public_matches(
        self, phase: Phase | None, after: str, limit: int
    ) -> tuple[Sequence[MatchRecord], str]:
        """List public matches; one operation here, one and a load a match for the store."""
        with self._measured("public_matches"):
            return await self._store.public_matches(phase, after, limit)

    @contextmanager
    def _measured(self, operation: str) -> Iterator[None]:
        failures = self._failures(operation)  # told before there is one, so that it is seen
        with self._tracing.step(operation), self._seconds(operation).time():
            try:
                yield
            except StorageUnavailable:
                failures.inc()
                raise


def _cause(ending: Ending) -> str:
    if ending.cause is not None:
        return ending.cause.value
    assert ending.outcome is not None, "an ending has a cause of its own or its outcome's"
    return ending.outcome.cause.value


def _expired(commit: Commit) -> str:
    return "lobby" if commit.entries[0].kind is EntryKind.EXPIRED else "turn"

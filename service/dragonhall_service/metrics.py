"""What an operator can see of a server, for Prometheus. All names are here.

They are counted always and served only where `DRAGONHALL_METRICS_LISTEN` says; nothing in them
tells of one match, player or token.
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    Info,
    PlatformCollector,
    ProcessCollector,
    start_http_server,
)

from dragonhall_engine.core.outcome import Cause
from dragonhall_service.config import BadSetting
from dragonhall_service.delivery import Delivery
from dragonhall_service.match import EndCause, Phase

LOOP_POLL_S = 0.25
_CALL_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)
_STORE_S = (0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1)
_LAG_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)


OUTCOMES = ("applied", "repeated", "conflict", "missed", "full", "unavailable", "unknown")
"""How an attempt at a commit can end; each is told from the start, so that its first is seen."""


UNFINISHED = (Phase.LOBBY, Phase.RUNNING)


class Metrics:
    """The metrics of one server.

    Attributes:
        registry: what is served.
        calls: ended calls by method, such as `dragonhall.v1.MatchService/SubmitMove`, and gRPC
            code, such as OK. A stream counts when it ends.
        call_seconds: how long unary calls took.
        bugs: calls that ended with INTERNAL, and work beside the calls that had to begin anew; the
            log has where, under an error id.
        damaged: calls that met a stored match that cannot be read; the log names it.
        open_calls: calls that run now; those of WatchMatch are the open watches.
        commits: attempts at a commit by outcome: applied, repeated (the request had been applied
            before), conflict (another version came first), missed (the wrong side of a deadline),
            full (the store is out of memory), unavailable (surely not applied), unknown.
        store_seconds: how long operations on the store took, failed ones included.
        store_failures: operations on the store that failed.
        store_ready: 1 while the store answers, which readiness follows.
        expiries: deadlines that this server fired, by what ended: lobby (nobody came) or turn.
        matches: unfinished matches of the whole store, lobby or running; every server counts them,
            each within a minute, so ask for one server's.
        endings: matches that this server's commits ended, by why: an outcome's cause, or
            aborted, expired or server_fault.
        delivery: news of matches, by how long after its commit a watch was sent it. What a new
            watch catches up on does not count.
        loop_lag: by how much the event loop is late.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=self.registry)
        build = Info("dragonhall_build", "The release that runs", registry=self.registry)
        build.info({"version": version("dragonhall")})
        self.calls = self._counter("dragonhall_calls", "Ended calls", "method", "code")
        self.call_seconds = self._histogram(
            "dragonhall_call_seconds", "Duration of unary calls", _CALL_S, "method"
        )
        self.bugs = self._counter("dragonhall_bugs", "Calls and other work that met a bug")
        self.damaged = self._counter("dragonhall_damaged", "Calls that met a damaged match")
        self.open_calls = self._gauge("dragonhall_open_calls", "Calls that run now", "method")
        self.commits = self._counter("dragonhall_commits", "Attempts at a commit", "outcome")
        for outcome in OUTCOMES:
            self.commits.labels(outcome)
        self.store_seconds = self._histogram(
            "dragonhall_store_seconds", "Duration of operations on the store", _STORE_S, "operation"
        )
        self.store_failures = self._counter(
            "dragonhall_store_failures", "Failed operations on the store", "operation"
        )
        self.store_ready = self._gauge("dragonhall_store_ready", "1 while the store answers")
        self.expiries = self._counter("dragonhall_expiries", "Deadlines fired here", "of")
        for of in ("lobby", "turn"):
            self.expiries.labels(of)
        matches = self._gauge("dragonhall_matches", "Unfinished matches of the store", "phase")
        self.matches = {phase.value: matches.labels(phase.value) for phase in UNFINISHED}
        self.endings = self._counter("dragonhall_endings", "Matches that ended", "cause")
        for cause in (*Cause, *EndCause):
            self.endings.labels(cause.value)
        delivery = self._histogram(
            "dragonhall_delivery_seconds", "From a commit to the sending of its news", _LAG_S
        )
        self.delivery = Delivery(delivery.observe)
        self.loop_lag = self._histogram(
            "dragonhall_loop_lag_seconds", "By how much the event loop is late", _LAG_S
        )

    def _counter(self, name: str, help_: str, *labels: str) -> Counter:
        return Counter(name, help_, labels, registry=self.registry)

    def _gauge(self, name: str, help_: str, *labels: str) -> Gauge:
        return Gauge(name, help_, labels, registry=self.registry)

    def _histogram(
        self, name: str, help_: str, buckets: tuple[float, ...], *labels: str
    ) -> Histogram:
        return Histogram(name, help_, labels, registry=self.registry, buckets=buckets)

    async def follow_loop(self) -> None:
        """Measure how late the event loop is, until cancelled."""
        while True:
            due = time.perf_counter() + LOOP_POLL_S
            await asyncio.sleep(LOOP_POLL_S)
            self.loop_lag.observe(max(0.0, time.perf_counter() - due))

    @contextmanager
    def served(self, listen: str) -> Iterator[None]:
        """Serve them on host:port over HTTP while the context lasts; nowhere if it is empty.

        Raises:
            BadSetting: the address cannot be listened on.
        """
        if not listen:
            yield
            return
        host, _, port = listen.rpartition(":")
        try:
            server, thread = start_http_server(int(port), host.strip("[]"), self.registry)
        except OSError as refused:
            told = f"DRAGONHALL_METRICS_LISTEN {listen} cannot be listened on: {refused}"
            raise BadSetting(told) from refused
        try:
            yield
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

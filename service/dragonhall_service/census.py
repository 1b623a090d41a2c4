"""Counts the matches that the store holds, a bucket at a time, so that nobody waits for it."""

import asyncio
from collections import Counter
from contextlib import suppress

from dragonhall_service.metrics import Metrics
from dragonhall_service.ports import StorageUnavailable
from dragonhall_service.store.keys import BUCKETS
from dragonhall_service.store.matches import RedisMatches

ROUND_S = 60.0
"""Every bucket is counted anew so often, by every server."""


async def count_matches(store: RedisMatches, metrics: Metrics) -> None:
    """Keep the gauge of unfinished matches up to date, until cancelled."""
    for gauge in metrics.matches.values():
        gauge.set(0)
    counted: list[Counter[str]] = [Counter() for _ in range(BUCKETS)]
    while True:
        for bucket in range(BUCKETS):
            await asyncio.sleep(ROUND_S / BUCKETS)
            with suppress(StorageUnavailable):
                found = Counter(await store.count(bucket))
                for phase in metrics.matches:
                    metrics.matches[phase].inc(found[phase] - counted[bucket][phase])
                counted[bucket] = found

"""All scenarios by name. A further one is a file of its own and one line here."""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType

from tests.faults import (
    crowd,
    floods,
    repeats,
    replicas,
    rewinds,
    server_deaths,
    slow_readers,
    soak,
    stalls,
    store_deaths,
    talkative,
    torture,
    torture_planted,
    watchers,
)
from tests.faults.verdicts import Finding

Scenario = Callable[[], Awaitable[list[Finding]]]
"""Runs in a world of its own and returns what it measured and did, by promise."""

SCENARIOS: Mapping[str, Scenario] = MappingProxyType(
    {
        "torture": torture.scenario,
        "torture-planted": torture_planted.scenario,
        "repeats": repeats.scenario,
        "kills": server_deaths.kills,
        "hangs": server_deaths.hangs,
        "restarts": server_deaths.restarts,
        "control": server_deaths.control,
        "sentinel": replicas.sentinel,
        "cluster": replicas.clustered,
        "fast": replicas.fast,
        "split-brain": replicas.split_brain,
        "half-moved": replicas.half_moved,
        "store-deaths": store_deaths.scenario,
        "watchers": watchers.scenario,
        "rewinds": rewinds.scenario,
        "rewinds-planted": rewinds.planted,
        "stalls": stalls.scenario,
        "pool": stalls.pool,
        "crowd": crowd.scenario,
        "slow-readers": slow_readers.scenario,
        "soak": soak.scenario,
        "floods": floods.scenario,
        "talkative": talkative.scenario,
        "watchers-planted": watchers.planted,
    }
)

LONG = ("soak", "floods")
"""They say nothing in few cases or on a busy machine: a quick run leaves them out."""

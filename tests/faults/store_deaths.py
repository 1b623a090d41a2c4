"""P3: the store killed, or its power cut, while matches are played; P16: what clients are told."""

import asyncio
import signal
import time
from dataclasses import dataclass, field

from tests.bench.processes import stores
from tests.budget import SWEEP, cases
from tests.faults.advice import advised, repeated
from tests.faults.history import Violation, lost, violations
from tests.faults.players import Players
from tests.faults.power import cut
from tests.faults.stored import stored
from tests.faults.verdicts import Figure, Finding, Work
from tests.faults.world import World, world

PLAYERS = 8
DEATHS = cases(ci=2, sweep=10)
"""Of each kind, in each mode."""
MOVES_BETWEEN = 100
AWAY_S = 1.0
"""How long the store is away at least."""
FSYNC = {"safe": "always", "fast": "everysec"}
STORES = stores() if SWEEP else {"embedded": stores()["embedded"]}


@dataclass
class Deaths:
    """A store that dies again and again.

    Attributes:
        power: whether its power is cut too.
        away: from when to when it was, in seconds.
    """

    running: World
    players: Players
    power: bool
    away: list[tuple[float, float]] = field(default_factory=list)

    async def run(self) -> None:
        """Play through all of them, and on."""
        async with self.players.playing():
            for _ in range(DEATHS):
                await self.players.until(MOVES_BETWEEN)
                await self._die()
            await self.players.until(MOVES_BETWEEN)

    async def _die(self) -> None:
        store, begun = self.running.store, time.monotonic()
        await asyncio.to_thread(store.end, signal.SIGKILL)
        if self.power:
            cut(store.data)
        await asyncio.sleep(AWAY_S)
        await asyncio.to_thread(store.start)
        self.away.append((begun, time.monotonic()))

    def load(self) -> float:
        """Return the attempts a second while it was away, to the calls a second otherwise."""
        away_s = sum(end - begun for begun, end in self.away)
        inside = sum(begun <= at < end for at in self.players.attempts for begun, end in self.away)
        played_s = self.players.calls[-1] - self.players.calls[0] - away_s
        outside = sum(
            not any(begun <= at < end for begun, end in self.away) for at in self.players.calls
        )
        return (inside / away_s) / (outside / played_s)


async def _held(deaths: Deaths) -> tuple[list[Violation], int, float]:
    """Return what is broken, how many acknowledgements are lost, and how old the oldest was."""
    broken, gone, oldest = [], 0, 0.0
    for match_id, attempts in deaths.players.ledger.attempts.items():
        kept = await stored(deaths.running.raw, match_id)
        broken += violations(kept, attempts)
        for attempt in lost(kept, attempts):
            assert attempt.answered is not None
            ages = [begun - attempt.answered for begun, _ in deaths.away]
            gone += 1
            oldest = max(oldest, min(age for age in ages if age >= -0.1))
    return broken, gone, oldest


async def _died(
    binary: str, durability: str, power: bool
) -> tuple[Deaths, list[Violation], int, float]:
    options = {"appendfsync": FSYNC[durability]}
    async with (
        world(binary=binary, store=options, synced=power, DURABILITY=durability) as running,
        running.clients(PLAYERS) as stubs,
    ):
        deaths = Deaths(running, Players(stubs), power)
        await deaths.run()
        return deaths, *await _held(deaths)


async def scenario() -> list[Finding]:
    """Kill the store and cut its power, in the safe mode and in the fast one."""
    findings: list[Finding] = []
    for binary in STORES.values():
        for power in (False, True):
            findings += await _safe(binary, power)
            if power or SWEEP:  # a crash alone loses nothing, and tells little in few cases
                findings += await _fast(binary, power)
    return findings


async def _safe(binary: str, power: bool) -> list[Finding]:
    deaths, broken, gone, _ = await _died(binary, "safe", power)
    for violation in broken[:5]:
        print(f"P3: rule {violation.rule}: {violation.text}")
    players = deaths.players
    return [
        Figure("P3", "acknowledged moves lost, safe", gone, most=0),
        Figure("P3", "violations, safe", len(broken), most=0),
        Figure("P3", "calls given up", len(players.failed), most=0),
        Work("P3", "moves, safe", len(players.moves), DEATHS * MOVES_BETWEEN),
        Work("P3", "power cuts" if power else "crashes", DEATHS, DEATHS),
        Figure(
            "P16", "attempts a second in an outage, to calls before", deaths.load(), "×", most=2
        ),
        repeated(players.calls, players.attempts, outage=True),
        *advised(players.ledger.failures, least=DEATHS),
    ]


async def _fast(binary: str, power: bool) -> list[Finding]:
    deaths, _, gone, oldest = await _died(binary, "fast", power)
    how = "power cuts" if power else "crashes"
    print(f"   fast, {DEATHS} {how}: {gone} acknowledged moves lost, {oldest:.2f} s old at most")
    findings = [
        Figure("P3", f"moves lost, fast, {how}", gone),
        Figure("P3", f"oldest of them, fast, {how}", oldest, "s"),
        *advised(deaths.players.ledger.failures, least=DEATHS),
    ]
    if power:  # a model that never loses anything says nothing about the safe mode
        findings.append(Work("P3", "moves that the control loses", gone, 1))
    return findings

"""P1: one history per match, under conflicting, doubled and abandoned calls on three servers."""

import asyncio
import random
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from tests.budget import cases
from tests.faults.history import Verdict, Violation
from tests.faults.ledger import Ledger
from tests.faults.stored import broken
from tests.faults.tables import fought_for
from tests.faults.verdicts import Figure, Finding, Work
from tests.faults.world import World, world
from tests.service.driver import Table, get, legal, submission, submit

CLIENTS = 24
PER_MATCH = 4
"""Clients that fight for every move of one match."""
APPLIED = CONFLICTS = 1_000
REPEATS = 20
DOUBLED, ABANDONED, REPEATED = 0.1, 0.1, 0.1
"""How often a move is sent twice at once, is given up by its client, is sent again later."""
MOST_PATIENCE_S = 0.02
WITHIN_S = 120
"""A torture that does not get its work done in this time is void."""


@dataclass
class Torture:
    """Clients at the matches of one world.

    Attributes:
        applied: go on until there are so many; so for conflicts and repeats.
    """

    stubs: Sequence[Any]
    applied: int
    conflicts: int
    repeats: int
    ledger: Ledger = field(default_factory=Ledger)
    chance: random.Random = field(default_factory=lambda: random.Random(1))

    @property
    def enough(self) -> bool:
        """Whether the work is done."""
        conflicts = self.ledger.count(Verdict.REFUSED, "VERSION_CONFLICT")
        repeats = self.ledger.count(Verdict.APPLIED, replayed=True)
        applied = self.ledger.count(Verdict.APPLIED)
        return applied >= self.applied and conflicts >= self.conflicts and repeats >= self.repeats

    async def run(self) -> None:
        """Play matches, each by a few clients, until enough is done."""
        groups = [self.stubs[n : n + PER_MATCH] for n in range(0, len(self.stubs), PER_MATCH)]
        async with asyncio.timeout(WITHIN_S), asyncio.TaskGroup() as tasks:
            for group in groups:
                tasks.create_task(self._matches(group))

    async def _matches(self, stubs: Sequence[Any]) -> None:
        while not self.enough:
            table = await fought_for(self.ledger, stubs, self.chance)
            if table is not None:
                await asyncio.gather(*(self._fight(stub, table) for stub in stubs))

    async def _fight(self, stub: Any, table: Table) -> None:
        """Move for whoever is to move, against the others who do so too."""
        while not self.enough:
            match = (await get(stub, table)).match
            if not match.HasField("seat_to_move"):
                return
            listed = await legal(stub, table, match.seat_to_move)
            if listed.moves:
                request = submission(table, listed.version, self.chance.choice(listed.moves))
                await self._send(stub, table, match.seat_to_move, request)

    async def _send(self, stub: Any, table: Table, seat: int, request: Any) -> None:
        how = self.chance.random()
        if how < DOUBLED:
            other = self.chance.choice(self.stubs)
            await asyncio.gather(*(self._try(each, table, seat, request) for each in (stub, other)))
        elif how < DOUBLED + ABANDONED:
            named = table.match_id, table.seats[seat], request.request_id
            patience = self.chance.uniform(0, MOST_PATIENCE_S)
            await self.ledger.abandon(submit(stub, table, seat, request), patience, *named)
        else:
            await self._try(stub, table, seat, request)
        if self.chance.random() < REPEATED:
            await self._try(self.chance.choice(self.stubs), table, seat, request)

    async def _try(self, stub: Any, table: Table, seat: int, request: Any) -> None:
        call = submit(stub, table, seat, request)
        await self.ledger.make(call, table.match_id, table.seats[seat], request.request_id)


async def tortured(
    running: World, applied: int, conflicts: int = 0, repeats: int = 0
) -> tuple[Ledger, list[Violation]]:
    """Torture a world and return what was done and what is broken."""
    async with running.clients(CLIENTS) as stubs:
        torture = Torture(stubs, applied, conflicts, repeats)
        with suppress(TimeoutError):  # the work says what was not done
            await torture.run()
        return torture.ledger, await broken(running.raw, torture.ledger)


async def scenario() -> list[Finding]:
    """Torture the service as it is."""
    applied = cases(ci=APPLIED, sweep=5 * APPLIED)
    async with world() as running:
        ledger, found = await tortured(running, applied, CONFLICTS, REPEATS)
    for violation in found[:10]:
        print(f"P1: rule {violation.rule}: {violation.text}")
    return [
        Figure("P1", "violations", len(found), most=0),
        Work("P1", "applied", ledger.count(Verdict.APPLIED), applied),
        Work("P1", "conflicts", ledger.count(Verdict.REFUSED, "VERSION_CONFLICT"), CONFLICTS),
        Work("P1", "repeats", ledger.count(Verdict.APPLIED, replayed=True), REPEATS),
        Work("P1", "given up", ledger.count(Verdict.UNKNOWN), REPEATS),
    ]

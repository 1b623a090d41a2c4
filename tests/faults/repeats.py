"""P4: a request_id acts once and always answers the same: at once, later, after the end."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dragonhall.v1 import match_service_pb2 as pb
from tests.budget import cases
from tests.faults.history import Verdict
from tests.faults.ledger import Ledger
from tests.faults.stored import broken
from tests.faults.verdicts import Figure, Finding, Work
from tests.faults.world import World, world
from tests.service.driver import (
    Table,
    dealt,
    get,
    legal,
    metadata,
    play_on,
    request_id,
    submission,
)

TIMES = 50
MATCHES = cases(ci=2, sweep=8)
LAST_MOVES = 3
"""Moves of each match that are repeated; then its loser resigns the next match."""


@dataclass
class Repeated:
    """What came of repeating.

    Attributes:
        different: answers to one request that differ from its first.
    """

    stubs: Sequence[Any]
    ledger: Ledger = field(default_factory=Ledger)
    different: int = 0
    requests: int = 0
    _again: list[Any] = field(default_factory=list)

    async def match(self) -> None:
        """Play a match in which some requests are sent 50 times, then again after its end."""
        table = await dealt(self.stubs[0])
        for _ in range(LAST_MOVES):
            seat = (await get(self.stubs[0], table)).match.seat_to_move
            listed = await legal(self.stubs[0], table, seat)
            request = submission(table, listed.version, listed.moves[-1])
            await self._send(table, seat, request)
        await play_on(self.stubs[0], table, moves=10)
        request = pb.ResignMatchRequest(match_id=table.match_id, request_id=request_id())
        await self._send(table, 0, request)
        for asked in self._again:
            await self._times(*asked)
        self._again = []

    async def _send(self, table: Table, seat: int, request: Any) -> None:
        self.requests += 1
        first = await self._times(table, seat, request, None)
        self._again.append((table, seat, request, first))

    async def _times(self, table: Table, seat: int, request: Any, first: bytes | None) -> bytes:
        calls = [_call(self.stubs[n % len(self.stubs)], table, seat, request) for n in range(TIMES)]
        named = table.match_id, table.seats[seat], request.request_id
        made = await asyncio.gather(*(self.ledger.make(call, *named) for call in calls))
        acknowledged = [
            call for call, attempt in zip(calls, made, strict=True)
            if attempt.verdict is Verdict.APPLIED
        ]  # fmt: skip
        answers = [_answer(await call) for call in acknowledged]
        first = first or answers[0]
        self.different += TIMES - answers.count(first)
        return first


def _call(stub: Any, table: Table, seat: int, request: Any) -> Any:
    if isinstance(request, pb.ResignMatchRequest):
        return stub.ResignMatch(request, metadata=metadata(table.seats[seat]))
    return stub.SubmitMove(request, metadata=table.seated(seat))


def _answer(response: Any) -> bytes:
    response.ClearField("replayed")
    return bytes(response.SerializeToString(deterministic=True))


async def _repeated(running: World) -> list[Finding]:
    async with running.clients(TIMES) as stubs:
        repeated = Repeated(stubs)
        for _ in range(MATCHES):
            await repeated.match()
        found = await broken(running.raw, repeated.ledger)
    for violation in found[:10]:
        print(f"P4: rule {violation.rule}: {violation.text}")
    requests = MATCHES * (LAST_MOVES + 1)
    return [
        Figure("P4", "double or phantom", len(found), most=0),
        Figure("P4", "other answers", repeated.different, most=0),
        Work("P4", "repeats", repeated.ledger.count(Verdict.APPLIED, replayed=True), requests * 99),
    ]


async def scenario() -> list[Finding]:
    """Repeat through three servers."""
    async with world() as running:
        return await _repeated(running)

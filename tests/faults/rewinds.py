"""P2: nobody goes back unnoticed, when a match is taken back, becomes another, or is trimmed."""

import asyncio
import random
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import grpc

from dragonhall.sdk.errors import VersionConflict
from dragonhall.sdk.status import error_of
from dragonhall_service.store.keys import Keys, keys_of
from tests.budget import cases
from tests.contract.test_watch_cuts import kept, moves, next_news, put_back, watch
from tests.faults.planted import program
from tests.faults.verdicts import Figure, Finding, Work
from tests.faults.world import World, world
from tests.service.driver import SERVE, Table, dealt, get, legal, submission, submit

KINDS = ("REWOUND", "DIVERGED", "TRIMMED")
TIMES = cases(ci=2, sweep=20)
"""Of each kind."""
WATCHERS = 6
"""Of each match: some watch when it happens, some resume afterwards."""
RESET_S = 3.0
GIVE_UP_S = 6.0


@dataclass
class Rewinds:
    """Matches whose history changes under those who watch and play.

    Attributes:
        silent: readers and players who were told nothing of it.
        delays: of each RESET, in seconds.
    """

    running: World
    stubs: Sequence[Any]
    silent: list[str] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)
    resets: int = 0
    chance: random.Random = field(default_factory=lambda: random.Random(3))

    async def run(self, kind: str) -> None:
        """Change one match so, and see who is told."""
        stub = self.stubs[0]
        table = await dealt(stub)
        keys = keys_of(table.match_id)
        await moves(stub, table, 3)
        before = await kept(self.running.raw, keys)
        await moves(stub, table, 4, which=-1)
        now = await self._second_history(table, keys, before) if kind == "DIVERGED" else before
        seen = (await get(stub, table, table.seats[0])).resume_token
        version = (await get(stub, table)).match.version
        calls = [] if kind == "TRIMMED" else [watch(s, table, seen) for s in self.stubs[:3]]
        for call in calls:
            assert (await call.read()).WhichOneof("body") == "heartbeat"
        if kind == "TRIMMED":
            await moves(stub, table, 4)
            await self.running.raw.xtrim(keys.log, maxlen=2, approximate=False)
        else:
            await put_back(self.running.raw, now)
        changed = time.monotonic()
        calls += [watch(s, table, seen) for s in self.stubs[len(calls) : WATCHERS]]
        await asyncio.gather(*(self._told(kind, call, changed) for call in calls))
        if kind == "REWOUND":
            await asyncio.gather(*(self._refused(s, table, version) for s in self.stubs))

    async def _second_history(
        self, table: Table, keys: Keys, before: dict[str, bytes]
    ) -> dict[str, bytes]:
        """Play on from before in another way; return the first history, which is longer."""
        await moves(self.stubs[0], table, 1, which=-1)
        first = await kept(self.running.raw, keys)
        await put_back(self.running.raw, before)
        await moves(self.stubs[0], table, 3)
        return first

    async def _told(self, kind: str, call: Any, changed: float) -> None:
        told = "nothing"
        with suppress(TimeoutError):
            async with asyncio.timeout(GIVE_UP_S):
                told = (await next_news(call)).WhichOneof("body")
        if told == "reset":
            self.resets += 1
            self.delays.append(time.monotonic() - changed)
        else:
            self.silent.append(f"{kind}: a watcher was told {told}")
        call.cancel()

    async def _refused(self, stub: Any, table: Table, version: int) -> None:
        """A player who has seen more than the store knows must be told so."""
        now = (await get(stub, table)).match
        listed = await legal(stub, table, now.seat_to_move)
        request = submission(table, version, listed.moves[0])
        try:
            await submit(stub, table, now.seat_to_move, request)
            self.silent.append("REWOUND: a move on a version that is gone was applied")
        except grpc.aio.AioRpcError as failed:
            error = error_of(failed)
            if not isinstance(error, VersionConflict) or not error.ahead:
                self.silent.append(f"REWOUND: a player was told {error.reason}")


async def _rewound(serve: str, kinds: Sequence[str]) -> Rewinds:
    async with (
        world(serve=serve, HEARTBEAT_S="0.2") as running,
        running.clients(WATCHERS) as stubs,
    ):
        rewinds = Rewinds(running, stubs)
        for kind in kinds:
            await rewinds.run(kind)
        return rewinds


async def scenario() -> list[Finding]:
    """Take matches back, replace them, trim them."""
    rewinds = await _rewound(SERVE, KINDS * TIMES)
    for silent in rewinds.silent[:5]:
        print(f"P2: {silent}")
    return [
        Figure("P2", "silent", len(rewinds.silent), most=0),
        Figure("P2", "longest until RESET", max(rewinds.delays, default=0.0), "s", RESET_S),
        Work("P2", "resets", rewinds.resets, len(KINDS) * TIMES * WATCHERS),
    ]


async def planted() -> list[Finding]:
    """A server whose resume token has no tag must be seen to go on in silence."""
    rewinds = await _rewound(program("token without tag"), ["DIVERGED"])
    return [Work("P2", "planted faults caught", bool(rewinds.silent), 1)]

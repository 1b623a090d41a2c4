"""Players of real matches over the API, who call as the SDK does and note what it costs them."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import grpc

from dragonhall.sdk.errors import DragonhallError, VersionConflict
from dragonhall.sdk.retry import Retry
from dragonhall.sdk.status import error_of
from dragonhall.v1 import match_pb2
from dragonhall.v1 import match_service_pb2 as pb
from dragonhall_service.api.mapping.games import MAPPINGS
from tests.faults.canaries import CANARIES
from tests.faults.ledger import Ledger
from tests.service.driver import Table, metadata, request_id, submission

SETUPS = (("dragonheart", "standard", 2), ("dragonkeepers", "published", 3))
PAUSE_S = 0.05
"""Before the next match of a player whose call was given up."""


@dataclass
class Players:
    """Players, each at matches of its own, until they are stopped.

    Attributes:
        stubs: one a player.
        retry: how calls are repeated; None: each is made once.
        pause_s: after each move.
        moves: how long each move took, from its first sending to its answer, in seconds.
        calls: when each call was first made; attempts, when each time, in seconds.
        answers: how long each attempt took, in seconds.
        failed: calls that were given up, or refused: each match has one player, who is in nobody's
            way, so that a conflict or a match that is not found is a fault, too, unless the store
            may lose something.
    """

    stubs: Sequence[Any]
    retry: Retry | None = field(default_factory=Retry)
    ledger: Ledger = field(default_factory=Ledger)
    moves: list[float] = field(default_factory=list)
    calls: list[float] = field(default_factory=list)
    attempts: list[float] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)
    failed: list[DragonhallError] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    pause_s: float = 0.0
    stopped: bool = False
    chance: random.Random = field(default_factory=lambda: random.Random(2))

    @asynccontextmanager
    async def playing(self) -> AsyncIterator[None]:
        """Play while the context lasts; what has begun by its end is finished."""
        async with asyncio.TaskGroup() as tasks:
            for stub in self.stubs:
                tasks.create_task(self._play(stub))
            try:
                yield
            finally:
                self.stopped = True

    async def until(self, moves: int) -> None:
        """Wait until so many more moves have been made."""
        wanted = len(self.moves) + moves
        while len(self.moves) < wanted:
            await asyncio.sleep(0.01)

    async def _play(self, stub: Any) -> None:
        while not self.stopped:
            try:
                table = await self._seated(stub)
                self.tables.append(table)
                await self._finish(stub, table)
            except DragonhallError:  # noted in `failed`, or the match is gone
                await asyncio.sleep(PAUSE_S)

    async def _seated(self, stub: Any) -> Table:
        game, edition, seats = self.chance.choice(SETUPS)
        host, tokens = CANARIES.new_token(), tuple(CANARIES.new_token() for _ in range(seats))
        options = match_pb2.MatchOptions(
            setup=MAPPINGS[game].setup_to_proto(edition, seats),
            visibility=match_pb2.VISIBILITY_PUBLIC,
        )
        create = pb.CreateMatchRequest(request_id=request_id(), token=host, options=options)
        match_id = (await self.ask(stub.CreateMatch, create)).match.match_id
        for token in tokens:
            join = pb.JoinMatchRequest(match_id=match_id, request_id=request_id(), token=token)
            await self.ask(stub.JoinMatch, join, token)
        seen = (await self.ask(stub.GetMatch, pb.GetMatchRequest(match_id=match_id))).match
        assert seen.HasField("seat_to_move"), "every seat is taken, and nobody is to move"
        return Table(match_id, host, tokens)

    async def _finish(self, stub: Any, table: Table) -> None:
        while not self.stopped:
            asked = pb.GetMatchRequest(match_id=table.match_id)
            match = (await self.ask(stub.GetMatch, asked)).match
            if not match.HasField("seat_to_move"):
                return
            token = table.seats[match.seat_to_move]
            listing = pb.ListLegalMovesRequest(match_id=table.match_id)
            listed = await self.ask(stub.ListLegalMoves, listing, token)
            if listed.moves:
                request = submission(table, listed.version, self.chance.choice(listed.moves))
                with suppress(VersionConflict):  # history was taken back: look again
                    await self._move(stub, request, token)

    async def _move(self, stub: Any, request: Any, token: str) -> None:
        begun = time.monotonic()
        await self.ask(stub.SubmitMove, request, token)
        self.moves.append(time.monotonic() - begun)
        await asyncio.sleep(self.pause_s)

    async def ask(self, method: Any, request: Any, token: str = "") -> Any:
        """Make a call as `sdk.Client` makes it."""

        async def attempt(deadline_s: float) -> Any:
            begun = time.monotonic()
            self.attempts.append(begun)
            call = method(request, timeout=deadline_s, metadata=metadata(token))
            try:
                return await self._noted(call, request, token)
            finally:
                self.answers.append(time.monotonic() - begun)

        self.calls.append(time.monotonic())
        try:
            return await (self.retry.call(attempt) if self.retry else _once(attempt))
        except DragonhallError as error:
            self.failed.append(error)
            raise

    async def _noted(self, call: Any, request: Any, token: str) -> Any:
        if token and hasattr(request, "request_id"):
            await self.ledger.make(call, request.match_id, token, request.request_id)
            return await call
        try:
            return await call
        except grpc.aio.AioRpcError as failure:
            self.ledger.note(failure)
            raise


async def _once(attempt: Callable[[float], Awaitable[Any]]) -> Any:
    try:
        return await attempt(Retry().deadline_s)
    except grpc.aio.AioRpcError as failure:
        raise error_of(failure) from failure

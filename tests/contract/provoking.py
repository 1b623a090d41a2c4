"""A server for one provocation alone, and the list of provocations.

A provocation is given a server and must end with a refused call. `provocations.py` holds those that
callers bring about, `provocations_below.py` those that the store and the server do.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from tempfile import NamedTemporaryFile
from typing import Any

import grpc
import pytest

from dragonhall.v1 import (
    admin_service_pb2_grpc,
    bot_service_pb2,
    bot_service_pb2_grpc,
    game_pb2,
)
from dragonhall.v1 import match_service_pb2 as pb
from dragonhall_service.app import Server, running_server
from dragonhall_service.config import Settings
from dragonhall_service.store.connection import connect
from tests.service.driver import (
    Table,
    legal,
    metadata,
    new_token,
    options,
    request_id,
    stub_of,
    submission,
)

REGISTRATION_KEY = "of this server"


@dataclass
class At:
    """A server in this process, with its store, for one provocation alone.

    Attributes:
        admin: a stub of the operators' listener.
        operator: what shows that an operator calls.
    """

    server: Server
    channel: Any
    raw: Any
    patch: pytest.MonkeyPatch
    admin: Any
    operator: tuple[tuple[str, str], ...]

    @property
    def stub(self) -> Any:
        return stub_of(self.channel)

    async def legal(self, table: Table) -> Any:
        return await legal(self.stub, table, 0)

    async def move(self, table: Table, **changes: Any) -> Any:
        """Submit seat 0's first legal move, or what is changed of it."""
        listed = await self.legal(table)
        request = submission(table, listed.version, listed.moves[0])
        token = changes.pop("token", table.seats[0])
        for name, value in changes.items():
            if isinstance(value, game_pb2.Move):
                request.move.CopyFrom(value)
            else:
                setattr(request, name, value)
        return await self.stub.SubmitMove(request, metadata=metadata(token))

    async def lobby(self) -> Table:
        host = new_token()
        create = pb.CreateMatchRequest(request_id=request_id(), token=host, options=options())
        return Table((await self.stub.CreateMatch(create)).match.match_id, host, ())

    async def join(self, table: Table, token: str, name: str = "", **more: Any) -> Any:
        request = pb.JoinMatchRequest(
            match_id=table.match_id, request_id=name or request_id(), token=token, **more
        )
        return await self.stub.JoinMatch(request)

    async def register(self, name: str, *, key: str = REGISTRATION_KEY, token: str = "") -> Any:
        stub: Any = bot_service_pb2_grpc.BotServiceStub(self.channel)
        request = bot_service_pb2.RegisterBotRequest(
            request_id="a",
            token=token or new_token(),
            name=name,
            games=["dragonheart"],
            registration_key=key,
        )
        return await stub.RegisterBot(request)

    async def resign(self, table: Table) -> Any:
        request = pb.ResignMatchRequest(match_id=table.match_id, request_id=request_id())
        return await self.stub.ResignMatch(request, metadata=table.seated(0))


@asynccontextmanager
async def at(url: str, patch: pytest.MonkeyPatch) -> AsyncIterator[At]:
    token = new_token()
    with NamedTemporaryFile("w") as tokens:
        print(token, file=tokens, flush=True)
        settings = Settings(
            redis_url=url,
            listen="127.0.0.1:0",
            drain_s=0,
            grace_s=0,
            watches_per_token=1,
            registration_key=REGISTRATION_KEY,
            admin_listen="127.0.0.1:0",
            admin_token_file=tokens.name,
        )
        raw = connect(url, retries=0, connections=2)
        async with (
            running_server(settings) as server,
            grpc.aio.insecure_channel(server.target) as channel,
            grpc.aio.insecure_channel(server.admin_target) as private,
        ):
            admin: Any = admin_service_pb2_grpc.AdminServiceStub(private)
            yield At(server, channel, raw, patch, admin, metadata(token))
        await raw.aclose()


Provoke = Callable[[At], Awaitable[Any]]


@dataclass(frozen=True)
class Provocation:
    """One way to a reason.

    Attributes:
        method: the one that is refused.
        metadata: what is told besides, by name; None: anything.
        own_store: it damages the store for whoever else uses it.
    """

    reason: str
    method: str
    provoke: Provoke
    metadata: dict[str, str | None]
    own_store: bool

    def __str__(self) -> str:
        return f"{self.reason}-{self.provoke.__name__}"


PROVOCATIONS: list[Provocation] = []


def provokes(
    reason: str, method: str, *, own_store: bool = False, **metadata: str | None
) -> Callable[[Provoke], Provoke]:
    """Enter a provocation in the list."""

    def enter(provoke: Provoke) -> Provoke:
        PROVOCATIONS.append(Provocation(reason, method, provoke, metadata, own_store))
        return provoke

    return enter

"""Drives the service through the generated stubs, as a stranger's client would."""

import asyncio
import base64
import json
import os
import secrets
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import grpc
from google.rpc import error_details_pb2, status_pb2

from dragonhall.sdk.retry import Retry
from dragonhall.v1 import (
    dragonheart_pb2,
    game_pb2,
    match_pb2,
    match_service_pb2,
    match_service_pb2_grpc,
)
from dragonhall_service.app import running_server
from dragonhall_service.config import Settings

SERVE = "from dragonhall.cli import main; main()"
SKEWED = "import time; right = time.time; time.time = lambda: right() + {skew_s}; "
"""Before SERVE: the process's own clock is wrong."""


def new_token() -> str:
    return base64.urlsafe_b64encode(secrets.token_bytes(32)).decode().rstrip("=")


def request_id() -> str:
    return secrets.token_hex(8)


def options(*, public: bool = True, start_seat: int | None = 0) -> match_pb2.MatchOptions:
    edition = dragonheart_pb2.DRAGONHEART_EDITION_STANDARD
    setup = game_pb2.GameSetup(dragonheart=dragonheart_pb2.DragonheartSetup(edition=edition))
    visibility = match_pb2.VISIBILITY_PUBLIC if public else match_pb2.VISIBILITY_PRIVATE
    return match_pb2.MatchOptions(setup=setup, visibility=visibility, start_seat=start_seat)


def stub_of(channel: grpc.aio.Channel) -> Any:
    return match_service_pb2_grpc.MatchServiceStub(channel)


class Patient:
    """A stub whose calls are repeated as the SDK repeats them: for stores that are on the move."""

    def __init__(self, stub: Any) -> None:
        self._stub = stub

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._stub, name)
        if name == "WatchMatch":
            return method

        async def call(request: Any, metadata: Any = None) -> Any:
            async def attempt(deadline_s: float) -> Any:
                return await method(request, timeout=deadline_s, metadata=metadata)

            return await Retry().call(attempt)

        return call


def metadata(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),) if token else ()


@dataclass
class Table:
    """A dealt match with the tokens of its host and seats."""

    match_id: str
    host: str
    seats: tuple[str, ...]

    def seated(self, seat: int) -> tuple[tuple[str, str], ...]:
        return metadata(self.seats[seat])


async def dealt(
    stub: Any,
    *,
    seed: bytes | None = None,
    public: bool = True,
    clock: match_pb2.Clock | None = None,
) -> Table:
    host, seats = new_token(), (new_token(), new_token())
    chosen = options(public=public)
    if clock is not None:
        chosen.clock.CopyFrom(clock)
    create = match_service_pb2.CreateMatchRequest(
        request_id=request_id(), token=host, options=chosen, seed=seed
    )
    match_id = (await stub.CreateMatch(create)).match.match_id
    for token in seats:
        join = match_service_pb2.JoinMatchRequest(
            match_id=match_id, request_id=request_id(), token=token
        )
        await stub.JoinMatch(join)
    return Table(match_id, host, seats)


async def get(stub: Any, table: Table, token: str = "") -> Any:
    request = match_service_pb2.GetMatchRequest(match_id=table.match_id)
    return await stub.GetMatch(request, metadata=metadata(token))


async def legal(stub: Any, table: Table, seat: int) -> Any:
    request = match_service_pb2.ListLegalMovesRequest(match_id=table.match_id)
    return await stub.ListLegalMoves(request, metadata=table.seated(seat))


def submission(table: Table, version: int, move: Any, name: str = "") -> Any:
    return match_service_pb2.SubmitMoveRequest(
        match_id=table.match_id,
        request_id=name or request_id(),
        expected_version=version,
        move=move,
    )


async def submit(stub: Any, table: Table, seat: int, request: Any) -> Any:
    return await stub.SubmitMove(request, metadata=table.seated(seat))


async def play_on(stub: Any, table: Table, moves: int = 10_000) -> int:
    """Play first legal moves; return the version reached when the match ends or moves run out."""
    for _ in range(moves):
        match = (await get(stub, table)).match
        if not match.HasField("seat_to_move"):
            break
        seat = match.seat_to_move
        listed = await legal(stub, table, seat)
        await submit(stub, table, seat, submission(table, listed.version, listed.moves[0]))
    return int((await get(stub, table)).match.version)


def reason_of(error: grpc.aio.AioRpcError) -> str:
    return str(info_of(error).reason)


def info_of(error: grpc.aio.AioRpcError) -> error_details_pb2.ErrorInfo:
    info = error_details_pb2.ErrorInfo()
    trailers = dict(error.trailing_metadata() or ())
    status = status_pb2.Status.FromString(trailers["grpc-status-details-bin"])
    for detail in status.details:
        if detail.Unpack(info):
            return info
    raise AssertionError("no ErrorInfo")


@dataclass
class ServerProcess:
    """A `dragonhall serve` of its own; `log` is what it wrote, known once it has ended."""

    target: str
    pid: int
    log: str = ""


@asynccontextmanager
async def server_process(
    store_url: str, *, skew_s: float = 0.0, **settings: str
) -> AsyncIterator[str]:
    """Run `dragonhall serve` as a process of its own and yield its target."""
    serve = SKEWED.format(skew_s=skew_s) + SERVE
    async with running_process(store_url, serve=serve, **settings) as server:
        yield server.target


@asynccontextmanager
async def running_process(
    store_url: str, *, serve: str = SERVE, **settings: str
) -> AsyncIterator[ServerProcess]:
    """Run `dragonhall serve`, or a program around it, and yield what is known of its process."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DRAGONHALL_")}
    environment |= {f"DRAGONHALL_{name}": value for name, value in settings.items()}
    environment["DRAGONHALL_LOG_FORMAT"] = "json"
    environment["DRAGONHALL_DRAIN_S"] = "0"
    arguments = ["serve", "--listen", "127.0.0.1:0", "--redis", store_url]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", serve, *arguments,
        env=environment, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stderr is not None
    line = await process.stderr.readline()
    assert b'"serving"' in line, line + await process.stderr.read()
    drain = asyncio.create_task(process.stderr.read())
    server = ServerProcess(json.loads(line)["listen"], process.pid)
    try:
        yield server
    finally:
        process.terminate()
        code = await process.wait()
        server.log = (await drain).decode()
        assert code == 0, f"the server ended with {code}"


@asynccontextmanager
async def served(url: str, **settings: Any) -> AsyncIterator[Any]:
    """Serve in this process and yield a stub."""
    chosen = Settings(redis_url=url, listen="127.0.0.1:0", drain_s=0, grace_s=1, **settings)
    async with (
        running_server(chosen) as server,
        grpc.aio.insecure_channel(server.target) as channel,
    ):
        yield stub_of(channel)

"""Connections of the commands to servers that others run."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar

import grpc

from dragonhall.cli.mistakes import Mistake, Unreachable
from dragonhall.sdk import Client, DragonhallError, Retry, Tls
from dragonhall_service.app import embedded_server

_HASTE = Retry(deadline_s=2.0, budget_s=2.0)
"""A person waits for the first answer; afterwards a server may be replaced, as for any client."""

TLS: ContextVar[Tls | None] = ContextVar("tls", default=None)
"""How a command reaches a server that it does not run itself; None: without TLS."""

_SILENT = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)


@asynccontextmanager
async def connected(server: str, retry: Retry | None = None) -> AsyncIterator[Client]:
    """Yield a client of a server that answers now; `retry` is its policy afterwards.

    Raises:
        Mistake: `server` is no address.
        Unreachable: nobody answers there.
    """
    require_address(server)
    async with Client(server, _HASTE, TLS.get()) as hasty:
        try:
            await hasty.get_server_info()
        except DragonhallError as failed:
            raise (Unreachable(server) if failed.code in _SILENT else failed) from None
    async with Client(server, retry, TLS.get()) as client:
        yield client


def require_address(server: str) -> None:
    """Refuse what is no host:port."""
    if not re.fullmatch(r"\S+:\d{1,5}", server):
        raise Mistake(f"--server is host:port, not {server!r}")


@asynccontextmanager
async def connected_or_own(server: str) -> AsyncIterator[tuple[str, Client]]:
    """Yield the address and a client of a server, of one of its own if none is named.

    Raises:
        Mistake, Unreachable: as `connected`.
    """
    if server:
        async with connected(server) as client:
            yield server, client
    else:
        async with embedded_server() as target, Client(target) as client:
            yield target, client


def require_token(token: str) -> None:
    """Refuse what cannot be sent as a token; an empty one is a spectator's."""
    if not re.fullmatch(r"[A-Za-z0-9_-]*", token):
        raise Mistake("--token is base64url: letters A-Z a-z, digits, - and _")

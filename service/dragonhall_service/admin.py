"""The operators' listener: AdminService behind its gate, and nothing else."""

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import grpc
import structlog
from grpc_reflection.v1alpha import reflection

from dragonhall.v1 import admin_service_pb2, admin_service_pb2_grpc
from dragonhall_service.api.admin import AdminService
from dragonhall_service.api.boundary import Boundary
from dragonhall_service.api.gate import Gate
from dragonhall_service.config import BadSetting, Settings
from dragonhall_service.credentials import MalformedToken, caller_of
from dragonhall_service.listening import bind_admin, options

_SERVICE = admin_service_pb2.DESCRIPTOR.services_by_name["AdminService"].full_name


class OperatorTokens:
    """The tokens of a file, one a line; it is read anew for each call, so that they can change."""

    def __init__(self, path: Path) -> None:
        """Read them once.

        Raises:
            BadSetting: there are none.
        """
        self._path = path
        try:
            known = self._read()
        except (OSError, UnicodeDecodeError, MalformedToken) as wrong:
            raise BadSetting(f"DRAGONHALL_ADMIN_TOKEN_FILE {path}: {wrong}") from wrong
        if not known:
            raise BadSetting(f"DRAGONHALL_ADMIN_TOKEN_FILE {path} holds no token")

    def hashes(self) -> Collection[bytes]:
        """Return their SHA-256; none while the file cannot be read."""
        try:
            return self._read()
        except (OSError, UnicodeDecodeError, MalformedToken) as wrong:
            structlog.get_logger("dragonhall.admin").error("no tokens", why=type(wrong).__name__)
            return ()

    def _read(self) -> list[bytes]:
        callers = [caller_of(token) for token in self._path.read_text().split()]
        return [caller.token_hash for caller in callers if caller.token_hash is not None]


@asynccontextmanager
async def serving_operators(
    service: AdminService, boundary: Boundary, settings: Settings
) -> AsyncIterator[str]:
    """Serve operators while the context lasts, where a file of their tokens is named.

    Yields:
        host:port; "" where nobody is served.

    Raises:
        BadSetting: there are no tokens, or the address cannot be listened on.
    """
    if not settings.admin_token_file:
        yield ""
        return
    gate = Gate(OperatorTokens(Path(settings.admin_token_file)).hashes)
    alone = options(replace(settings, workers=1))  # each worker has a port of its own here
    server = grpc.aio.server(interceptors=[boundary, gate], options=alone)
    admin_service_pb2_grpc.add_AdminServiceServicer_to_server(service, server)
    reflection.enable_server_reflection((_SERVICE, reflection.SERVICE_NAME), server)
    host, port = settings.admin_listen.rpartition(":")[0], bind_admin(server, settings)
    await server.start()
    try:
        yield f"{host}:{port}"
    finally:
        await server.stop(settings.grace_s)
        await boundary.finish(settings.grace_s)

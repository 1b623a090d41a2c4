"""Where a server listens, in plaintext or by TLS, with certificates that may be replaced."""

import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import structlog
from grpc_health.v1 import health_pb2_grpc

from dragonhall_service.api.limits import SERVER_OPTIONS
from dragonhall_service.config import BadSetting, Settings, stays_here


def options(settings: Settings) -> list[tuple[str, int]]:
    """Return how gRPC is to serve; a port is shared by workers only, who have reserved it."""
    return [*SERVER_OPTIONS, ("grpc.so_reuseport", int(settings.workers > 1))]


def bind(server: Any, settings: Settings) -> int:
    """Make a gRPC server listen where the settings say, and return the port.

    Raises:
        BadSetting: the address cannot be listened on, or there are no such certificates.
    """
    return _bind(server, settings, "LISTEN", settings.listen, tls=bool(settings.tls_cert))


def bind_admin(server: Any, settings: Settings) -> int:
    """Make the operators' gRPC server listen where the settings say, and return the port.

    On this machine it needs no TLS, and who calls no certificate.

    Raises:
        BadSetting: the address cannot be listened on, or there are no such certificates.
    """
    address = settings.admin_listen
    return _bind(server, settings, "ADMIN_LISTEN", address, tls=not stays_here(address))


def _bind(server: Any, settings: Settings, name: str, address: str, *, tls: bool) -> int:
    if not tls:
        return _bound(lambda: server.add_insecure_port(address), name, address)
    certificates = Certificates(settings.tls_cert, settings.tls_key, settings.tls_client_ca)
    credentials = certificates.credentials()
    return _bound(lambda: server.add_secure_port(address, credentials), name, address)


def _bound(add: Callable[[], int], name: str, address: str) -> int:
    try:
        return int(add())
    except RuntimeError as refused:
        raise BadSetting(
            f"DRAGONHALL_{name} {address} cannot be listened on: is the port in use, the host not "
            "of this machine, or the port reserved?"
        ) from refused


@asynccontextmanager
async def answering_probes(health: Any, settings: Settings) -> AsyncIterator[None]:
    """Answer health checks without TLS on a port of their own, where the settings name one.

    Kubernetes' own probes and a container's health check know no certificates.

    Raises:
        BadSetting: the address cannot be listened on.
    """
    address = settings.probe_listen
    if not address:
        yield
        return
    server = grpc.aio.server(options=options(settings))
    health_pb2_grpc.add_HealthServicer_to_server(health, server)
    _bound(lambda: server.add_insecure_port(address), "PROBE_LISTEN", address)
    await server.start()
    try:
        yield
    finally:
        await server.stop(0)


class Certificates:
    """A server's certificate chain, its key, and the CAs of its clients, as PEM files.

    They are looked at whenever somebody connects, so replaced ones are served at once; while they
    do not fit together, as between the writing of two, the earlier ones are.
    """

    def __init__(self, cert: str, key: str, client_ca: str) -> None:
        """Read them; without `client_ca` nobody is asked for a certificate.

        Raises:
            BadSetting: they cannot be read, or do not fit together.
        """
        self._cert, self._key, self._client_ca = cert, key, client_ca
        try:
            self._served = self._read()
        except (OSError, ssl.SSLError) as wrong:
            files = f"{cert}, {key}" + (f", {client_ca}" if client_ca else "")
            raise BadSetting(f"these are no certificate, key and CA: {files}: {wrong}") from wrong

    def credentials(self) -> grpc.ServerCredentials:
        """Return what gRPC serves with."""
        first = grpc.ssl_server_certificate_configuration(*self._served)
        demand = bool(self._client_ca)
        return grpc.dynamic_ssl_server_credentials(first, self._newer, demand)

    def _newer(self) -> Any:
        """Return what has been replaced since, or None; gRPC asks on threads of its own."""
        log = structlog.get_logger("dragonhall.tls")
        try:
            found = self._read()
        except (OSError, ssl.SSLError) as wrong:
            log.warning("certificates not reloaded", why=str(wrong))
            return None
        if found == self._served:
            return None
        self._served = found
        log.info("certificates reloaded")
        return grpc.ssl_server_certificate_configuration(*found)

    def _read(self) -> tuple[list[tuple[bytes, bytes]], bytes | None]:
        fit = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        fit.load_cert_chain(self._cert, self._key)
        if self._client_ca:
            fit.load_verify_locations(self._client_ca)
        pair = (Path(self._key).read_bytes(), Path(self._cert).read_bytes())
        return [pair], Path(self._client_ca).read_bytes() if self._client_ca else None

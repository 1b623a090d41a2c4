"""Connections to the store, and what its failures mean for a commit.

redis-py repeats a failed command up to ten times by default, which can execute a write twice:
commits get no retry at all, reads one.
"""

import asyncio
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from redis import exceptions as failures
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.cluster import ClusterNode, RedisCluster
from redis.asyncio.connection import Connection, SSLConnection, UnixDomainSocketConnection
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import MasterNotFoundError, Sentinel
from redis.backoff import ConstantBackoff, NoBackoff

from dragonhall_service.ports import StorageFull, StorageUnavailable
from dragonhall_service.store.address import Address, Topology, parse_address

SOCKET_TIMEOUT_S = 0.8
POOL_WAIT_S = 0.5
_SENTINEL_TIMEOUT_S = 0.35
"""Two that say nothing must leave time to ask the third."""

FAILURES = (failures.RedisError, failures.RedisClusterException, OSError, TimeoutError)
"""What the client library raises; the second is no kind of the first."""
_NOT_APPLIED = (
    failures.BusyLoadingError,
    failures.ReadOnlyError,
    failures.MaxConnectionsError,
    failures.AuthenticationError,
    failures.NoPermissionError,
    failures.ClusterDownError,
    failures.MasterDownError,
    failures.TryAgainError,
    failures.AskError,
    failures.RedisClusterException,
)
"""Refusals by the store itself, or failures before anything was sent."""
_REFUSED_CODES = ("NOREPLICAS", "MISCONF", "READONLY", "LOADING", "MASTERDOWN", "CLUSTERDOWN")


def connect(url: str, *, retries: int, connections: int) -> "Redis":
    """Make a client of what `connect_primary` takes, without files for TLS."""
    return connect_primary(parse_address(url), retries=retries, connections=connections)


def connect_primary(address: Address, *, retries: int, connections: int) -> "Redis":
    """Make a client of one server, or of the primary that Sentinels name.

    Nothing is sent before its first command.

    Args:
        retries: how often a failed command is sent again; 0 wherever it writes.
        connections: at most so many at once; a caller waits `POOL_WAIT_S` for one.
    """
    options = {**address.options, **_patient(retries, connections)}
    kind: type[Any] = _ReadingAnew if address.secure else Connection
    if address.topology is Topology.SENTINEL:
        kind = _SecurelyToPrimary if address.secure else _ToPrimary
        options |= {"sentinel": sentinel_of(address), "service": address.service}
    elif "path" in options:
        kind = UnixDomainSocketConnection
    return Redis(connection_pool=BlockingConnectionPool(connection_class=kind, **options))


def connect_node(address: Address, host: str, port: int, *, retries: int) -> "Redis":
    """Make a client of one server of several; nothing is sent before its first command."""
    kind = _ReadingAnew if address.secure else Connection
    options = {**address.options, "host": host, "port": port, **_patient(retries, 8)}
    return Redis(connection_pool=BlockingConnectionPool(connection_class=kind, **options))


def connect_cluster(address: Address, *, retries: int, connections: int) -> "RedisCluster":
    """Make a client of a cluster; nothing is sent before its first command.

    It goes by the nodes of the address whenever it must find the others: their names stay.
    """
    options = _patient(retries, connections)
    del options["timeout"]
    nodes = [ClusterNode(host, port) for host, port in address.hosts]
    cluster = _Bounded(
        startup_nodes=nodes, dynamic_startup_nodes=False, require_full_coverage=False,
        ssl=address.secure, **options, **address.options,
    )  # fmt: skip
    if address.secure:
        cluster.connection_kwargs["connection_class"] = _ReadingAnew
        for node in cluster.startup_nodes:
            node.connection_class = _ReadingAnew
    return cluster


def sentinel_of(address: Address) -> Sentinel:
    """Make what asks the Sentinels of an address; nothing is sent before it is asked."""
    options = {**address.options, "ssl": address.secure}
    if address.open_sentinels:
        options |= {"username": None, "password": None}
    patience = {
        "socket_timeout": _SENTINEL_TIMEOUT_S,
        "socket_connect_timeout": _SENTINEL_TIMEOUT_S,
    }
    never = {"retry": Retry(NoBackoff(), 0), "driver_info": None}
    settings = options | patience | never
    sentinel = Sentinel(address.hosts, sentinel_kwargs=settings)  # type: ignore[no-untyped-call]
    if address.secure:
        for each in sentinel.sentinels:
            each.connection_pool.connection_class = _ReadingAnew
    return sentinel


def _patient(retries: int, connections: int) -> dict[str, Any]:
    return {
        "max_connections": connections,
        "timeout": POOL_WAIT_S,
        "socket_timeout": SOCKET_TIMEOUT_S,
        "socket_connect_timeout": SOCKET_TIMEOUT_S,
        "retry": Retry(ConstantBackoff(0.05) if retries else NoBackoff(), retries),
        "driver_info": None,  # CLIENT SETINFO would need a permission that Redis 7.0 cannot grant
    }


class _ReadingAnew(SSLConnection):
    """Goes by the files as they are when it connects; redis-py keeps to those of its first time.

    Where a file names authorities the system's do not count; redis-py would trust both.
    """

    def _connection_arguments(self) -> Any:
        given = self.ssl_context
        files = (given.ca_certs, given.certfile, given.keyfile)
        context = _context(*map(_stamped, files), given.ca_path, given.ca_data)
        context.check_hostname, context.verify_mode = given.check_hostname, given.cert_reqs
        given.context = context
        return super()._connection_arguments()


_Stamped = tuple[str, int, int]
"""A file with the time of its last change and its length."""


def _stamped(path: str | None) -> _Stamped | None:
    if path is None:
        return None
    found = Path(path).stat()
    return path, found.st_mtime_ns, found.st_size


@lru_cache(maxsize=8)
def _context(
    ca: _Stamped | None,
    cert: _Stamped | None,
    key: _Stamped | None,
    ca_folder: str | None,
    ca_data: str | None,
) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=ca and ca[0], capath=ca_folder, cadata=ca_data)
    if cert:
        context.load_cert_chain(cert[0], key and key[0])
    return context


class _ToPrimary(Connection):
    """Asks Sentinels for the primary each time that it connects."""

    def __init__(self, sentinel: Sentinel, service: str, **options: Any) -> None:
        super().__init__(**options)
        self._sentinel = sentinel
        self._service = service

    async def _connect(self) -> None:
        try:
            self.host, self.port = await self._sentinel.discover_master(self._service)
        except MasterNotFoundError as nobody:
            text = "no primary was named when connecting to the store"
            raise failures.ConnectionError(text) from nobody
        await super()._connect()  # type: ignore[no-untyped-call]

    async def read_response(self, *args: Any, **options: Any) -> Any:
        try:
            return await super().read_response(*args, **options)
        except failures.ReadOnlyError:
            self.mark_for_reconnect()  # type: ignore[no-untyped-call]
            raise


class _SecurelyToPrimary(_ToPrimary, _ReadingAnew):
    """The same with TLS."""


class _Bounded(RedisCluster):
    """Lets callers wait for a connection, as a blocking pool does, and never opens another."""

    def __init__(self, *, max_connections: int, **options: Any) -> None:
        super().__init__(max_connections=2 * max_connections, **options)  # pipelines do not wait
        self._turns = asyncio.Semaphore(max_connections)

    async def initialize(self, *args: Any, **options: Any) -> "RedisCluster":
        with formed():
            return await super().initialize(*args, **options)

    async def execute_command(self, *args: Any, **options: Any) -> Any:
        try:
            async with asyncio.timeout(POOL_WAIT_S):
                await self._turns.acquire()
        except TimeoutError:
            raise failures.MaxConnectionsError("No connection available") from None
        try:
            return await super().execute_command(*args, **options)
        finally:
            self._turns.release()


@contextmanager
def formed() -> Iterator[None]:
    """Say of a cluster whose nodes hold no slots yet what it is; redis-py stumbles over it.

    Raises:
        RedisClusterException: it is one.
    """
    try:
        yield
    except IndexError as unformed:
        raise failures.RedisClusterException("no node has a slot yet") from unformed


@contextmanager
def translated(*, writes: bool) -> Iterator[None]:
    """Turn the client library's failures into the port's.

    Raises:
        StorageFull: the store is out of memory; nothing was written.
        StorageUnavailable: anything else; whether it was applied is unknown only for a write
            that was sent and not answered.
    """
    try:
        yield
    except failures.OutOfMemoryError as full:
        raise StorageFull from full
    except FAILURES as failure:
        if "OOM " in str(failure):
            raise StorageFull from failure
        applied = None if writes and not _surely_not_applied(failure) else False
        raise StorageUnavailable(applied, type(failure).__name__) from failure


def _surely_not_applied(failure: BaseException) -> bool:
    refused = isinstance(failure, failures.ResponseError | failures.ConnectionError) and any(
        code in str(failure) for code in _REFUSED_CODES
    )
    never_sent = isinstance(failure, failures.ConnectionError) and (
        "connecting to" in str(failure) or "No connection available" in str(failure)
    )
    redirected = type(failure) is failures.ClusterError  # again and again, and executed nowhere
    return refused or never_sent or redirected or isinstance(failure, _NOT_APPLIED)

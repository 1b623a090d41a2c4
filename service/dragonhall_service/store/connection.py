"""Connections to the store, and what its failures mean for a commit.

redis-py repeats a failed command up to ten times by default, which can execute a write twice:
commits get no retry at all, reads one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from redis import exceptions as failures
from redis.asyncio import BlockingConnectionPool, ConnectionPool, Redis, SSLConnection
from redis.asyncio.retry import Retry
from redis.backoff import ConstantBackoff, NoBackoff

from dragonhall_service.ports import StorageFull, StorageUnavailable

SOCKET_TIMEOUT_S = 0.8
POOL_WAIT_S = 0.5

_NOT_APPLIED = (
    failures.BusyLoadingError,
    failures.ReadOnlyError,
    failures.MaxConnectionsError,
    failures.AuthenticationError,
    failures.NoPermissionError,
    failures.ClusterDownError,
    failures.MasterDownError,
    failures.TryAgainError,
)
"""Refusals by the store itself, or failures before anything was sent."""
_REFUSED_CODES = ("NOREPLICAS", "MISCONF", "READONLY", "LOADING", "MASTERDOWN", "CLUSTERDOWN")


@dataclass(frozen=True, slots=True)
class StoreTls:
    """PEM files for a rediss:// store; each may be replaced at any time.

    Attributes:
        ca: of those who vouch for the store; "": whom the system trusts.
        cert: of the certificate that is shown to it; "": none.
        key: of that certificate's key.
    """

    ca: str = ""
    cert: str = ""
    key: str = ""


NO_TLS = StoreTls()


class _ReadingAnew(SSLConnection):
    """Reads the files at each connection, so that replaced ones count."""

    def _connection_arguments(self) -> Any:
        self.ssl_context.context = None
        return super()._connection_arguments()


def _pool(kind: type[ConnectionPool], url: str, tls: StoreTls, **options: Any) -> ConnectionPool:
    if not url.startswith("rediss://"):
        return kind.from_url(url, **options)
    files = {"ssl_ca_certs": tls.ca, "ssl_certfile": tls.cert, "ssl_keyfile": tls.key}
    pool = kind.from_url(url, **{name: file for name, file in files.items() if file}, **options)
    pool.connection_class = _ReadingAnew
    return pool


def connect(url: str, *, retries: int, connections: int, tls: StoreTls = NO_TLS) -> "Redis":
    """Make a client; nothing is sent before its first command.

    Args:
        url: redis://, rediss:// or unix://.
        retries: how often a failed command is sent again; 0 wherever it writes.
        connections: at most so many at once; a caller waits `POOL_WAIT_S` for one.
    """
    pool = _pool(
        BlockingConnectionPool,
        url,
        tls,
        max_connections=connections,
        timeout=POOL_WAIT_S,
        socket_timeout=SOCKET_TIMEOUT_S,
        socket_connect_timeout=SOCKET_TIMEOUT_S,
        retry=Retry(ConstantBackoff(0.05) if retries else NoBackoff(), retries),
        driver_info=None,  # CLIENT SETINFO would need a permission that Redis 7.0 cannot grant
    )
    return Redis(connection_pool=pool)


def connect_listener(url: str, tls: StoreTls = NO_TLS) -> "Redis":
    """Make the client whose reads block until there is something to read."""
    pool = _pool(
        ConnectionPool,
        url,
        tls,
        socket_timeout=None,
        socket_connect_timeout=SOCKET_TIMEOUT_S,
        driver_info=None,
    )
    return Redis(connection_pool=pool)


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
        raise StorageFull("the store is out of memory") from full
    except (failures.RedisError, OSError, TimeoutError) as failure:
        if "OOM " in str(failure):
            raise StorageFull("the store is out of memory") from failure
        applied = None if writes and not _surely_not_applied(failure) else False
        raise StorageUnavailable(applied, type(failure).__name__) from failure


def _surely_not_applied(failure: BaseException) -> bool:
    refused = isinstance(failure, failures.ResponseError | failures.ConnectionError) and any(
        code in str(failure) for code in _REFUSED_CODES
    )
    never_sent = isinstance(failure, failures.ConnectionError) and (
        "connecting to" in str(failure) or "No connection available" in str(failure)
    )
    return refused or never_sent or isinstance(failure, _NOT_APPLIED)

"""Connections to the store, and what its failures mean for a commit.

redis-py repeats a failed command up to ten times by default, which can execute a write twice:
commits get no retry at all, reads one.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from redis import exceptions as failures
from redis.asyncio import BlockingConnectionPool, Redis
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


def connect(url: str, *, retries: int, connections: int) -> "Redis":
    """Make a client; nothing is sent before its first command.

    Args:
        url: redis://, rediss:// or unix://.
        retries: how often a failed command is sent again; 0 wherever it writes.
        connections: at most so many at once; a caller waits `POOL_WAIT_S` for one.
    """
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=connections,
        timeout=POOL_WAIT_S,
        socket_timeout=SOCKET_TIMEOUT_S,
        socket_connect_timeout=SOCKET_TIMEOUT_S,
        retry=Retry(ConstantBackoff(0.05) if retries else NoBackoff(), retries),
        driver_info=None,  # CLIENT SETINFO would need a permission that Redis 7.0 cannot grant
    )
    return Redis(connection_pool=pool)


def connect_listener(url: str) -> "Redis":
    """Make the client whose reads block until there is something to read."""
    return Redis.from_url(
        url, socket_timeout=None, socket_connect_timeout=SOCKET_TIMEOUT_S, driver_info=None
    )


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

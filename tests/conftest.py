"""The stores that tests run against: whatever is real on this machine, never a fake."""

import contextlib
import shutil
from collections.abc import Iterator

import pytest
from hypothesis import settings

from dragonhall_service.embedded import embedded_store, server_binary

# How long an example takes depends on what else the machine does; it is no property of ours.
settings.register_profile("dragonhall", deadline=None)
settings.load_profile("dragonhall")


def _docker_answers() -> bool:
    with contextlib.suppress(Exception):
        import docker  # type: ignore[import-untyped]

        return bool(docker.from_env(timeout=2).ping())
    return False


def _stores() -> list[str]:
    found = ["embedded"]
    if shutil.which("redis-server") and shutil.which("redis-server") != server_binary():
        found.append("redis-server")
    if _docker_answers():
        found.append("container")
    return found


@contextlib.contextmanager
def _store(kind: str) -> Iterator[str]:
    if kind == "container":
        from testcontainers.community.redis import RedisContainer

        durable = "redis-server --appendonly yes --appendfsync always"
        with RedisContainer("redis:7").with_command(durable) as container:
            host, port = container.get_container_host_ip(), container.get_exposed_port(6379)
            yield f"redis://{host}:{port}"
    else:
        with embedded_store(binary=None if kind == "embedded" else kind) as url:
            yield url


@pytest.fixture(scope="session", params=_stores())
def store_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a real store: each of those that this machine has."""
    with _store(request.param) as url:
        yield url


@pytest.fixture(scope="session")
def one_store_url() -> Iterator[str]:
    """The URL of the embedded store, for tests that do not ask anything of the store itself."""
    with _store("embedded") as url:
        yield url

"""What a caller is told when a node of a cluster is lost, and nobody else can be asked either."""

from typing import Any

import pytest
from redis import exceptions as failures

from dragonhall_service.ports import StorageUnavailable
from dragonhall_service.store.cluster import ClusterLines, ClusterMap
from dragonhall_service.store.connection import formed, translated


class LostMap:
    """A map that nobody answers any more."""

    async def place(self, key: str) -> tuple[str, int]:
        return "127.0.0.1", 1

    def client(self, place: tuple[str, int]) -> None:
        return None

    async def refresh(self) -> None:
        raise failures.RedisClusterException("Redis Cluster cannot be connected")


class UnformedCluster:
    """A client of nodes that hold no slots; redis-py takes the first primary, and there is none."""

    async def initialize(self) -> None:
        with formed():
            raise IndexError("list index out of range")


async def test_a_cluster_that_is_not_formed_yet_does_not_answer() -> None:
    client: Any = UnformedCluster()
    lines = ClusterLines(ClusterMap(client, lambda host, port: client), lambda client: LostLine())
    assert not await lines.answer()
    with pytest.raises(StorageUnavailable) as away, translated(writes=True):
        await lines.execute_command("EVALSHA", "digest", 1, "key")
    assert away.value.applied is False


class LostLine:
    """A line that is cut after a command was sent."""

    async def execute_command(self, *command: Any, asking: bool = False) -> Any:
        raise failures.ConnectionError("Connection lost")

    async def aclose(self) -> None:
        pass


async def test_an_answer_that_is_lost_with_the_whole_cluster_is_unknown() -> None:
    found: Any = LostMap()
    lines = ClusterLines(found, lambda client: LostLine())
    with pytest.raises(StorageUnavailable) as lost, translated(writes=True):
        await lines.execute_command("EVALSHA", "digest", 1, "key")
    assert lost.value.applied is None

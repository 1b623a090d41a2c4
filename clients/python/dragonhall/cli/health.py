"""Asks a server whether it may be sent calls, as a balancer does: for health checks and people."""

from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from dragonhall.cli.connecting import TLS, require_address
from dragonhall.cli.mistakes import Unhealthy, Unreachable
from dragonhall.sdk.tls import open_channel

PATIENCE_S = 2.0
"""A server that takes longer cannot be sent calls either."""


async def check_health(server: str) -> None:
    """Print SERVING, once.

    Raises:
        Unhealthy: the server answers that it is not ready: its store is away, or it is stopping.
        Unreachable: nobody answers there.
    """
    require_address(server)
    async with open_channel(server, TLS.get()) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        try:
            answer = await stub.Check(health_pb2.HealthCheckRequest(), timeout=PATIENCE_S)
        except grpc.aio.AioRpcError as failed:
            raise Unreachable(server) from failed
    status = health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)
    if status != "SERVING":
        raise Unhealthy(server, status)
    print(status)

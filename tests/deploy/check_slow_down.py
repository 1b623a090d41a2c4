"""With `dragonhall.slow_down` Envoy passes on late what one address asks beyond its rate."""

import asyncio
from typing import Any

import pytest

from dragonhall.v1 import match_service_pb2 as pb
from tests.deploy.stack import connected, running_balancer, running_servers, until_all_answer

CALLS, LATE = 100, 40
"""At once, of which some 30 go through at once, and at least how many do not."""
FAST, OTHER = "192.0.2.1", "192.0.2.2"


@pytest.mark.parametrize("slow_down", [True, False])
async def test_an_address_that_calls_too_often_waits_and_nobody_else(
    one_store_url: str, slow_down: bool
) -> None:
    with (
        running_servers(one_store_url) as servers,
        running_balancer(
            "envoy", [server.port for server in servers], slow_down=slow_down
        ) as balancer,
    ):
        await until_all_answer(balancer)
        async with connected(balancer.target) as stub:
            often = [asyncio.create_task(_call(stub, FAST)) for _ in range(CALLS)]
            await asyncio.wait(often, timeout=2)
            await _call(stub, OTHER)
            unanswered = sum(not call.done() for call in often)
            assert (unanswered >= LATE) is slow_down
            await asyncio.gather(*often)  # late, and not refused


async def _call(stub: Any, address: str) -> None:
    await stub.ListMatches(pb.ListMatchesRequest(), metadata=(("x-forwarded-for", address),))

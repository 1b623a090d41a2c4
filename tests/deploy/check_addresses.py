"""Behind the shipped balancers a quota is that of the client, whatever it says to be."""

from collections.abc import Callable, Iterator
from itertools import count

import pytest

from tests.deploy.stack import Balancer, curl, running_balancer, running_servers, wait_for

BALANCER, BEFORE_IT, CLIENT, OTHER, FIRST = (f"127.0.0.{n}" for n in range(1, 6))
TRUSTED = f"{BALANCER}, {BEFORE_IT}"
REFUSED = b"grpc-status: 8"
MOST = 200
GRPC = [
    *("--http2-prior-knowledge", "--data-binary", "@-"),
    *("-H", "content-type: application/grpc", "-H", "te: trailers"),
]


@pytest.fixture(params=["envoy", "haproxy"])
def balancer(request: pytest.FixtureRequest, one_store_url: str) -> Iterator[Balancer]:
    """A balancer before one server that lets an address call ten times, and then once a second."""
    with (
        running_servers(one_store_url, CALLS_PER_ADDRESS="1", TRUSTED_PROXIES=TRUSTED) as servers,
        running_balancer(request.param, [server.port for server in servers]) as running,
    ):
        wait_for("the first answer", lambda: b"grpc-status" in ask(running, FIRST, []))
        yield running


def ask(balancer: Balancer, client: str, said: list[str]) -> bytes:
    """Call from an address of this machine that says on whose behalf; return the answer."""
    url = f"http://{balancer.target}/dragonhall.v1.CatalogService/GetServerInfo"
    headers = [part for line in said for part in ("-H", f"x-forwarded-for: {line}")]
    return curl("--interface", client, *GRPC, *headers, url, data=b"\0" * 5)


def exhaust(balancer: Balancer, client: str, say: Callable[[int], list[str]]) -> None:
    """Call until the quota is used up."""
    for number in count():
        if REFUSED in ask(balancer, client, say(number)):
            return
        assert number < MOST


@pytest.mark.parametrize("lines", [0, 1, 2])
def test_a_client_cannot_say_that_it_is_another_one(balancer: Balancer, lines: int) -> None:
    exhaust(balancer, CLIENT, lambda n: [f"203.0.113.{n}, 198.51.100.{n}"] * lines)
    assert REFUSED not in ask(balancer, OTHER, [CLIENT] * lines)


def test_a_trusted_proxy_before_it_says_for_whom_it_calls(balancer: Balancer) -> None:
    exhaust(balancer, BEFORE_IT, lambda n: [f"198.51.100.{n}, 203.0.113.1"])
    assert REFUSED not in ask(balancer, BEFORE_IT, ["203.0.113.2"])

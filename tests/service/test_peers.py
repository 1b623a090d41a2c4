"""From which address a call comes: what a stranger writes into a header is not believed."""

from ipaddress import ip_network

import pytest

from dragonhall_service.api.peers import Peers

EDGE = "ipv4:10.1.2.3:4567"  # the balancer, trusted
STRANGER = "ipv4:192.0.2.9:4567"
SIX = "ipv6:%5B2001:db8:0:7::1%5D:4567"
TRUSTED = [ip_network(text) for text in ("10.0.0.0/8", "192.168.0.0/16", "fd00::/8")]

TABLE = [
    ("the peer itself", STRANGER, "", "192.0.2.9"),
    ("a stranger who forwards for others", STRANGER, "203.0.113.1", "192.0.2.9"),
    ("a balancer that says nothing", EDGE, "", "10.1.2.3"),
    ("a balancer that says for whom", EDGE, "203.0.113.1", "203.0.113.1"),
    ("what the client wrote before it", EDGE, "203.0.113.66, 203.0.113.1", "203.0.113.1"),
    ("a proxy before the balancer", EDGE, "203.0.113.1,192.168.7.7", "203.0.113.1"),
    ("a lie before two proxies", EDGE, "10.9.9.9,203.0.113.1, 192.168.7.7", "203.0.113.1"),
    ("clients within the trusted networks", EDGE, "192.168.7.7", "192.168.7.7"),
    ("nonsense", EDGE, "unknown", "10.1.2.3"),
    ("nonsense before the balancer", EDGE, "what, 203.0.113.1", "203.0.113.1"),
    ("an empty entry", EDGE, "203.0.113.1,", "10.1.2.3"),
    ("with a port", EDGE, "203.0.113.1:50123", "203.0.113.1"),
    ("IPv6: the network of its holder", SIX, "", "2001:db8:0:7::/64"),
    ("another one of the same holder", EDGE, "2001:db8:0:7:ffff::2", "2001:db8:0:7::/64"),
    ("in brackets", EDGE, "[2001:db8:0:7::2]:443", "2001:db8:0:7::/64"),
    ("IPv4 written as IPv6", EDGE, "::ffff:203.0.113.1", "203.0.113.1"),
    ("a balancer over IPv6", "ipv6:%5Bfd00::1%5D:9", "203.0.113.1", "203.0.113.1"),
    ("a balancer over IPv4 written as IPv6", "ipv6:%5B::ffff:10.0.0.1%5D:9", "1.1.1.1", "1.1.1.1"),
    ("no network at all", "unix:/run/socket", "203.0.113.1", "unix:/run/socket"),
    ("a header without end", EDGE, "10.0.0.1," * 10_000 + "203.0.113.1", "203.0.113.1"),
    ("proxies without end", EDGE, "203.0.113.1," + "10.0.0.1," * 10_000 + "10.0.0.1", "10.0.0.1"),
]


@pytest.mark.parametrize(("what", "peer", "forwarded", "address"), TABLE, ids=[r[0] for r in TABLE])
def test_address(what: str, peer: str, forwarded: str, address: str) -> None:
    assert Peers(TRUSTED).address(peer, forwarded) == address


def test_without_a_trusted_proxy_nothing_is_believed() -> None:
    assert Peers([]).address(EDGE, "203.0.113.1") == "10.1.2.3"
    assert not Peers([]).trusts_any

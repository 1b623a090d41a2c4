"""From which address a call comes: the peer's, or what a trusted proxy says of it.

Each proxy writes the address that it saw at the end of `x-forwarded-for`; whatever stands before
is hearsay. So entries are read from the end for as long as a trusted proxy wrote them.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import unquote

Network = IPv4Network | IPv6Network

_MOST_FORWARDED = 512
"""Characters of the header that are read, from its end: a dozen proxies."""
_KEPT = 4_096
_PORT = re.compile(r"(?:\[(?P<six>[^\]]*)\]|(?P<four>[\d.]+))(?::\d+)?")
_SUBNET = 64
"""An IPv6 network of so many bits is one address: its holder has all of them."""


class Peers:
    """Knows which proxies are trusted."""

    def __init__(self, trusted: Sequence[Network]) -> None:
        self.trusts_any = bool(trusted)
        self._trusted = trusted
        self._known = lru_cache(_KEPT)(self._find)

    def address(self, peer: str, forwarded: str) -> str:
        """Return the address of a call.

        Args:
            peer: as gRPC tells it, such as `ipv4:127.0.0.1:50051`.
            forwarded: the header `x-forwarded-for`, several joined by commas; "" for none.
        """
        return self._known(peer, forwarded[-_MOST_FORWARDED:])

    def _find(self, peer: str, forwarded: str) -> str:
        hop = _read(unquote(peer.partition(":")[2]))
        if hop is None:
            return peer
        for entry in reversed(forwarded.split(",")):
            before = _read(entry.strip()) if self._trusts(hop) else None
            if before is None:
                break
            hop = before
        return str(hop if isinstance(hop, IPv4Address) else ip_network((hop, _SUBNET), False))

    def _trusts(self, hop: IPv4Address | IPv6Address) -> bool:
        return any(hop in network for network in self._trusted)


def _read(text: str) -> IPv4Address | IPv6Address | None:
    """Read an address, with or without a port; None if it is none."""
    found = _PORT.fullmatch(text)
    try:
        read = ip_address((found["six"] or found["four"]) if found else text)
    except ValueError:
        return None
    return (isinstance(read, IPv6Address) and read.ipv4_mapped) or read

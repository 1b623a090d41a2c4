"""Where a store is: what the setting of its address says."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, unique
from typing import Any
from urllib.parse import SplitResult, urlsplit

from redis.asyncio.connection import SSLConnection, parse_url

_OPEN = "sentinels=open"
_UNREADABLE = "it cannot be read; it is like redis://user:password@host:6379"


@unique
class Topology(Enum):
    """How many servers make a store, and who replaces a primary that fails."""

    SINGLE = ""
    SENTINEL = "sentinel"
    CLUSTER = "cluster"


@dataclass(frozen=True, slots=True)
class StoreTls:
    """PEM files for a store with TLS; each may be replaced at any time.

    Attributes:
        ca: of those who vouch for the store; "": whom the system trusts.
        cert: of the certificate that is shown to it; "": none.
        key: of that certificate's key.
    """

    ca: str = ""
    cert: str = ""
    key: str = ""


NO_TLS = StoreTls()


@dataclass(frozen=True, slots=True)
class Address:
    """A store's address, understood.

    Attributes:
        options: of redis-py's connections: user, password, files for TLS; of a single server its
            place, too.
        secure: with TLS.
        hosts: of Sentinels, or of some nodes of a cluster, any of which leads to all others.
        service: the name that Sentinels give the store.
        open_sentinels: they ask for no password, though the store does.
    """

    topology: Topology
    options: Mapping[str, Any] = field(repr=False)
    secure: bool = False
    hosts: tuple[tuple[str, int], ...] = ()
    service: str = ""
    open_sentinels: bool = False


def parse_address(url: str, tls: StoreTls = NO_TLS) -> Address:
    """Read an address.

    Raises:
        ValueError: it cannot be; the text says why, and holds no password.
    """
    protocol, _, kind = url.partition("://")[0].partition("+")
    topology = Topology(kind)
    if protocol != "unix" and "@" in url and "@" not in _split(url).netloc:
        raise ValueError("write / as %2F, ? as %3F and # as %23 in user and password")
    if topology is Topology.SINGLE:
        options, secure = _options(url, tls)
        return Address(topology, options, secure)
    parts = _split(url)
    user, at, hosts = parts.netloc.rpartition("@")
    asked = [part for part in parts.query.split("&") if part and part != _OPEN]
    options, secure = _options(f"{protocol}://{user}{at}host?{'&'.join(asked)}", tls)
    del options["host"]
    service = parts.path.strip("/")
    if (topology is Topology.SENTINEL) != bool(service):
        raise ValueError("name the service after the Sentinels, and nothing after cluster nodes")
    places = tuple(map(_place, hosts.split(",")))
    return Address(topology, options, secure, places, service, _OPEN in parts.query)


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:  # its text may hold the password
        raise ValueError(_UNREADABLE) from None


def _options(url: str, tls: StoreTls) -> tuple[dict[str, Any], bool]:
    try:
        options: dict[str, Any] = dict(parse_url(url))
    except ValueError:  # its text may hold the password
        raise ValueError(_UNREADABLE) from None
    secure = options.pop("connection_class", None) is SSLConnection
    if secure:
        files = {"ssl_ca_certs": tls.ca, "ssl_certfile": tls.cert, "ssl_keyfile": tls.key}
        options = {name: file for name, file in files.items() if file} | options
    return options, secure


def _place(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal():
        raise ValueError("each host must be host:port")
    return host.strip("[]"), int(port)

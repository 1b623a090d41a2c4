"""The settings of a server: their names, units, ranges and defaults.

Each is read from an environment variable `DRAGONHALL_<NAME>`; an unknown one, or a value that
is out of range, stops the start with a message.
"""

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from hashlib import sha256
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Any
from urllib.parse import urlsplit

PREFIX = "DRAGONHALL_"
_NOT_OURS = (
    "DRAGONHALL_SWEEP",
    "DRAGONHALL_TOKEN",
    *(f"DRAGONHALL_BOT_{part}" for part in ("SERVER", "NAME", "TOKEN", "GAME", "TLS")),
)
"""Read by tests, commands and the bots of a tournament: they are no mistake of an operator."""

QUIET_S, MOST_QUIET_WAITS = 1.0, 3
"""A server to which no call comes for so long has been left by its balancer; how often to look."""
STORES = (
    "redis", "rediss", "unix",
    "redis+sentinel", "rediss+sentinel", "redis+cluster", "rediss+cluster",
)  # fmt: skip
"""How the address of a store may begin."""


class BadSetting(ValueError):
    """A setting is unknown, missing or out of range; the text says which and what to do."""


def _setting(default: Any, help_: str, low: float | None = None, high: float | None = None) -> Any:
    return field(default=default, metadata={"help": help_, "low": low, "high": high})


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Settings:
    """What an operator may set. Durations are in seconds, sizes in bytes.

    It holds secrets, so it has no repr.
    """

    redis_url: str = _setting("", "address of the store, see below")
    durability: str = _setting("safe", "safe: no acknowledged move is lost; or fast")
    replicas: int = _setting(
        1, "so many must have a move before it is acknowledged: Sentinel or Cluster, safe", 1, 10
    )
    listen: str = _setting("127.0.0.1:50051", "host:port to serve on; port 0 takes a free one")
    workers: int = _setting(1, "processes that share the port; each can use a core", 1, 256)
    tls_cert: str = _setting("", "PEM file of this server's certificate chain: it serves TLS")
    tls_key: str = _setting("", "PEM file of its key")
    tls_client_ca: str = _setting(
        "", "PEM file of CAs; who shows no certificate of theirs is refused"
    )
    redis_ca: str = _setting(
        "", "PEM file of CAs that vouch for a rediss:// store; none: the system's"
    )
    redis_cert: str = _setting("", "PEM file of the certificate that is shown to the store")
    redis_key: str = _setting("", "PEM file of its key")
    plaintext: str = _setting(
        "", "what may pass between machines without TLS: clients, store or both"
    )
    probe_listen: str = _setting("", "host:port for health checks and nothing else, without TLS")
    redis_connections: int = _setting(64, "most connections to the store at once", 2, 10_000)
    finished_ttl_s: int = _setting(604_800, "how long a finished match is kept", 60, 31_536_000)
    lobby_ttl_s: int = _setting(
        3_600, "how long a match waits for its seats to be filled", 1, 31_536_000
    )
    idle_ttl_s: int = _setting(
        604_800, "a silent seat of a match without a clock has then left", 1, 31_536_000
    )
    bot_grace_s: float = _setting(
        5.0, "once a turn, for a bot that was not connected all the time", 0, 600
    )
    registration_key: str = _setting("", "bots must show it to register; none: anybody may")
    heartbeat_s: float = _setting(15.0, "a quiet watch is told so this often", 0.1, 600)
    watches: int = _setting(5_000, "most watches open on this server at once", 1, 1_000_000)
    watches_per_token: int = _setting(100, "most of them by one token", 1, 1_000_000)
    quotas: str = _setting("on", "off: no limit for any token or address, on a server of one's own")
    streams_per_address: int = _setting(
        2_500, "most watches and other streams open at once from one address", 1, 1_000_000
    )
    calls_per_token: int = _setting(
        200, "calls a second by one token; ten times as many at once", 1, 1_000_000
    )
    calls_per_address: int = _setting(
        1_000, "calls a second from one address; ten times as many at once", 1, 1_000_000
    )
    openings_per_token: int = _setting(
        5,
        "matches made or joined, bots registered, a second by one token; 60 times as many at once",
        1,
        1_000_000,
    )
    openings_per_address: int = _setting(
        20, "those from one address; 60 times as many at once", 1, 1_000_000
    )
    organisers: str = _setting(
        "", "SHA-256 of tokens without any such limit, by commas; `dragonhall token`"
    )
    trusted_proxies: str = _setting(
        "", "networks of the proxies whose x-forwarded-for is believed, by commas"
    )
    drain_s: float = _setting(3.0, "wait after NOT_SERVING, for the balancer to notice", 0, 60)
    grace_s: float = _setting(8.0, "how long running calls may take to end at a stop", 0, 60)
    metrics_listen: str = _setting("", "host:port to serve Prometheus on, for no stranger to reach")
    traces: str = _setting("off", "otlp: traces by OpenTelemetry, as OTEL_* variables say; or off")
    admin_listen: str = _setting(
        "127.0.0.1:50053", "host:port for operators, where admin_token_file is set"
    )
    admin_token_file: str = _setting("", "file of the operators' tokens, one a line")
    log_format: str = _setting("auto", "json, text, or auto: text on a terminal")
    log_level: str = _setting("info", "debug, info, warning or error")

    def __post_init__(self) -> None:
        for spec in fields(self):
            self._check_range(spec.name, spec.metadata["low"], spec.metadata["high"])
        _check_choice("quotas", self.quotas, ("on", "off"))
        _check_choice("durability", self.durability, ("safe", "fast"))
        _check_choice("traces", self.traces, ("off", "otlp"))
        _check_choice("log_format", self.log_format, ("auto", "json", "text"))
        _check_choice("log_level", self.log_level, ("debug", "info", "warning", "error"))
        if self.redis_url.partition("://")[0] not in STORES:
            raise BadSetting(
                f"{_name('redis_url')} must be set to an address that begins with "
                f"{', '.join(STORES)} and :// (or start with --embedded, for a store of its own)"
            )
        _check_address("listen", self.listen)
        for name in ("metrics_listen", "probe_listen", "admin_listen"):
            if getattr(self, name):
                _check_address(name, getattr(self, name))
        self._check_tls()
        _ = self.organiser_hashes, self.proxy_networks

    @property
    def organiser_hashes(self) -> frozenset[bytes]:
        """Return `organisers` as bytes."""
        try:
            hashes = frozenset(map(bytes.fromhex, _listed(self.organisers)))
        except ValueError:
            hashes = frozenset({b""})
        if any(len(each) != sha256().digest_size for each in hashes):
            raise BadSetting(
                f"{_name('organisers')} must be SHA-256 in hexadecimal, by commas: "
                "`dragonhall token` prints one"
            )
        return hashes

    @property
    def leaving_s(self) -> float:
        """How long a stop waits, at most, before it ends anybody's stream or call."""
        return self.drain_s + MOST_QUIET_WAITS * QUIET_S if self.drain_s else 0.0

    @property
    def proxy_networks(self) -> tuple[IPv4Network | IPv6Network, ...]:
        """Return `trusted_proxies` as networks."""
        try:
            return tuple(map(ip_network, _listed(self.trusted_proxies)))
        except ValueError as wrong:
            name = _name("trusted_proxies")
            raise BadSetting(
                f"{name} must be networks such as 10.0.0.0/8, by commas: {wrong}"
            ) from None

    def _check_tls(self) -> None:
        for cert, key in (("tls_cert", "tls_key"), ("redis_cert", "redis_key")):
            if bool(getattr(self, cert)) != bool(getattr(self, key)):
                raise BadSetting(f"{_name(cert)} and {_name(key)} are set together or not at all")
        if self.tls_client_ca and not self.tls_cert:
            raise BadSetting(f"{_name('tls_client_ca')} is for TLS: set {_name('tls_cert')} too")
        if (self.redis_ca or self.redis_cert) and not self.redis_url.startswith("rediss"):
            raise BadSetting(f"{_name('redis_ca')} and {_name('redis_cert')} are for rediss://")
        if not (self.tls_cert or stays_here(self.admin_listen)):
            raise BadSetting(
                f"{_name('admin_listen')} {self.admin_listen} is for other machines: set "
                f"{_name('tls_cert')} too"
            )
        _check_choice("plaintext", self.plaintext, ("", "clients", "store", "both"))
        if not (self.tls_cert or self.plaintext in ("clients", "both") or stays_here(self.listen)):
            raise BadSetting(
                f"{_name('listen')} {self.listen} is for other machines: set {_name('tls_cert')} "
                f"and {_name('tls_key')}, or {_name('plaintext')}=clients if nobody can listen in"
            )
        # Not told: the address holds a password.
        plain = self.redis_url.startswith(("redis:", "redis+"))
        try:
            hosts = urlsplit(self.redis_url).netloc.rpartition("@")[2].split(",")
            here = all(map(stays_here, hosts))
        except ValueError:
            raise BadSetting(
                f"{_name('redis_url')} cannot be read: in user and password, write what is no "
                "letter or digit as %2F and the like"
            ) from None
        if plain and self.plaintext not in ("store", "both") and not here:
            raise BadSetting(
                f"{_name('redis_url')} names another machine: use rediss://, or "
                f"{_name('plaintext')}=store if nobody can listen in"
            )

    def _check_range(self, name: str, low: float | None, high: float | None) -> None:
        value = getattr(self, name)
        if low is not None and high is not None and not low <= value <= high:
            raise BadSetting(f"{_name(name)} must be {low:g} to {high:g}, not {value:g}")


def _name(field_name: str) -> str:
    return PREFIX + field_name.upper()


def stays_here(address: str) -> bool:
    """Tell whether host:port is reached from this machine alone."""
    host = urlsplit(f"//{address}").hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _check_address(name: str, value: str) -> None:
    host, _, port = value.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise BadSetting(f"{_name(name)} must be host:port")


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise BadSetting(f"{_name(name)} must be one of {', '.join(choices)}")


def read_settings(environ: Mapping[str, str] = os.environ, **given: Any) -> Settings:
    """Read the settings; `given` ones, from the command line, win where they are not None.

    Raises:
        BadSetting: the server must not start.
    """
    known = {spec.name: spec for spec in fields(Settings)}
    values: dict[str, Any] = {}
    for variable, text in environ.items():
        if not variable.startswith(PREFIX) or variable in _NOT_OURS:
            continue
        spec = known.get(variable.removeprefix(PREFIX).lower())
        if spec is None:
            names = ", ".join(map(_name, known))
            raise BadSetting(f"{variable} is no setting; there are {names}")
        values[spec.name] = _parsed(variable, text, type(spec.default))
    values |= {name: value for name, value in given.items() if value is not None}
    return Settings(**values)


def _parsed(variable: str, text: str, kind: type) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise BadSetting(f"{variable} must be {kind.__name__}, not {text!r}") from None


def environment_of(settings: Settings) -> dict[str, str]:
    """Return the variables from which `read_settings` reads the same; some are secret."""
    return {_name(spec.name): str(getattr(settings, spec.name)) for spec in fields(Settings)}


def describe() -> list[tuple[str, str, str]]:
    """List every setting for the documentation: variable, default, meaning."""
    return [
        (
            _name(spec.name),
            "" if spec.default in ("", MISSING) else str(spec.default),
            spec.metadata["help"],
        )
        for spec in fields(Settings)
    ]

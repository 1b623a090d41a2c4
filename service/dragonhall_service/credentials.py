"""Who calls: one kind of token for hosts, seats, bots and admins.

The client makes the token; the server keeps its SHA-256 alone. A token is base64url of 32-96
bytes, without padding.
"""

import base64
import binascii
import hashlib
import hmac
import re
from dataclasses import dataclass, field

from dragonhall_engine.core.game import Seat
from dragonhall_service.match import MatchRecord

_TOKEN = re.compile(r"[A-Za-z0-9_-]{43,128}")


class MalformedToken(ValueError):
    """The text is no token; it is echoed nowhere."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever makes a call; without a token a spectator.

    Attributes:
        address: where the call comes from, as `api/peers.py` groups addresses.
    """

    token_hash: bytes | None = field(default=None, repr=False)
    address: str = field(default="", repr=False)

    @property
    def actor(self) -> str:
        """A short name of the token under which its requests are remembered."""
        return "" if self.token_hash is None else self.token_hash.hex()[:16]


@dataclass(frozen=True, slots=True)
class Role:
    """What a caller is in one match; neither host nor seat is a spectator."""

    host: bool = False
    seat: Seat | None = None


def caller_of(token: str, address: str = "") -> Caller:
    """Read a token.

    Raises:
        MalformedToken: it is none.
    """
    if not _TOKEN.fullmatch(token):
        raise MalformedToken("a token is base64url of 32-96 bytes, without padding")
    try:
        secret = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    except binascii.Error as bad:
        raise MalformedToken("a token is base64url of 32-96 bytes, without padding") from bad
    return Caller(hashlib.sha256(secret).digest(), address)


def role_of(caller: Caller, record: MatchRecord) -> Role | None:
    """Return the caller's role in a match; None if it may not know of it.

    A token that is not of this match sees nothing, not even a public one: it was meant for
    another match, and a silent spectator's view would hide that.
    """
    token_hash = caller.token_hash
    if token_hash is None:
        return Role() if record.options.public else None
    host = hmac.compare_digest(token_hash, record.host_hash)
    seat = next((i for i, s in enumerate(record.seats) if s and s.token_hash == token_hash), None)
    return Role(host, seat) if host or seat is not None else None

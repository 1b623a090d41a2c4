"""How a client reaches a server over TLS."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import grpc

from dragonhall.sdk.retry import CHANNEL_OPTIONS


@dataclass(frozen=True, slots=True)
class Tls:
    """What a client needs for TLS, as PEM text; `Tls()` trusts whom gRPC trusts by itself.

    Attributes:
        ca: of those who may vouch for the server.
        cert: the client's certificate chain, where the server asks for one (mutual TLS).
        key: its key.
        server_name: whom the server's certificate names, where that is not the host connected to.
    """

    ca: bytes | None = None
    cert: bytes | None = None
    key: bytes | None = field(default=None, repr=False)
    server_name: str = ""

    @classmethod
    def from_files(
        cls,
        ca: Path | None = None,
        cert: Path | None = None,
        key: Path | None = None,
        server_name: str = "",
    ) -> Self:
        """Read them from files.

        Raises:
            OSError: a file cannot be read.
            ValueError: a certificate comes without its key, or a key without its certificate.
        """
        if (cert is None) != (key is None):
            raise ValueError("a certificate and its key go together")
        read = [path.read_bytes() if path else None for path in (ca, cert, key)]
        return cls(read[0], read[1], read[2], server_name)


Options = tuple[tuple[str, object], ...]


def open_channel(
    target: str, tls: Tls | None, options: Options = CHANNEL_OPTIONS
) -> grpc.aio.Channel:
    """Make a channel to `host:port`; without TLS where none is given."""
    if tls is None:
        return grpc.aio.insecure_channel(target, options=options)
    credentials = grpc.ssl_channel_credentials(tls.ca, tls.key, tls.cert)
    name = (("grpc.ssl_target_name_override", tls.server_name),) if tls.server_name else ()
    return grpc.aio.secure_channel(target, credentials, options=(*options, *name))

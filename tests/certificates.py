"""Certificates for tests, of authorities that exist as long as the test does."""

import socket
import ssl
from dataclasses import dataclass
from pathlib import Path

import trustme

from dragonhall.sdk import Tls


@dataclass(frozen=True)
class Files:
    """PEM files: a certificate, its key, and the authority that issued it."""

    cert: Path
    key: Path
    ca: Path

    @property
    def tls(self) -> Tls:
        """What a client needs that shows this certificate."""
        return Tls.from_files(self.ca, self.cert, self.key)

    @property
    def only_ca(self) -> Tls:
        """What a client needs that shows none."""
        return Tls.from_files(self.ca)

    @property
    def der(self) -> bytes:
        """The certificate as it goes over the wire."""
        first, end, _ = self.cert.read_text().partition("-----END CERTIFICATE-----")
        return ssl.PEM_cert_to_DER_cert(first + end)

    def context(self, side: int = ssl.PROTOCOL_TLS_SERVER) -> ssl.SSLContext:
        """Return what Python's own sockets need on a side; each asks the other to identify."""
        context = ssl.SSLContext(side)
        context.load_cert_chain(self.cert, self.key)
        context.load_verify_locations(self.ca)
        context.verify_mode = ssl.CERT_REQUIRED
        return context


def shown_at(port: int, asking: Files) -> bytes:
    """Return the certificate that a new connection is shown."""
    context = asking.context(ssl.PROTOCOL_TLS_CLIENT)
    context.set_alpn_protocols(["h2"])
    with (
        socket.create_connection(("127.0.0.1", port)) as raw,
        context.wrap_socket(raw, server_hostname="localhost") as wrapped,
    ):
        return wrapped.getpeercert(binary_form=True) or b""


class Authority:
    """Issues certificates into a folder."""

    def __init__(self, folder: Path) -> None:
        """Begin anew: who trusts an earlier authority does not trust this one."""
        folder.mkdir(exist_ok=True)
        self._folder = folder
        self._ca = trustme.CA()

    def issue(self, name: str, *hosts: str) -> Files:
        """Issue a certificate for this machine, and for `hosts`, into NAME.crt and NAME.key.

        Under the same name it replaces the earlier one as an operator would: one file after the
        other, each by a rename.
        """
        leaf = self._ca.issue_cert("localhost", "127.0.0.1", *hosts, common_name=name)
        chain = b"".join(pem.bytes() for pem in leaf.cert_chain_pems)
        parts = {"crt": chain, "key": leaf.private_key_pem.bytes(), "ca": self._ca.cert_pem.bytes()}
        for ending, pem in parts.items():
            new = self._folder / f"{name}.new"
            new.write_bytes(pem)
            new.rename(self._folder / f"{name}.{ending}")
        return Files(*(self._folder / f"{name}.{ending}" for ending in parts))

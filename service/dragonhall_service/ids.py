"""Unpredictable bytes from the operating system."""

import secrets

from dragonhall_engine.core.rng import SEED_BYTES


class OsIds:
    """Implements `ports.Ids`."""

    def seed(self) -> bytes:
        """Return 64 secret bytes."""
        return secrets.token_bytes(SEED_BYTES)

    def tag(self) -> str:
        """Return 64 random bits as text."""
        return secrets.token_hex(8)

"""The secrets and names that a client makes."""

import base64
import secrets


def new_token() -> str:
    """Make a token: base64url of 32 bytes from the operating system. Keep it secret."""
    return base64.urlsafe_b64encode(secrets.token_bytes(32)).decode().rstrip("=")


def new_request_id() -> str:
    """Name a request, so that sending it again is safe."""
    return secrets.token_hex(16)

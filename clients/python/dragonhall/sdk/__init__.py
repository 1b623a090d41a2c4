"""The asyncio SDK: typed calls that may be repeated, watches that resume, errors by reason."""

from dragonhall.sdk.client import Client
from dragonhall.sdk.errors import DragonhallError
from dragonhall.sdk.token import new_token

__all__ = ["Client", "DragonhallError", "new_token"]

"""Server-side scripts, sent by their digest and by their text only where they are not known."""

from collections.abc import Sequence
from hashlib import sha1
from importlib.resources import files
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import NoScriptError


class Script:
    """One script of this package on one client."""

    def __init__(self, client: "Redis", name: str) -> None:
        self._client = client
        self._text = files("dragonhall_service.store").joinpath(name).read_text()
        self._digest = sha1(self._text.encode(), usedforsecurity=False).hexdigest()

    async def run(self, keys: Sequence[str], arguments: Sequence[Any]) -> Any:
        """Run it; an unknown digest was not executed, so sending the text runs it once."""
        try:
            return await self._client.evalsha(self._digest, len(keys), *keys, *arguments)
        except NoScriptError:
            return await self._client.eval(self._text, len(keys), *keys, *arguments)

"""Server-side scripts, sent by their digest and by their text only where they are not known."""

from collections.abc import Sequence
from hashlib import sha1
from importlib.resources import files
from typing import Any, Protocol

from redis.exceptions import NoScriptError


class Store(Protocol):
    """What carries a command out: a client of redis-py, or one line or several."""

    async def execute_command(self, *command: Any) -> Any:
        """Send a command and return its answer."""


class Script:
    """One script of this package on one store."""

    def __init__(self, store: Store, name: str) -> None:
        self._store = store
        self._text = files("dragonhall_service.store").joinpath(name).read_text()
        self._digest = sha1(self._text.encode(), usedforsecurity=False).hexdigest()

    async def run(self, keys: Sequence[str], arguments: Sequence[Any]) -> Any:
        """Run it; an unknown digest was not executed, so sending the text runs it once."""
        try:
            return await self._run("EVALSHA", self._digest, keys, arguments)
        except NoScriptError:
            return await self._run("EVAL", self._text, keys, arguments)

    async def _run(self, how: str, what: str, keys: Sequence[str], arguments: Sequence[Any]) -> Any:
        return await self._store.execute_command(how, what, len(keys), *keys, *arguments)

"""Faults that a checker must catch in every run: a server with one of them, as a program.

`program(name)` goes before the server's own start. A checker that misses one proves nothing.
"""

from collections.abc import Callable
from hashlib import sha1
from typing import Any

from dragonhall_service.store.matches import RedisMatches
from dragonhall_service.store.scripts import Script
from tests.service.driver import SERVE


def program(fault: str) -> str:
    """Return the program of a server with a fault."""
    return f"from tests.faults.planted import FAULTS; FAULTS[{fault!r}](); {SERVE}"


def _rewrite(script: str, old: str, new: str) -> None:
    """Change the text of a script of the store."""
    make = Script.__init__

    def changed(self: Any, store: Any, name: str) -> None:
        make(self, store, name)
        if name == script:
            assert old in self._text, f"{script} no longer holds {old}"
            self._text = self._text.replace(old, new)
            self._digest = sha1(self._text.encode(), usedforsecurity=False).hexdigest()

    Script.__init__ = changed  # type: ignore[method-assign]


def _no_compare() -> None:
    """Two writers of one version both succeed, once the seats are taken and dealt."""
    compare = "if current ~= before or "
    alike = "if before > 5 then before, tag = current, ARGV[4] end "
    _rewrite("commit.lua", compare, alike + compare)


def _split_write() -> None:
    """The event is a write of its own, which a server that dies in between leaves out."""
    appended = "for i = 1, entries do"
    _rewrite("commit.lua", appended, f"if before % 9 == 8 then entries = 0 end {appended}")


def _no_dedupe() -> None:
    """A repeat is taken for a new request."""
    _rewrite("commit.lua", "if earlier then return {'repeated', earlier} end", "")
    load = RedisMatches.load

    async def forgetful(self: Any, match_id: str, request: Any = None) -> Any:
        return await load(self, match_id)

    RedisMatches.load = forgetful  # type: ignore[method-assign]


FAULTS: dict[str, Callable[[], None]] = {
    "no compare": _no_compare,
    "split write": _split_write,
    "no dedupe": _no_dedupe,
}

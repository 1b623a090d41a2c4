"""Servers with a fault inside: those that a checker must catch in every run, and lost doorbells.

`program(name)` is such a server. A checker that misses a fault proves nothing.
"""

import re
from collections.abc import Callable, Sequence
from hashlib import sha1
from typing import Any

import structlog

from dragonhall_service import credentials
from dragonhall_service.api import boundary
from dragonhall_service.store.matches import RedisMatches
from dragonhall_service.store.scripts import Script
from dragonhall_service.usecases import feeds
from tests.service.driver import SERVE

UNRUNG = 10
"""Of so many commits of a match one rings for nobody, where doorbells are lost."""


def program(fault: str) -> str:
    """Return the program of a server with a fault."""
    return f"from tests.faults.planted import FAULTS; FAULTS[{fault!r}](); {SERVE}"


def _rewrite(script: str, old: str, new: str) -> None:
    """Change the text of a script of the store; `old` is a pattern that is there once."""
    make = Script.__init__

    def changed(self: Any, store: Any, name: str) -> None:
        make(self, store, name)
        if name == script:
            self._text, found = re.subn(old, new, self._text)
            assert found == 1, f"{script} no longer holds {old}"
            self._digest = sha1(self._text.encode(), usedforsecurity=False).hexdigest()

    Script.__init__ = changed  # type: ignore[method-assign]


def _no_compare() -> None:
    """Two writers of one version both succeed, once the seats are taken and dealt."""
    alike = "if before > 5 then before, tag = current, ARGV[4] end"
    _rewrite("commit.lua", "(if current ~= before or )", rf"{alike} \1")


def _split_write() -> None:
    """The event is a write of its own, which a server that dies in between leaves out."""
    left_out = "if before % 9 == 8 then entries = 0 end"
    _rewrite("commit.lua", "(for i = 1, entries do)", rf"{left_out} \1")


def _no_dedupe() -> None:
    """A repeat is taken for a new request."""
    _rewrite("commit.lua", "if earlier then return {'repeated', earlier} end", "")
    load = RedisMatches.load

    async def forgetful(self: Any, match_id: str, request: Any = None) -> Any:
        return await load(self, match_id)

    RedisMatches.load = forgetful  # type: ignore[method-assign]


def _lost_doorbells() -> None:
    """No fault of ours but of the network: a tenth of all commits rings for nobody."""
    some = f"if before % {UNRUNG} ~= 0 then"
    _rewrite("commit.lua", r"(redis\.call\('SPUBLISH'.*)", rf"{some} \1 end")


def _doorbell_as_truth() -> None:
    """A ring is taken for one new entry, the newest, though an earlier one was lost."""
    after = feeds.Feed.after

    async def newest(self: Any, place: Any, patience: float) -> Any:
        found = await after(self, place, patience)
        return found[-1:] if isinstance(found, Sequence) else found

    feeds.Feed.after = newest  # type: ignore[method-assign]
    _lost_doorbells()


def _token_without_tag() -> None:
    """A place is a version alone: another history's looks the same."""

    def untagged(entries: Any, place: Any) -> Any:
        if entries and entries[0].version == place.version:
            return entries[1:]
        return continuation(entries, place)

    continuation = feeds.continuation
    feeds.continuation = untagged
    feeds.Tail.after = lambda self, place: None  # type: ignore[method-assign]


def _token_in_the_log() -> None:
    """Somebody logs what a caller shows."""
    read = credentials.caller_of

    def talkative(token: str, *more: Any) -> Any:
        structlog.get_logger("planted").info("caller", token=token)
        return read(token, *more)

    boundary.caller_of = talkative  # type: ignore[assignment, attr-defined]


FAULTS: dict[str, Callable[[], None]] = {
    "no compare": _no_compare,
    "split write": _split_write,
    "no dedupe": _no_dedupe,
    "lost doorbells": _lost_doorbells,
    "doorbell as truth": _doorbell_as_truth,
    "token without tag": _token_without_tag,
    "token in the log": _token_in_the_log,
}

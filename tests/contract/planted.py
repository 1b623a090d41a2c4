"""Bugs with secrets in their texts, planted into a server of its own by import.

A call names the place and the kind of its bug in metadata; without it, all is well.
"""

import asyncio
import functools
import json
from collections.abc import Callable
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

import grpc

from dragonhall_engine.core.errors import CorruptData
from dragonhall_engine.registry import GAMES
from dragonhall_service import app
from dragonhall_service.api import bots, boundary, matches, validation
from dragonhall_service.ports import RecordCorrupt, StorageUnavailable
from dragonhall_service.store.matches import RedisMatches

HAND = "D1 D2 H3 V K4 in hand"
TOKEN = "dG9rZW4tb2Ytc29tZWJvZHktd2hvLW11c3Qtc3RheS1zYWZl"
TEXT = f"seat 1 has {HAND}, Bearer {TOKEN}"
SECRETS = (HAND, TOKEN)


class Talkative(Exception):
    """A bug whose every text is a secret."""

    def __repr__(self) -> str:
        return TEXT

    __str__ = __repr__


def _chained() -> Exception:
    error = RuntimeError(TEXT)
    error.__cause__ = KeyError(TEXT)
    error.add_note(TEXT)
    return error


KINDS: dict[str, Callable[[], BaseException]] = {
    "RuntimeError": lambda: RuntimeError(TEXT),
    "KeyError": lambda: KeyError(TEXT),
    "AssertionError": lambda: AssertionError(TEXT),
    "UnicodeDecodeError": lambda: UnicodeDecodeError("utf-8", TEXT.encode(), 0, 1, TEXT),
    "ValueError of JSON": lambda: json.JSONDecodeError(TEXT, TEXT, 0),
    "Talkative": Talkative,
    "chained": _chained,
    "ExceptionGroup": lambda: ExceptionGroup(TEXT, [ValueError(TEXT)]),
    "NotImplementedError": lambda: NotImplementedError(TEXT),
    "TimeoutError": lambda: TimeoutError(TEXT),
    "OSError": lambda: OSError(5, TEXT),
    "UsageError": lambda: grpc.aio.UsageError(TEXT),
    "StorageUnavailable": lambda: StorageUnavailable(None, TEXT),
    "RecordCorrupt": lambda: RecordCorrupt(TEXT),
    "CorruptData": lambda: CorruptData(TEXT),
    "StopAsyncIteration": lambda: StopAsyncIteration(TEXT),
    "CancelledError": lambda: asyncio.CancelledError(TEXT),
}

_bug: ContextVar[tuple[str, str]] = ContextVar("bug", default=("", ""))


def _plant(owner: Any, name: str, place: str) -> None:
    setattr(owner, name, _spoilt(getattr(owner, name), place))


def _spoilt(function: Any, place: str) -> Any:
    @functools.wraps(function)
    def spoilt(*arguments: Any, **named: Any) -> Any:
        where, kind = _bug.get()
        if where == place:
            raise KINDS[kind]()
        return function(*arguments, **named)

    return spoilt


class BuggyGame:
    """A game of the engine that fails when asked."""

    def __init__(self, game: Any) -> None:
        self._game = game

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._game, name)
        return _spoilt(value, f"engine {name}") if callable(value) else value


class Unserialisable:
    """An answer that is none of the method's."""

    def __repr__(self) -> str:
        return TEXT


def _answers(function: Any) -> Any:
    async def answer(*arguments: Any) -> Any:
        return Unserialisable() if _bug.get()[0] == "answer" else await function(*arguments)

    return answer


def _identified(context: Any, peers: Any) -> Any:
    named = dict(context.invocation_metadata() or ())
    _bug.set((str(named.get("x-place", "")), str(named.get("x-kind", ""))))
    return _identify(context, peers)


_identify = boundary._identify
boundary._identify = _identified
vars(app)["GAMES"] = MappingProxyType({name: BuggyGame(game) for name, game in GAMES.items()})
_plant(validation, "match_id", "handler")
_plant(matches, "match_to_proto", "mapping of a match")
_plant(matches, "view_of", "mapping of a view")
_plant(matches, "event_to_proto", "mapping of an event")
_plant(matches, "snapshot_to_proto", "mapping of a snapshot")
_plant(bots.BotService, "_turn", "mapping of a turn")
_plant(bots.BotService, "_bot", "mapping of a bot")
_plant(RedisMatches, "load", "store load")
_plant(RedisMatches, "commit", "store commit")
_plant(RedisMatches, "entries", "store entries")
matches.MatchService.ListEvents = _answers(matches.MatchService.ListEvents)  # type: ignore[method-assign]

"""What a bot did and was told, noted for its author."""

from collections import deque
from typing import Any

from dragonhall_service.ports import BotCall, BotStore, CallKind

_MOST = 1_000


class CallNotes:
    """Notes of one session, kept here until the store takes them; the oldest give way."""

    def __init__(self, bots: BotStore, name: str) -> None:
        """Begin without any, for the bot of that name."""
        self._bots = bots
        self._name = name
        self._calls: deque[BotCall] = deque(maxlen=_MOST)

    def add(self, kind: CallKind, match_id: str = "", version: int = 0, **more: Any) -> None:
        """Note something that happens now."""
        self._calls.append(BotCall(kind, match_id, version, **more))

    async def flush(self) -> None:
        """Hand them to the store.

        Raises:
            StorageUnavailable: they are lost.
        """
        calls = tuple(self._calls)
        self._calls.clear()
        if calls:
            await self._bots.note(self._name, calls)

"""What was made lately, kept for the next who asks for the same."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Made = TypeVar("Made")


class Recent(Generic[Made]):
    """The newest answers by key; the one asked for longest ago is let go first."""

    def __init__(self, most: int) -> None:
        """Keep at most so many."""
        self._most = most
        self._made: OrderedDict[Hashable, Made] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return what was made for a key, or make it."""
        made = self.find(key)
        if made is None:
            made = make()
            self.put(key, made)
        return made

    def find(self, key: Hashable) -> Made | None:
        """Return what was made for a key, if it is still here."""
        made = self._made.get(key)
        if made is not None:
            self._made.move_to_end(key)
        return made

    def put(self, key: Hashable, made: Made) -> None:
        """Keep what was made for a key, in place of what was there."""
        self._made[key] = made
        self._made.move_to_end(key)
        if len(self._made) > self._most:
            self._made.popitem(last=False)

    def drop(self, key: Hashable) -> None:
        """Let go of what was made for a key."""
        self._made.pop(key, None)

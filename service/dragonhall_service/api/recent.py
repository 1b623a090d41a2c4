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
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = make()
            if len(self._made) > self._most:
                self._made.popitem(last=False)
        else:
            self._made.move_to_end(key)
        return made

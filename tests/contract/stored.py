"""What a store holds, raw: to see that a refused call has changed nothing."""

import re
from collections.abc import Mapping, Set
from typing import Any

_MATCH = re.compile(r"dh:\{b\d+\}:m:([a-z2-7]{26})")
_SHARED = re.compile(r"dh:public:|dh:\{b\d+\}:live$|dh:\{bots\}:")
"""Keys to which every good call may add its match or bot."""


async def changes(raw: Any) -> int:
    """Return the store's own count of changes to its data."""
    return int((await raw.info("persistence"))["rdb_changes_since_last_save"])


async def contents(raw: Any) -> dict[str, bytes]:
    """Return every key with its value, serialised by the store."""
    return {key.decode(): await raw.dump(key) async for key in raw.scan_iter(count=1_000)}


def differences(
    before: Mapping[str, bytes], after: Mapping[str, bytes], allowed: Set[str]
) -> list[str]:
    """List the keys that differ and are not of the matches that good calls wrote."""
    return [
        key
        for key in sorted(before.keys() | after.keys())
        if before.get(key) != after.get(key) and not _may_change(key, allowed)
    ]


def _may_change(key: str, allowed: Set[str]) -> bool:
    match = _MATCH.match(key)
    return bool(_SHARED.match(key) or (match and match[1] in allowed))

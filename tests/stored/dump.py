"""A store's keys as JSON: taken out of one store, put into another at a later time."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

GONE_MS = 60_000
"""A key that expires sooner is no memory: the presence of a bot's stream."""
TIMES: Mapping[str, Sequence[str]] = {
    "hash": ("created_ms", "since", "due"),
    "stream": ("ms", "since", "due"),
    "zset": ("live", "lobby", "running", "over", "all"),
}
"""What holds times in ms since 1970: fields of hashes and streams, scores of sorted sets by the
ends of their names. A dump keeps them, so that a later release's may differ."""
_MARK = "base64:"


def _text(value: bytes) -> str:
    text = value.decode("ascii", "replace")
    readable = text.isprintable() and "\ufffd" not in text and not text.startswith(_MARK)
    return text if readable else _MARK + base64.b64encode(value).decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text.removeprefix(_MARK)) if text.startswith(_MARK) else text.encode()


def _texts(fields: Mapping[bytes, bytes]) -> dict[str, str]:
    return {_text(name): _text(value) for name, value in fields.items()}


async def take(raw: Any) -> list[dict[str, Any]]:
    """Return every key of a store, in order of their names."""
    found = []
    for key in sorted(await raw.keys("*")):
        ttl = await raw.pttl(key)
        if not 0 <= ttl < GONE_MS:
            kind = (await raw.type(key)).decode()
            found.append(
                {
                    "key": key.decode(),
                    "type": kind,
                    "ttl_ms": ttl,
                    "value": await _read(raw, key, kind),
                }
            )
    return found


async def _read(raw: Any, key: bytes, kind: str) -> Any:
    match kind:
        case "hash":
            return _texts(await raw.hgetall(key))
        case "stream":
            return [[row.decode(), _texts(fields)] for row, fields in await raw.xrange(key)]
        case "zset":
            return {
                _text(name): score for name, score in await raw.zrange(key, 0, -1, withscores=True)
            }
        case "set":
            return sorted(_text(member) for member in await raw.smembers(key))
    raise ValueError(f"{key!r} is a {kind}: say how to dump it")


async def put(raw: Any, dump: Mapping[str, Any], later_ms: int) -> None:
    """Write every key of a dump, as if the store had slept for so long."""
    for entry in dump["keys"]:
        key, kind, value = entry["key"], entry["type"], entry["value"]
        times = dump["times"].get(kind, ())
        match kind:
            case "hash":
                await raw.hset(key, mapping=_moved(value, times, later_ms))
            case "stream":
                for row, fields in value:
                    await raw.xadd(key, _moved(fields, times, later_ms), id=row)
            case "zset":
                more = later_ms if key.endswith(tuple(times)) else 0
                await raw.zadd(key, {_bytes(name): score + more for name, score in value.items()})
            case "set":
                await raw.sadd(key, *map(_bytes, value))
        if entry["ttl_ms"] >= 0:
            await raw.pexpire(key, entry["ttl_ms"])


def _moved(fields: Mapping[str, str], times: Sequence[str], later_ms: int) -> dict[Any, Any]:
    return {
        _bytes(name): int(value) + later_ms if name in times and value else _bytes(value)
        for name, value in fields.items()
    }

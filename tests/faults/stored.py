"""Reads from the store what it keeps of a match, as the service wrote it."""

from typing import Any

from dragonhall_service.ports import RequestKey
from dragonhall_service.store.keys import keys_of
from dragonhall_service.store.records import decode_entry, decode_record, decode_request
from tests.faults.history import Stored, Violation, violations
from tests.faults.ledger import Ledger


async def stored(raw: Any, match_id: str) -> Stored | None:
    """Read a match at one instant; None if the store has none of it."""
    keys = keys_of(match_id)
    async with raw.pipeline(transaction=True) as at_once:
        at_once.hgetall(keys.match).xrange(keys.log).hgetall(keys.requests)
        fields, rows, requests = await at_once.execute()
    if not fields:
        return None
    return Stored(
        decode_record(match_id, fields, 0),
        [decode_entry(stream_id, entry) for stream_id, entry in rows],
        {_key(name): decode_request(value) for name, value in requests.items()},
    )


async def last_version(raw: Any, match_id: str) -> int:
    """Return the version of a match that the store must have."""
    kept = await stored(raw, match_id)
    assert kept is not None
    return kept.record.version


def _key(name: bytes) -> RequestKey:
    actor, _, request_id = name.decode().partition(":")
    return RequestKey(actor, request_id)


async def broken(raw: Any, ledger: Ledger) -> list[Violation]:
    """Hold every match of a ledger against the store."""
    found = [Violation(2, told) for told in ledger.odd]
    for match_id, attempts in ledger.attempts.items():
        found += violations(await stored(raw, match_id), attempts)
    return found

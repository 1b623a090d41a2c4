"""Finds matches in which a bot may be about to take a seat: it is told before they are stored."""

import asyncio
from contextlib import suppress

from dragonhall_service.credentials import Caller
from dragonhall_service.ports import Ports
from dragonhall_service.usecases.reading import Seen, see
from dragonhall_service.usecases.refusals import Refusal

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.2, 1.0
ABSENT_S = 15.0
"""A match that stays absent for so long never came to be."""


async def appear(ports: Ports, bot: Caller, match_id: str) -> Seen | None:
    """Load a match as soon as the bot has a seat in it; None if it stays absent to the last look.

    Raises:
        StorageUnavailable, RecordCorrupt, RecordTooNew: it cannot be read now.
    """
    waited_s, pause_s = 0.0, _FIRST_PAUSE_S
    while (seen := await seated(ports, bot, match_id)) is None and waited_s < ABSENT_S:
        await asyncio.sleep(pause_s)
        waited_s, pause_s = waited_s + pause_s, min(2 * pause_s, _LONGEST_PAUSE_S)
    return seen


async def seated(ports: Ports, bot: Caller, match_id: str) -> Seen | None:
    """Load a match; None if the bot has no seat in it.

    Raises:
        StorageUnavailable, RecordCorrupt, RecordTooNew: it cannot be read now.
    """
    with suppress(Refusal):
        seen = await see(ports, bot, match_id)
        return None if seen.role.seat is None else seen
    return None

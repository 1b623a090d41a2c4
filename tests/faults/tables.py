"""Matches of both games to play at, and their seats to be fought for."""

import asyncio
import random
from collections.abc import Sequence
from typing import Any

from dragonhall.v1 import match_pb2
from dragonhall.v1 import match_service_pb2 as pb
from dragonhall_service.api.mapping.games import MAPPINGS
from tests.faults.canaries import CANARIES
from tests.faults.history import Verdict
from tests.faults.ledger import Ledger
from tests.service.driver import Table, request_id

SETUPS = (("dragonheart", "standard", 2), ("dragonkeepers", "published", 3))


async def fought_for(ledger: Ledger, stubs: Sequence[Any], chance: random.Random) -> Table | None:
    """Create a match and let more clients than it has seats join at once.

    Returns:
        The match; None, and the ledger knows it, if its seats were not given to one each.
    """
    game, edition, seats = chance.choice(SETUPS)
    options = match_pb2.MatchOptions(
        setup=MAPPINGS[game].setup_to_proto(edition, seats), visibility=match_pb2.VISIBILITY_PUBLIC
    )
    host, name = CANARIES.new_token(), request_id()
    create = pb.CreateMatchRequest(request_id=name, token=host, options=options)
    match_id = (await stubs[0].CreateMatch(create)).match.match_id
    tokens = [CANARIES.new_token() for _ in range(2 * seats)]
    joined = await asyncio.gather(
        *(
            _join(ledger, stubs[n % len(stubs)], match_id, token, request_id())
            for n, token in enumerate(tokens)
        )
    )
    holders = {seat: token for token, seat in zip(tokens, joined, strict=True) if seat is not None}
    if not len(holders) == len(joined) - joined.count(None) == seats:
        ledger.odd.append(f"of {seats} seats these were given: {joined}")
        return None
    return Table(match_id, host, tuple(holders[seat] for seat in range(seats)))


async def _join(ledger: Ledger, stub: Any, match_id: str, token: str, name: str) -> int | None:
    request = pb.JoinMatchRequest(match_id=match_id, request_id=name, token=token)
    call = stub.JoinMatch(request)
    attempt = await ledger.make(call, match_id, token, name)
    return int((await call).seat) if attempt.verdict is Verdict.APPLIED else None

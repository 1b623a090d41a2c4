"""P17 on a server that says a token in its log: it must be noticed."""

import random

from tests.faults.canaries import CANARIES, Canaries
from tests.faults.ledger import Ledger
from tests.faults.planted import program
from tests.faults.tables import fought_for
from tests.faults.verdicts import Finding, Work
from tests.faults.world import world


async def scenario() -> list[Finding]:
    """Play a little, and look."""
    own = Canaries(CANARIES.tokens)
    async with world(serve=program("token in the log"), secret=False) as running:
        async with running.clients(1) as stubs:
            await fought_for(Ledger(), stubs, random.Random(1))
        own.look_into(running.folder)
    return [Work("P17", "planted faults caught", bool(own.hits), 1)]

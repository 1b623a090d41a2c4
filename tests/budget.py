"""How many cases a test runs: few in CI, many in the long form (`dev.py sweep`)."""

import os

SWEEP = os.environ.get("DRAGONHALL_SWEEP") == "1"


def cases(*, ci: int, sweep: int) -> int:
    """Return the number of cases for this run."""
    return sweep if SWEEP else ci

"""`dev.py faults [--quick] [SCENARIO …]`: run scenarios, then print one line a promise."""

import argparse
import asyncio
import signal
import sys
import time
import traceback

from tests.budget import SWEEP
from tests.faults.canaries import CANARIES
from tests.faults.registry import LONG, SCENARIOS
from tests.faults.verdicts import Finding, report

PROMISES = {"P1", "P2", "P3", "P4", "P5", "P6", "P7", "P8", "P12", "P13", "P16"}
"""What a run of all scenarios must judge, beside P17."""
HANGS_S = 600
"""A scenario that takes longer hangs."""


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="dev.py faults", description=__doc__)
    parser.add_argument("scenario", nargs="*", help=f"of {', '.join(SCENARIOS)}; none: all")
    given = parser.parse_args()
    if unknown := set(given.scenario) - set(SCENARIOS):
        parser.error(f"no such scenario: {', '.join(sorted(unknown))}")
    return given


async def _run(name: str) -> list[Finding]:
    async with asyncio.timeout(HANGS_S):
        return await SCENARIOS[name]()


def main() -> int:
    """Run them; 1 if a promise falls short, a run did too little, or a scenario failed."""
    findings: list[Finding] = []
    failed = []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what was started is ended
    usual = [name for name in SCENARIOS if SWEEP or name not in LONG]
    chosen = _arguments().scenario
    for name in chosen or usual:
        begun = time.monotonic()
        print(f"== {name}", flush=True)
        try:
            findings += asyncio.run(_run(name))
        except Exception:  # the others are to be run, too
            traceback.print_exc()
            failed.append(name)
        print(f"   {time.monotonic() - begun:.0f} s", flush=True)
    lines, kept = report([*findings, *CANARIES.findings()])
    print("\n".join(["", *lines]))
    told = {finding.promise for finding in findings}
    missing = [] if chosen else sorted(PROMISES - told)
    if missing:
        print(f"nothing was said of {', '.join(missing)}", file=sys.stderr)
    for name in failed:
        print(f"scenario {name} FAILED", file=sys.stderr)
    return 0 if kept and lines and not failed and not missing else 1


if __name__ == "__main__":
    sys.exit(main())

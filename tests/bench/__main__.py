"""`dev.py bench [engine|submit|play|watch|size|profile …]`: measure, print, save as JSON."""

import argparse
import asyncio
import sys
from collections.abc import Callable

from tests.bench import engine, play, processes, profile, size, submit, watch
from tests.bench.figures import ROOT, Report, keep

RESULTS = ROOT / ".bench"
PAGE = ROOT / "docs" / "bench.md"
PEERS = ROOT / ".bench" / "venv" / "bin"

BENCHES: dict[str, Callable[[int], Report]] = {
    "engine": lambda repetitions: engine.measure(repetitions, 0.2, str(PEERS / "python")),
    "submit": lambda repetitions: asyncio.run(
        submit.measure(repetitions, submit.Amount(800), processes.stores())
    ),
    "play": lambda repetitions: asyncio.run(play.measure(repetitions)),
    "watch": lambda repetitions: asyncio.run(watch.measure(repetitions)),
    "size": lambda repetitions: asyncio.run(size.measure(repetitions)),
    "profile": lambda repetitions: asyncio.run(profile.measure(repetitions, str(PEERS / "py-spy"))),
}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="dev.py bench", description=__doc__)
    parser.add_argument("what", nargs="*", help=f"of {', '.join(BENCHES)}; none: all")
    parser.add_argument("--repetitions", type=int, default=5, help="5 or more for the record")
    parser.add_argument("--keep", action="store_true", help="put the figures into docs/bench.md")
    given = parser.parse_args()
    if unknown := set(given.what) - set(BENCHES):
        parser.error(f"no such bench: {', '.join(sorted(unknown))}")
    if given.repetitions < 1:
        parser.error("at least one repetition")
    return given


def main() -> int:
    """Run the benches; 1 if a figure misses what it must reach."""
    given = _arguments()
    missed = []
    for name in given.what or BENCHES:
        report = BENCHES[name](given.repetitions)
        print(report.text())
        print(f"\nall samples: {report.save(RESULTS).relative_to(ROOT)}\n", flush=True)
        if given.keep:
            keep(PAGE, [report])
        missed += report.missed
    for row in missed:
        print(f"bench: missed: {row.what}: {row.median:.3g}, must be {row.bound}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

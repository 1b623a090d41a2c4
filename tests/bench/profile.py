"""Where a server's time goes under SubmitMove: samples of its stack, told apart by part."""

import asyncio
import signal
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import count
from pathlib import Path

from tests.bench import processes, submit
from tests.bench.dealing import SUBMIT, Call
from tests.bench.figures import Report, Samples

HOW = (
    "Shares of the time in which a server under SubmitMove, 16 in flight, holds Python's lock: "
    "py-spy's samples, each given to the innermost part that is on the stack. The bare echo server "
    "consists of the last part alone."
)
PARTS = {
    "boundary: parsing, identity, log, metrics": (
        "api/boundary.py", "credentials.py", "logs.py", "structlog/", "prometheus_client/",
    ),
    "requests and answers: validation, protos": ("dragonhall_service/api/",),
    "use cases": ("dragonhall_service/usecases/",),
    "engine: rules, notation, codec": ("dragonhall_engine/",),
    "store: connection": ("store/line.py", "store/scripts.py", "redis/", "hiredis/"),
    "store: records": ("dragonhall_service/store/",),
    "gRPC and event loop": ("asyncio/", "selectors.py", "grpc/"),
}  # fmt: skip
"""The parts, by what the paths of their frames hold; of two that fit a frame, the first."""
OTHER = "other"
_RATE = 250  # samples a second; py-spy stops the process for each


def part_of(stack: Iterable[str]) -> str:
    """Return the part that a stack, outermost frame first, belongs to."""
    for frame in reversed(list(stack)):
        for part, marks in PARTS.items():
            if any(mark in frame for mark in marks):
                return part
    return OTHER


def shares(raw: str) -> dict[str, float]:
    """Read py-spy's raw output, lines of `frame;frame;… count`, into percentages."""
    counts: Counter[str] = Counter()
    for line in raw.splitlines():
        stack, _, number = line.rpartition(" ")
        counts[part_of(stack.split(";"))] += int(number)
    total = sum(counts.values())
    return {part: 100 * counts[part] / total for part in (*PARTS, OTHER)}


async def measure(repetitions: int, spy: str, calls: int = 1_600) -> Report:
    """Sample a server under load; `spy` is the program py-spy."""
    samples, numbers = Samples(), count()
    with (
        processes.store(processes.stores()["embedded"]) as url,
        processes.service(url) as server,
    ):
        for _ in range(repetitions):
            plans = await submit.moves(server, 16, calls, numbers)
            for part, share in shares(await _sampled(spy, server, plans)).items():
                samples.add(part, "%", share)
    return Report("profile", HOW, repetitions, samples.rows())


async def _sampled(spy: str, server: processes.Running, plans: Sequence[Sequence[Call]]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/raw"
        how = ["--gil", "--rate", str(_RATE), "--duration", "3600", "--format", "raw"]
        spying = await asyncio.create_subprocess_exec(
            spy, "record", *how, "--output", out, "--pid", str(server.pid),
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        await submit.load(server, SUBMIT, plans)
        spying.send_signal(signal.SIGINT)
        await spying.wait()
        return Path(out).read_text()

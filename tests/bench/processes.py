"""The processes under test, and the processor time that they have used."""

import contextlib
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dragonhall_service.embedded import embedded_store, server_binary

_START_S = 20.0


@dataclass(frozen=True)
class Running:
    """A server in a process of its own."""

    target: str
    pid: int

    def memory_bytes(self) -> int:
        """Return how much of the machine's memory it holds now."""
        pages = Path(f"/proc/{self.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def cpu_seconds(self) -> float:
        """Return the processor time of all its threads so far."""
        clock = ctypes.c_int()
        if failed := ctypes.CDLL(None).clock_getcpuclockid(self.pid, ctypes.byref(clock)):
            raise OSError(failed, f"no processor clock of process {self.pid}")
        return time.clock_gettime(clock.value)


@contextlib.contextmanager
def service(store_url: str) -> Iterator[Running]:
    """Run `dragonhall serve` as it runs in production: its log as JSON lines, into a file."""
    code = "from dragonhall.cli import main; main()"
    arguments = ["-c", code, "serve", "--listen", "127.0.0.1:0", "--redis", store_url]
    values = {"QUOTAS": "off", "LOG_FORMAT": "json", "DRAIN_S": "0"}
    settings = {f"DRAGONHALL_{name}": value for name, value in values.items()}
    with _process(arguments, settings) as (pid, first_line):
        yield Running(json.loads(first_line)["listen"], pid)


@contextlib.contextmanager
def echo() -> Iterator[Running]:
    """Run the bare echo server."""
    with _process(["-m", "tests.bench.echo"], {}) as (pid, first_line):
        yield Running(f"127.0.0.1:{int(first_line)}", pid)


@contextlib.contextmanager
def _process(arguments: Sequence[str], settings: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Run a Python process and yield its pid and the first line that it says."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DRAGONHALL_")}
    with tempfile.TemporaryDirectory(prefix="dragonhall-bench-") as folder:
        said = Path(folder) / "said"
        with said.open("wb") as out:
            process = subprocess.Popen(
                [sys.executable, *arguments],
                env={**environment, **settings},
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        try:
            yield process.pid, _first_line(process, said)
        finally:
            process.terminate()
            process.wait()


def _first_line(process: "subprocess.Popen[bytes]", said: Path) -> str:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline and process.poll() is None:
        line, ended, _ = said.read_text().partition("\n")
        if ended:
            return line
        time.sleep(0.02)
    raise RuntimeError(f"{process.args!r} did not start: {said.read_text()}")


def stores() -> dict[str, str]:
    """Name the stores of this machine, with their programs: the embedded one, and redis-server."""
    found = {"embedded": server_binary()}
    redis = shutil.which("redis-server")
    if redis and redis != found["embedded"]:
        found["redis-server"] = redis
    return found


@contextlib.contextmanager
def store(binary: str) -> Iterator[str]:
    """Run a store whose data are thrown away, and yield its URL."""
    with embedded_store(binary=binary) as url:
        yield url

"""Matches that a Node program played on a real server."""

import fcntl
import json
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from clients.build import build, serving
from tests.budget import cases
from tests.contract.strangers import node


@dataclass(frozen=True)
class Played:
    """What the Node program printed and recorded."""

    lines: list[str]
    records: list[node.Record]


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The host:port of a `dragonhall serve --embedded`."""
    with serving() as target:
        yield target


@pytest.fixture(scope="session")
def played(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, worker_id: str
) -> Played:
    """Matches of known luck, so that a failure can be had again; played once for all workers."""
    own = tmp_path_factory.getbasetemp()
    shared = own if worker_id == "master" else own.parent
    out, printed = shared / "records.json", shared / "printed"
    with (shared / "node.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not printed.exists():
            build("typescript")
            count = cases(ci=20, sweep=200)
            args = ("--matches", str(count), "--out", out, "--luck", "contract")
            done = node.play(request.getfixturevalue("server"), *args)
            assert done.returncode == 0, done.stderr
            printed.write_text(done.stdout)
    return Played(printed.read_text().splitlines(), json.loads(out.read_text()))

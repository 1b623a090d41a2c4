"""Matches that a Node program played on a real server."""

import contextlib
import copy
import fcntl
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from clients.build import build, serving
from tests.budget import cases
from tests.contract.strangers import node


@dataclass(frozen=True)
class Played:
    """What the Node program printed and recorded."""

    lines: list[str]
    records: list[node.Record]
    some: int  # so many of them show what every one would

    def sample(self) -> list[node.Record]:
        """Copy some records, to be tampered with."""
        return copy.deepcopy(self.records[: self.some])


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The host:port of a `dragonhall serve --embedded`."""
    with serving() as target:
        yield target


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder of this run of pytest that all its workers have."""
    own = tmp_path_factory.getbasetemp()
    return own if worker_id == "master" else own.parent


@contextlib.contextmanager
def once(done: Path) -> Iterator[bool]:
    """Tell the first worker that comes to do something, and let the others wait until it is."""
    with done.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield not done.exists()


@pytest.fixture(scope="session")
def client(shared: Path) -> None:
    """Build the TypeScript client; its programs must not be written anew while one runs."""
    built = shared / "built"
    with once(built) as first:
        if first:
            build("typescript")
            built.touch()


@pytest.fixture(scope="session")
def recorded(
    request: pytest.FixtureRequest, shared: Path, client: None
) -> Callable[[str, int, int], Played]:
    """Matches of known luck, so that a failure can be had again; played once for all workers."""

    def record(game: str, count: int, some: int) -> Played:
        out, printed = shared / f"{game}.json", shared / f"{game}.txt"
        with once(printed) as first:
            if first:
                args = ("--game", game, "--matches", str(count), "--out", out, "--luck", "contract")
                done = node.play(request.getfixturevalue("server"), *args)
                assert done.returncode == 0, done.stderr
                printed.write_text(done.stdout)
        return Played(printed.read_text().splitlines(), json.loads(out.read_text()), some)

    return record


@pytest.fixture(scope="session")
def dragonheart(recorded: Callable[[str, int, int], Played]) -> Played:
    """Matches of Dragonheart."""
    return recorded("dragonheart", cases(ci=20, sweep=200), cases(ci=4, sweep=20))


@pytest.fixture(scope="session")
def dragonkeepers(recorded: Callable[[str, int, int], Played]) -> Played:
    """Matches of Dragonkeepers, which are ten times as long."""
    return recorded("dragonkeepers", cases(ci=2, sweep=40), cases(ci=1, sweep=6))


@pytest.fixture(params=["dragonheart", "dragonkeepers"])
def played(request: pytest.FixtureRequest) -> Played:
    """Matches of either game."""
    matches = request.getfixturevalue(request.param)
    assert isinstance(matches, Played)
    return matches

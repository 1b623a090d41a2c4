"""The overlay's cluster when all its pods come back with other addresses."""

import contextlib
import os
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.deploy.check_replicated import NODES, WORDS, Pod, formed, formed_whole
from tests.deploy.stack import free_port, wait_for
from tests.service.driver import Patient, dealt, get, play_on, served

_getaddrinfo = socket.getaddrinfo

GETENT = """#!/bin/sh
awk -v host="$2" '$2 == host {print $1, "STREAM", host}' "$NAMES"
"""


@dataclass
class Names:
    """A DNS, which gives the nodes names: for their scripts, and for servers of this process."""

    folder: Path

    def __post_init__(self) -> None:
        self.folder.mkdir()
        stub = self.folder / "getent"
        stub.write_text(GETENT)
        stub.chmod(0o755)

    def environment(self, host: str) -> dict[str, str]:
        path = f"{self.folder}{os.pathsep}{os.environ['PATH']}"
        return {"SELF": host, "NAMES": str(self.folder / "names"), "PATH": path}

    def say(self, nodes: list[Pod]) -> None:
        lines = [f"{node.host} {node.environment['SELF']}\n" for node in nodes]
        (self.folder / "names").write_text("".join(lines))

    def getaddrinfo(self, host: Any, *args: Any, **more: Any) -> Any:
        lines = (self.folder / "names").read_text().splitlines()
        addresses = {name: address for address, name in map(str.split, lines)}
        return _getaddrinfo(addresses.get(host, host), *args, **more)


@contextlib.contextmanager
def named_nodes(tmp_path: Path, names: Names, hosts: list[str]) -> Iterator[list[Pod]]:
    """Run nodes that have an address each and the same ports, and know the others by name."""
    port, bus = free_port(), free_port()
    made = [
        Pod(tmp_path / f"pod{n}", names.environment(f"redis-{n}.redis"), "node.sh", port, bus)
        for n in range(len(hosts))
    ]
    try:
        housed(made, names, hosts)
        yield made
    finally:
        for node in made:
            node.end()


def housed(nodes: list[Pod], names: Names, hosts: list[str]) -> None:
    """Start all under these addresses."""
    for node, host in zip(nodes, hosts, strict=True):
        node.host = host
        node.start()
    names.say(nodes)


def followed(node: Pod) -> set[str]:
    """Return whom it has tried to follow since its last start."""
    since = (node.folder / "log").read_text().rpartition("Running mode=")[2]
    return set(re.findall(r"Connecting to MASTER (\S+)", since))


HOSTS = [f"127.0.1.{n}" for n in range(1, NODES + 1)]
LATER = {
    "new": [f"127.0.2.{n}" for n in range(1, NODES + 1)],
    "each other's": HOSTS[1:] + HOSTS[:1],
}


@pytest.mark.parametrize("later", LATER)
async def test_a_cluster_finds_itself_again_under_other_addresses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, later: str
) -> None:
    names = Names(tmp_path / "names")
    monkeypatch.setattr(socket, "getaddrinfo", names.getaddrinfo)
    with named_nodes(tmp_path, names, HOSTS) as running:
        made = formed(running)
        assert made.returncode == 0, made.stdout + made.stderr
        wait_for("a cluster", lambda: formed_whole(running))
        places = ",".join(f"{pod.environment['SELF']}:{pod.port}" for pod in running[:3])
        url = f"redis+cluster://dragonhall:{WORDS['SERVICE_PASSWORD']}@{places}"
        async with served(url, plaintext="store") as own:
            stub = Patient(own)
            table = await dealt(stub)
            version = await play_on(stub, table, moves=5)
        for node in running:
            node.end()
        housed(running, names, LATER[later])
        wait_for("a cluster", lambda: formed_whole(running))
        strayed = [node for node in running if len(followed(node)) > 1]
        assert not strayed, "it had the matches of another primary for a while"
        async with served(url, plaintext="store") as own:
            stub = Patient(own)
            assert (await get(stub, table)).match.version == version
            await play_on(stub, table)

"""A server does not start on a store that lacks what its mode promises, and says what that is."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dragonhall_service.app import running_server
from dragonhall_service.config import BadSetting, Settings
from dragonhall_service.embedded import server_binary
from dragonhall_service.store.address import Topology, parse_address
from dragonhall_service.store.promises import (
    Durability,
    Promise,
    _lacking,
    shortcomings,
)
from tests.deploy.stack import free_port, wait_for
from tests.service.driver import SERVE
from tests.service.replicated import SAFE, Member, SentinelSet, sentinel_set

ALONE = {"appendonly": "yes", "appendfsync": "always", "maxmemory-policy": "noeviction"}


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Member]:
    member = Member(server_binary(), tmp_path_factory.mktemp("store"), ALONE | {"save": ""})
    member.start()
    wait_for("the start of a store", member.ready)
    yield member
    member.end()


@pytest.fixture(scope="module")
def sentinels() -> Iterator[SentinelSet]:
    with sentinel_set(SAFE, replicas=1) as running:
        yield running


async def lacking(url: str, durability: str, replicas: int = 1) -> str:
    promise = Promise(parse_address(url), Durability(durability), replicas)
    return "; ".join(lack.text for lack in await shortcomings(promise))


async def test_each_mode_starts_on_what_it_asks_for(alone: Member, sentinels: SentinelSet) -> None:
    for durability in ("safe", "fast"):
        assert await lacking(f"redis://{alone.address}", durability) == ""
        assert await lacking(sentinels.url, durability) == ""


ONE = [
    ("appendfsync", "everysec", "safe", "must have appendfsync always, and has everysec"),
    ("appendfsync", "everysec", "fast", ""),
    ("appendonly", "no", "safe", "must have appendonly yes"),
    ("appendonly", "no", "fast", "must have appendonly yes"),
    ("maxmemory-policy", "allkeys-lru", "safe", "must have maxmemory-policy noeviction"),
    ("maxmemory-policy", "allkeys-lru", "fast", "must have maxmemory-policy noeviction"),
]


@pytest.mark.parametrize(("name", "value", "durability", "told"), ONE)
async def test_one_store(alone: Member, name: str, value: str, durability: str, told: str) -> None:
    alone.ask("CONFIG", "SET", name, value)
    try:
        assert told in (said := await lacking(f"redis://{alone.address}", durability))
        assert bool(told) is bool(said)
    finally:
        alone.ask("CONFIG", "SET", name, ALONE[name])


SEVERAL = [
    ("min-replicas-to-write", "0", "safe", 1, "must have min-replicas-to-write 1 or more"),
    ("min-replicas-to-write", "0", "fast", 1, ""),
    ("min-replicas-max-lag", "60", "safe", 1, "must have min-replicas-max-lag 1 to 10"),
    ("min-replicas-max-lag", "60", "fast", 1, ""),
    ("appendonly", "no", "fast", 1, "must have appendonly yes"),
    ("appendonly", "yes", "safe", 2, "must have 2 replicas online, and has 1"),
    ("appendonly", "yes", "fast", 2, ""),
]


@pytest.mark.parametrize(("name", "value", "durability", "replicas", "told"), SEVERAL)
@pytest.mark.parametrize("which", [0, 1], ids=["primary", "replica"])
async def test_several_stores(
    sentinels: SentinelSet, which: int, name: str, value: str, durability: str, replicas: int,
    told: str,
) -> None:  # fmt: skip
    """The replica's configuration counts, too: it may become the primary."""
    member = sentinels.stores[which]
    before = member.ask("CONFIG", "GET", name)[name]
    member.ask("CONFIG", "SET", name, value)
    try:
        assert told in (said := await lacking(sentinels.url, durability, replicas))
        assert bool(told) is bool(said)
    finally:
        member.ask("CONFIG", "SET", name, before)


def test_too_old_a_release_is_told_and_nothing_else() -> None:
    promise = Promise(parse_address("redis://a:1"), Durability.SAFE, 1)
    told = {"redis_version": "6.2.14"}
    found = list(_lacking(promise, told, {}))
    assert found == ["must be Redis 7.0 or newer, or Valkey, and is 6.2.14"]


async def test_a_user_who_may_not_ask_is_told_so(alone: Member) -> None:
    alone.ask("ACL", "SETUSER", "narrow", "on", ">word", "~*", "&*", "-@all", "+ping", "+hello")
    said = await lacking(f"redis://narrow:word@{alone.address}", "safe")
    assert "must let its user ask INFO and CONFIG GET" in said


@pytest.mark.parametrize("durability", ["safe", "fast"])
async def test_a_node_of_a_cluster_is_no_single_store(tmp_path: Path, durability: str) -> None:
    clustered = {"cluster-enabled": "yes", "cluster-port": str(free_port())}
    node = Member(server_binary(), tmp_path / "node", ALONE | clustered)
    node.start()
    try:
        wait_for("the start of a node", node.ready)
        node.ask("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
        said = await lacking(f"redis://{node.address}", durability)
    finally:
        node.end()
    assert said == ("the store is a node of a cluster: begin the address with redis+cluster://")


@pytest.mark.parametrize("durability", ["safe", "fast"])
async def test_a_sentinel_is_no_store(sentinels: SentinelSet, durability: str) -> None:
    said = await lacking(f"redis://{sentinels.sentinels[0].address}", durability)
    assert said.startswith("the store is a Sentinel: begin the address with redis+sentinel://")


async def test_a_store_that_hides_its_configuration_is_told_so(tmp_path: Path) -> None:
    hidden = {"rename-command": 'CONFIG" "hidden'}
    store = Member(server_binary(), tmp_path / "store", ALONE | hidden)
    store.start()
    try:
        wait_for("the start of a store", store.ready)
        said = await lacking(f"redis://{store.address}", "safe")
    finally:
        store.end()
    assert "must let its user ask INFO and CONFIG GET" in said


async def test_the_server_does_not_start(alone: Member) -> None:
    alone.ask("CONFIG", "SET", "appendfsync", "no")
    settings = Settings(redis_url=f"redis://{alone.address}", listen="127.0.0.1:0", drain_s=0)
    try:
        with pytest.raises(BadSetting, match=r"DURABILITY=safe.*appendfsync always, and has no"):
            async with running_server(settings):
                pass
    finally:
        alone.ask("CONFIG", "SET", "appendfsync", "always")


def test_a_server_whose_store_comes_later_ends_with_2(tmp_path: Path) -> None:
    """Until then it could not be asked."""
    late = Member(server_binary(), tmp_path / "store", ALONE | {"appendfsync": "everysec"})
    arguments = ["serve", "--listen", "127.0.0.1:0", "--redis", f"redis://{late.address}"]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DRAGONHALL_")}
    server = subprocess.Popen(
        [sys.executable, "-c", SERVE, *arguments], stderr=subprocess.PIPE, text=True,
        env=environment | {"DRAGONHALL_LOG_FORMAT": "json", "DRAGONHALL_DRAIN_S": "0"},
    )  # fmt: skip
    assert server.stderr is not None
    assert json.loads(server.stderr.readline())["event"] == "store not asked"
    assert json.loads(server.stderr.readline())["event"] == "serving"
    late.start()
    try:
        said = server.communicate()[1]
    finally:
        late.end()
    assert server.returncode == 2
    assert "must have appendfsync always, and has everysec" in said


@pytest.mark.parametrize(
    ("url", "wrong"),
    [
        ("redis+sentinel://u:hush@a:1,b:2", "name the service"),
        ("redis+sentinel://u:hush@a:1,b/x", "each host must be host:port"),
        ("redis+cluster://u:hush@a:1/x", "nothing after cluster nodes"),
        ("redis+cluster://u:hush@", "each host must be host:port"),
        ("rediss://dragonhall:hush/abc@redis:6379", "write / as %2F"),
        ("rediss+sentinel://u:hush/abc@h:26379/service", "write / as %2F"),
        ("redis+cluster://:hush#abc@h:1", "# as %23"),
        ("redis://:hush", "cannot be read"),
        ("redis://u:hush@h:1?db=hush", "cannot be read"),
        ("redis+cluster://:hush", "each host must be host:port"),
    ],
)
def test_a_bad_address_is_told_without_its_password(url: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong) as refused:
        parse_address(url)
    assert "hush" not in str(refused.value)


def test_an_address_is_understood() -> None:
    address = parse_address("rediss+sentinel://u:p%40ss@[::1]:26379,b:2/x?sentinels=open")
    assert address.topology is Topology.SENTINEL
    assert address.hosts == (("::1", 26379), ("b", 2))
    assert (address.service, address.open_sentinels) == ("x", True)
    assert (address.secure, address.options) == (True, {"username": "u", "password": "p@ss"})
    assert "p@ss" not in repr(address)
    secure = parse_address("rediss+cluster://a:1,b:2?ssl_check_hostname=no")
    assert (secure.secure, secure.options) == (True, {"ssl_check_hostname": False})

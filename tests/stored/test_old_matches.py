"""What each release has stored in the middle of matches is loaded and played to the end (P15)."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from importlib.metadata import version
from typing import Any

import pytest

from dragonhall.cli.replaying import Finished, check_finished
from dragonhall.cli.retelling import Differs
from dragonhall.sdk import Client
from dragonhall.v1 import match_pb2
from dragonhall.v1 import match_service_pb2 as pb
from dragonhall_service.embedded import embedded_store
from dragonhall_service.store.connection import connect
from tests.bench.processes import stores
from tests.budget import cases
from tests.service.driver import metadata, stub_of
from tests.stored import dump
from tests.stored.corpus import FOLDER, hosted, read, seats_of, serving, told
from tests.stored.playing import FAR, Seats

CORPORA = {file.name.removesuffix(".json.gz"): file for file in sorted(FOLDER.iterdir())}
VERSIONS = cases(ci=30, sweep=FAR)
"""A match is played so far on; then seats resign, one after the other."""
AT_ONCE = 4
MONTH_MS = 30 * 24 * 3_600_000
WHEN = {"asOf", "dueTime", "createTime", "commitTime"}
"""These have moved with the dump."""


@asynccontextmanager
async def loaded(
    corpus: Mapping[str, Any], binary: str, slept_ms: int = 0
) -> AsyncIterator[tuple[Client, Any]]:
    """Put a corpus into an empty store as if it was written just now, or so long ago; serve it."""
    later_ms = int(time.time() * 1000) - corpus["taken_ms"] - slept_ms
    with embedded_store(binary=binary) as url:
        async with connect(url, retries=0, connections=2) as raw:
            await dump.put(raw, corpus, later_ms)
        async with serving(url) as client:
            yield client, stub_of(client._channel)


def lost(known: Any, now: Any, where: str = "") -> list[str]:
    """Name what was told then and is told otherwise now; a later release may tell more."""
    if isinstance(known, dict) and isinstance(now, dict):
        names = [name for name in known if name not in WHEN]
        return [fault for n in names for fault in lost(known[n], now.get(n), f"{where}.{n}")]
    if isinstance(known, list) and isinstance(now, list) and len(known) == len(now):
        pairs = enumerate(zip(known, now, strict=True))
        return [fault for n, (a, b) in pairs for fault in lost(a, b, f"{where}[{n}]")]
    return [] if known == now else [f"{where}: {known} has become {now}"]


def left_s(seen: Mapping[str, Any]) -> float:
    """Return what a clock showed, in seconds."""
    clock = seen["match"]["clock"]
    return (_time(clock["dueTime"]) - _time(clock["asOf"])).total_seconds()


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


async def check_known(stub: Any, match: Mapping[str, Any]) -> None:
    """Hold what players are told now against what they were told."""
    seats = seats_of(match)
    for reader, known in match["seen"].items():
        token = seats.tokens[int(reader)] if reader else ""
        now = told(await seats.get(stub, token))
        assert lost(known, now) == [], match["name"]
        if "clock" in known["match"]:
            assert left_s(now) == pytest.approx(left_s(known), abs=60), "it goes on where it was"


async def check_repeat(stub: Any, seats: Seats) -> None:
    """Ask again for the last move: it was made already, and is answered as it was."""
    assert seats.last is not None
    seat, request, answer = seats.last
    again = await stub.SubmitMove(request, metadata=metadata(seats.tokens[seat]))
    assert again.replayed
    assert lost(told(answer), told(again)) == []


async def check_resumption(stub: Any, seats: Seats) -> None:
    """Go on with a watch where it was cut."""
    asked = pb.WatchMatchRequest(match_id=seats.match_id, resume_token=seats.resume_token)
    watch = stub.WatchMatch(asked, metadata=metadata(seats.host))
    message = await watch.read()
    watch.cancel()
    assert message.event.version == int(seats.resume_token.partition("-")[0]) + 1


async def play_to_the_end(client: Client, stub: Any, seats: Seats) -> None:
    """Fill the seats, play on, and check the whole match from its revealed seed."""
    match = (await seats.get(stub)).match
    await seats.join(stub, [seat.seat for seat in match.seats if not seat.taken])
    await seats.play(stub, match.version + VERSIONS)
    while not (await seats.get(stub)).match.HasField("outcome"):
        await seats.resign(stub)
    replay = await client.get_replay(seats.match_id, seats.host)
    events = [event async for event in client.list_events(seats.match_id, seats.host)]
    check_finished(Finished(replay, None, events))


async def check_match(client: Client, stub: Any, match: Mapping[str, Any]) -> None:
    seats = seats_of(match)
    if seats.last:
        await check_repeat(stub, seats)
    if seats.resume_token:
        await check_resumption(stub, seats)
    await play_to_the_end(client, stub, seats)


@pytest.mark.parametrize("kind", sorted(stores()))
@pytest.mark.parametrize("release", CORPORA)
async def test_every_match_goes_on_and_ends(release: str, kind: str) -> None:
    corpus, busy = read(CORPORA[release]), asyncio.Semaphore(AT_ONCE)
    async with loaded(corpus, stores()[kind]) as (client, stub):
        for match in corpus["matches"]:  # before bots move on
            await check_known(stub, match)

        async def check(match: Mapping[str, Any]) -> None:
            async with busy:
                await check_match(client, stub, match)

        async with hosted(client, corpus["bots"]):
            await asyncio.gather(*map(check, corpus["matches"]))


@pytest.mark.parametrize("release", CORPORA)
async def test_what_is_overdue_ends_by_itself(release: str) -> None:
    corpus = read(CORPORA[release])
    async with loaded(corpus, stores()["embedded"], slept_ms=MONTH_MS) as (_, stub):
        for match in corpus["matches"]:
            seats, seen = seats_of(match), match["seen"][""]["match"]
            if seen["phase"] == "MATCH_PHASE_OVER":
                continue
            async with asyncio.timeout(30):
                while (now := (await seats.get(stub)).match).version <= int(seen["version"]):
                    await asyncio.sleep(0.05)
            default = now.options.clock.on_expiry == match_pb2.EXPIRY_ACTION_DEFAULT_MOVE
            if seen["phase"] == "MATCH_PHASE_LOBBY" or (len(now.seats) == 2 and not default):
                await until_over(stub, seats)


async def until_over(stub: Any, seats: Seats) -> None:
    async with asyncio.timeout(30):
        while (await seats.get(stub)).match.phase != match_pb2.MATCH_PHASE_OVER:
            await asyncio.sleep(0.05)


def test_this_release_has_a_corpus() -> None:
    assert version("dragonhall") in CORPORA, "python3 dev.py run python -m tests.stored"


LATE = "dragonheart late"


def spoilt(spoil: Callable[[dict[str, Any], list[Any]], None]) -> dict[str, Any]:
    """Return the newest corpus with one match in it, whose record and log were changed."""
    corpus = read(list(CORPORA.values())[-1])
    (match,) = (match for match in corpus["matches"] if match["name"] == LATE)
    values = {entry["key"].split(":m:")[-1]: entry["value"] for entry in corpus["keys"]}
    spoil(values[match["match_id"]], values[f"{match['match_id']}:log"])
    corpus["matches"] = [match]
    return corpus


def rename(record: dict[str, Any], log: list[Any]) -> None:
    record["name0"] = "another"


def seed_anew(record: dict[str, Any], log: list[Any]) -> None:
    record["seed"] = "t" * 64


def count_down(record: dict[str, Any], log: list[Any]) -> None:
    record["due"] = str(int(record["due"]) - 600_000)


def rewrite(record: dict[str, Any], log: list[Any]) -> None:
    moves = [fields for _, fields in log if "m" in fields]
    other = next(fields["m"] for fields in moves if fields["m"] != moves[0]["m"])
    moves[0]["m"] = other


@pytest.mark.parametrize(
    ("spoil", "heard"),
    [
        (rename, AssertionError),
        (seed_anew, AssertionError),
        (count_down, AssertionError),
        (rewrite, Differs),
    ],
)
async def test_a_planted_change_is_heard(
    spoil: Callable[[dict[str, Any], list[Any]], None], heard: type[Exception]
) -> None:
    corpus = spoilt(spoil)
    with pytest.raises(heard):
        async with loaded(corpus, stores()["embedded"]) as (client, stub):
            await check_known(stub, corpus["matches"][0])
            await check_match(client, stub, corpus["matches"][0])

"""A watch that is cut tells every version once and in order (P8); none goes back unnoticed (P2)."""

from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

import pytest

from dragonhall.v1 import match_service_pb2 as pb
from dragonhall_service.store.connection import connect
from dragonhall_service.store.keys import Keys, keys_of
from dragonhall_service.usecases import feeds, watching
from tests.budget import cases
from tests.contract.watcher import cut_through
from tests.service.driver import Table, dealt, get, legal, served, submission, submit

CUTS = cases(ci=30, sweep=300)
KEPT = 3
"""Few, so that a match of some sixty versions leaves a slow reader behind many times."""
SEED = 20_260_729


@pytest.fixture
def few_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "KEPT_ENTRIES", KEPT)


@pytest.mark.usefixtures("few_kept")
async def test_a_cut_watch_tells_every_version_once(one_store_url: str) -> None:
    cuts, seed = Counter[str](), SEED
    while cuts.total() < CUTS:
        watchers, more = await cut_through(one_store_url, seed, CUTS - cuts.total(), KEPT)
        assert [watcher.whole for watcher in watchers] == [True, True], watchers
        cuts += more
        seed += 1
    print(f"seed {SEED}: {dict(cuts)} in {seed - SEED} matches")
    assert set(cuts) == {"cancel", "overflow", "restart"}


# ---- planted faults -----------------------------------------------------------------------------


def _kept_entries_only(patch: pytest.MonkeyPatch) -> None:
    """Gives a reader who was left behind what is still kept."""
    after = feeds.Tail.after

    def leaky(tail: feeds.Tail, place: feeds.Place) -> Any:
        behind = tail._entries and place.version < tail._entries[0].version - 1
        return tuple(tail._entries) if behind else after(tail, place)

    patch.setattr(feeds.Tail, "after", leaky)


def _tells_twice(patch: pytest.MonkeyPatch) -> None:
    """Tells some versions once more."""
    watch = watching.watch

    async def doubled(*arguments: Any) -> AsyncIterator[Any]:
        async with aclosing(watch(*arguments)) as items:
            async for item in items:
                yield item
                if isinstance(item, watching.News) and item.logged.version % 7 == 0:
                    yield item

    patch.setattr(watching, "watch", doubled)


@pytest.mark.usefixtures("few_kept")
@pytest.mark.parametrize("fault", [_kept_entries_only, _tells_twice])
async def test_a_planted_fault_is_noticed(
    fault: Callable[[pytest.MonkeyPatch], None],
    one_store_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fault(monkeypatch)
    for seed in range(5):
        watchers, _ = await cut_through(one_store_url, seed, 10, KEPT)
        if not all(watcher.whole for watcher in watchers):
            return
    pytest.fail("every version was told once")


# ---- going back ---------------------------------------------------------------------------------


@pytest.fixture
async def stub(one_store_url: str) -> AsyncIterator[Any]:
    async with served(one_store_url, heartbeat_s=0.2) as opened:
        yield opened


@pytest.fixture
async def raw(one_store_url: str) -> AsyncIterator[Any]:
    client = connect(one_store_url, retries=0, connections=2)
    yield client
    await client.aclose()


async def moves(stub: Any, table: Table, count: int, *, which: int = 0) -> None:
    """Make so many moves, each the legal one of that number from the start or end."""
    for _ in range(count):
        seat = (await get(stub, table)).match.seat_to_move
        listed = await legal(stub, table, seat)
        await submit(stub, table, seat, submission(table, listed.version, listed.moves[which]))


async def kept(raw: Any, keys: Keys) -> dict[str, bytes]:
    """Copy a match as it is stored."""
    return {key: await raw.dump(key) for key in (keys.match, keys.log, keys.requests)}


async def put_back(raw: Any, copy: dict[str, bytes]) -> None:
    """Take a match back to what was copied, as a failover that lost writes does."""
    async with raw.pipeline(transaction=True) as at_once:
        for key, value in copy.items():
            at_once.restore(key, 0, value, replace=True)
        await at_once.execute()


async def next_news(call: Any) -> Any:
    while (message := await call.read()).WhichOneof("body") == "heartbeat":
        pass
    return message


def watch(stub: Any, table: Table, resume: str = "") -> Any:
    request = pb.WatchMatchRequest(match_id=table.match_id, resume_token=resume)
    return stub.WatchMatch(request, metadata=table.seated(0), timeout=30)


async def reset_of(stub: Any, table: Table, call: Any, reason: str) -> None:
    """Await a RESET for a reason, with what holds now, and every version after it."""
    message = await next_news(call)
    assert message.WhichOneof("body") == "reset", message
    assert pb.ResetReason.Name(message.reset.reason) == f"RESET_REASON_{reason}"
    now = await get(stub, table, table.seats[0])
    assert message.reset.snapshot.view == now.view
    assert message.reset.snapshot.match.version == now.match.version
    assert message.resume_token == now.resume_token
    await moves(stub, table, 2)
    told = [(await next_news(call)).event.version for _ in range(2)]
    assert told == [now.match.version + 1, now.match.version + 2]
    call.cancel()


@pytest.mark.parametrize("running", [True, False], ids=["while it runs", "on resuming"])
async def test_a_rewound_history_resets_a_watch(stub: Any, raw: Any, running: bool) -> None:
    table = await dealt(stub)
    keys = keys_of(table.match_id)
    await moves(stub, table, 3)
    copy = await kept(raw, keys)
    await moves(stub, table, 4)
    token = (await get(stub, table, table.seats[0])).resume_token
    call = watch(stub, table, token)
    if running:
        assert (await call.read()).WhichOneof("body") == "heartbeat"
    await put_back(raw, copy)
    await reset_of(stub, table, call, "REWOUND")


@pytest.mark.parametrize("running", [True, False], ids=["while it runs", "on resuming"])
async def test_another_history_resets_a_watch(stub: Any, raw: Any, running: bool) -> None:
    table = await dealt(stub)
    keys = keys_of(table.match_id)
    await moves(stub, table, 3)
    before = await kept(raw, keys)
    await moves(stub, table, 1, which=-1)
    another = await kept(raw, keys)
    await put_back(raw, before)
    await moves(stub, table, 1)
    token = (await get(stub, table, table.seats[0])).resume_token
    call = watch(stub, table, token)
    if running:
        assert (await call.read()).WhichOneof("body") == "heartbeat"
    await put_back(raw, another)
    await reset_of(stub, table, call, "DIVERGED")


async def test_a_trimmed_log_resets_a_watch(stub: Any, raw: Any) -> None:
    table = await dealt(stub)
    token = (await get(stub, table, table.seats[0])).resume_token
    await moves(stub, table, 5)
    await raw.xtrim(keys_of(table.match_id).log, maxlen=2, approximate=False)
    await reset_of(stub, table, watch(stub, table, token), "TRIMMED")

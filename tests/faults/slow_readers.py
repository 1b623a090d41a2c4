"""Watchers that stop reading until their window is full: nobody waits for them."""

import asyncio
import signal
import time
from contextlib import AsyncExitStack
from typing import Any

import grpc

from dragonhall.sdk.retry import CHANNEL_OPTIONS
from dragonhall.v1 import match_service_pb2 as pb
from tests.budget import SWEEP, cases
from tests.contract.watcher import Watcher
from tests.deploy.stack import SERVERS
from tests.faults.players import Players
from tests.faults.soak import most_grown_kb, resident_kb
from tests.faults.stored import last_version
from tests.faults.verdicts import Figure, Finding, Work, percentile
from tests.faults.world import World, world
from tests.service.driver import Table, reason_of, request_id
from tests.service.scraping import MATCHES, Scrape

PLAYERS = 8
PAUSE_S = 0.05
READERS = cases(ci=60, sweep=300)
MOVES = cases(ci=300, sweep=1_500)
"""Made by the players before and beside the readers."""
NARROW = (
    *CHANNEL_OPTIONS,
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.http2.lookahead_bytes", 2_048),
    ("grpc.http2.bdp_probe", 0),
)
"""A few events fill the window of a stream; nothing between a reader and its server takes more."""
SETTLED_S = 1.0
STOP_S = 20.0
TWICE, READER_KB = (2.0, 128.0) if SWEEP else (None, None)
"""Of few cases on a busy machine they say nothing: a quick run only tells them."""


async def _reader(stack: AsyncExitStack, target: str, table: Table) -> Watcher:
    """Begin to watch, and read no further than the first message."""
    channel = await stack.enter_async_context(grpc.aio.insecure_channel(target, NARROW))
    watcher = Watcher(channel, table.match_id, "")
    await watcher.read(1)
    return watcher


async def _to_the_end(watcher: Watcher, channel: Any, last: int) -> bool:
    """Read on, and tell whether every version came once, in order, to the last."""
    watcher.channel = channel  # where it goes on if its server has left
    while not watcher.over and watcher.heard[-1:] < [last]:
        await watcher.read(1)
    watcher.cut()
    heard = watcher.heard
    return not watcher.odd and heard == list(range(heard[0], last + 1))


async def _end(stub: Any, table: Table) -> None:
    """Let all seats of a match but the last leave, unless it is over."""
    try:
        for seat in range(len(table.seats) - 1):
            request = pb.ResignMatchRequest(match_id=table.match_id, request_id=request_id())
            await stub.ResignMatch(request, metadata=table.seated(seat))
    except grpc.aio.AioRpcError as refused:
        if reason_of(refused) != "MATCH_OVER":
            raise


def _open_watches(running: World) -> int:
    count = 0.0
    for server in running.servers:
        scrape = Scrape(f"127.0.0.1:{server.metrics_port}")
        count += scrape.value("dragonhall_open_calls", method=f"{MATCHES}WatchMatch")
    return int(count)


async def scenario() -> list[Finding]:
    """Play beside them, stop a server that waits for some of them, then let them read on."""
    async with (
        world() as running,
        running.clients(PLAYERS) as stubs,
        AsyncExitStack() as stack,
        grpc.aio.insecure_channel(running.balancer.target, CHANNEL_OPTIONS) as balanced,
    ):
        players, readers = Players(stubs, pause_s=PAUSE_S), []
        async with players.playing():
            await players.until(MOVES)
            quiet, before = percentile(players.moves, 99), resident_kb(running)
            for number in range(READERS):
                target = running.servers[number % len(running.servers)].target
                table = players.tables[-1 - number % PLAYERS]
                readers.append(await _reader(stack, target, table))
            begun = len(players.moves)
            await players.until(MOVES)
            beside = percentile(players.moves[begun:], 99)
        # Whoever reads is told the end: what is open then waits for a reader.
        await asyncio.gather(*(_end(stubs[0], table) for table in players.tables))
        await asyncio.sleep(SETTLED_S)
        full = await asyncio.to_thread(_open_watches, running)
        grown = most_grown_kb(running, before)
        asked = time.monotonic()
        code = await asyncio.to_thread(running.servers[0].end, signal.SIGTERM)
        stopped_s = time.monotonic() - asked
        heads = {reader.match_id: 0 for reader in readers}
        for match_id in heads:
            heads[match_id] = await last_version(running.raw, match_id)
        whole = await asyncio.gather(
            *(_to_the_end(each, balanced, heads[each.match_id]) for each in readers)
        )
    return [
        Figure("P6", "exit code beside slow readers", code, most=0),
        Figure("P6", "stop beside slow readers", stopped_s, "s", STOP_S),
        Figure("P8", "gaps of slow readers", whole.count(False), most=0),
        Figure("P12", "p99 of moves beside slow readers", beside / quiet, "×", TWICE),
        Figure("P13", "growth a slow reader", grown * SERVERS / READERS, "KiB", READER_KB),
        Work("P8", "readers whose window was full", full, READERS // 3),
    ]

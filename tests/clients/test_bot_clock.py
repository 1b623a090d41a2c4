"""The shipped bots think within the clock of their match, whatever limit they were given."""

import asyncio
import itertools
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from math import inf
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration

from dragonhall.bots.clock import seconds_to_think
from dragonhall.sdk import Client, new_token
from dragonhall.v1 import bot_service_pb2 as pb
from dragonhall.v1 import match_pb2
from dragonhall_service.app import embedded_server
from tests.budget import cases
from tests.clients.test_bot_stream import AWAIT_MOVE, SUPERSEDED, WELCOME, scripted
from tests.clients.test_bots_command import hosting
from tests.service.driver import options

VERSIONS = cases(ci=12, sweep=200)
"""After so many the match may be left; 200 is more than it has."""


def match(left: float, banks: tuple[float, ...] = ()) -> match_pb2.Match:
    reading = match_pb2.ClockReading(banks=[Duration(seconds=int(bank)) for bank in banks])
    reading.as_of.FromSeconds(100)
    reading.due_time.FromNanoseconds(100_000_000_000 + int(left * 1e9))
    return match_pb2.Match(
        options=match_pb2.MatchOptions(clock=match_pb2.Clock(move_limit=Duration(seconds=1))),
        clock=reading,
    )


@pytest.mark.parametrize(
    ("left", "banks", "seconds"),
    [
        (60.0, (), 59.5),
        (1.0, (), 0.5),
        (0.4, (), 0.2),
        (0.0, (), 0.0),
        (-3.0, (), 0.0),
        (41.0, (9.0, 40.0), 2.0),  # a second for the move, and a fortieth of the bank
        (40.0, (9.0, 40.0), 1.0),
        (20.0, (9.0, 40.0), 1.0),  # the bank is being used up already
        (0.6, (9.0, 40.0), 0.3),
    ],
)
def test_a_seat_thinks_for_part_of_what_is_left(
    left: float, banks: tuple[float, ...], seconds: float
) -> None:
    assert seconds_to_think(match(left, banks), 1) == pytest.approx(seconds)


def test_without_a_clock_there_is_no_limit() -> None:
    unhurried = match(1.0)
    unhurried.options.ClearField("clock")
    assert seconds_to_think(unhurried, 0) == inf


async def test_a_search_without_end_does_not_lose_on_time(tmp_path: Path) -> None:
    hurried = options()
    hurried.clock.bank.FromSeconds(20)
    hurried.clock.on_expiry = match_pb2.EXPIRY_ACTION_LOSE
    async with embedded_server() as target, Client(target) as client:
        endless = ("--names", "one=ismcts:999999999,two=ismcts:999999999")
        async with hosting(target, tmp_path / "bots.json", *endless):
            bots = dict(enumerate(("one", "two")))
            played = await client.create_match(new_token(), hurried, bots=bots)
            async for told in client.watch(played.match_id):
                assert not told.event.HasField("seat_left")
                if told.event.version == VERSIONS:
                    break


class OneThread(ThreadPoolExecutor):
    """Knows when a second piece of work has come."""

    def __init__(self) -> None:
        super().__init__(1)
        self.given = itertools.count(1)
        self.second_has_come = threading.Event()

    def submit(self, *work: Any, **more: Any) -> Any:
        if next(self.given) == 2:
            self.second_has_come.set()
        return super().submit(*work, **more)


async def test_what_a_turn_waited_for_a_thread_has_passed() -> None:
    thread, left = OneThread(), []
    asyncio.get_running_loop().set_default_executor(thread)

    def choose(turn: pb.PlayTurn) -> int:
        left.append(seconds_to_think(turn.match, 0))
        assert thread.second_has_come.wait(20)
        over = time.monotonic() + 0.01
        while time.monotonic() < over:
            pass
        return 0

    turns = [pb.PlayResponse(turn=pb.PlayTurn(match=match(60.0))) for _ in range(2)]
    for name, each in zip("mn", turns, strict=True):
        each.turn.match.match_id = name
    async with scripted([WELCOME, *turns, AWAIT_MOVE, AWAIT_MOVE, SUPERSEDED]) as (_, client):
        await client.play("", choose)
    assert left[1] <= 59.5 - 0.01

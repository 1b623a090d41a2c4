"""A watcher that is cut again and again, and goes on with its resume token."""

import asyncio
import random
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import Any

import grpc

from dragonhall.sdk import Client
from dragonhall.sdk.retry import CHANNEL_OPTIONS
from dragonhall.sdk.status import error_of
from dragonhall.v1 import match_service_pb2 as pb
from dragonhall_service.app import running_server
from dragonhall_service.config import Settings
from tests.clients.test_watch import play, seated
from tests.service.driver import metadata, stub_of

RETRY_S = 0.02
MATCH_S = 120
"""A match that takes longer hangs."""


class Host:
    """A server that can be replaced by another one at the same address."""

    def __init__(self, url: str) -> None:
        self._settings = Settings(
            redis_url=url, listen="127.0.0.1:0", drain_s=0, grace_s=0, heartbeat_s=0.2
        )
        self._running = AsyncExitStack()

    @property
    def target(self) -> str:
        return self._settings.listen

    async def __aenter__(self) -> "Host":
        server = await self._running.enter_async_context(running_server(self._settings))
        self._settings = replace(self._settings, listen=server.target)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._running.aclose()

    async def restart(self) -> None:
        await self._running.aclose()
        await self._running.enter_async_context(running_server(self._settings))


@dataclass
class Watcher:
    """One reader of a match.

    Attributes:
        heard: what it was told, in order: versions of events, and of the snapshot it began with.
        odd: what a watch that only goes on must never be told.
    """

    channel: Any
    match_id: str
    token: str
    resume: str = ""
    heard: list[int] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)
    over: bool = False
    _call: Any = None

    async def read(self, most: int) -> None:
        """Read at most so many messages of news; less if the stream breaks or the match ends."""
        while most and not self.over:
            message = await self._next()
            if message is None:
                return
            most -= message.WhichOneof("body") in ("snapshot", "event")

    async def _next(self) -> Any:
        if self._call is None:
            request = pb.WatchMatchRequest(match_id=self.match_id, resume_token=self.resume)
            stub = stub_of(self.channel)
            self._call = stub.WatchMatch(request, metadata=metadata(self.token))
        try:
            message = await self._call.read()
        except grpc.aio.AioRpcError as error:
            expected = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)
            assert error_of(error).code in expected, error
            message = grpc.aio.EOF
        if message is grpc.aio.EOF:
            self._call = None
            await asyncio.sleep(RETRY_S)
            return None
        self._note(message)
        return message

    def _note(self, message: Any) -> None:
        self.resume = message.resume_token
        body = message.WhichOneof("body")
        if body == "event":
            self.heard.append(message.event.version)
            self.over = message.event.HasField("outcome")
        elif body == "snapshot" and not self.heard:
            self.heard.append(message.snapshot.match.version)
        elif body not in ("heartbeat", "draining"):
            self.odd.append(f"{body} after {self.heard[-3:]}")

    def cut(self) -> None:
        """Cancel, as a client that vanishes."""
        if self._call is not None:
            self._call.cancel()
        self._call = None

    @property
    def whole(self) -> bool:
        """Whether it heard everything once and in order, to the end."""
        versions = list(range(self.heard[0], self.heard[-1] + 1)) if self.heard else []
        return self.over and not self.odd and self.heard == versions


KINDS = ("cancel", "cancel", "cancel", "overflow", "overflow", "restart")
"""How a watch is cut: client cancel, a reader left behind by the kept entries, server restart."""


async def cut_through(
    url: str, seed: int, most_cuts: int, kept: int
) -> tuple[list[Watcher], Counter[str]]:
    """Play one match to its end under two watchers, one of which is cut at random points.

    Args:
        kept: how many entries a feed keeps: a reader is left behind by more.
    """
    chance, cuts = random.Random(seed), Counter[str]()
    async with (
        Host(url) as host,
        Client(host.target) as client,
        grpc.aio.insecure_channel(host.target, options=CHANNEL_OPTIONS) as channel,
    ):
        match_id, tokens = await seated(client)
        cut, steady = (Watcher(channel, match_id, token) for token in (tokens[seed % 2], ""))
        async with asyncio.timeout(MATCH_S), asyncio.TaskGroup() as tasks:
            tasks.create_task(play(client, match_id, tokens, 1_000))
            tasks.create_task(_read_all(steady))
            while not cut.over:
                await cut.read(chance.randrange(1, 5))
                kind = chance.choice(KINDS)
                if cuts.total() < most_cuts and not cut.over:
                    cuts[kind] += 1
                    cut.cut()
                    if kind == "restart":
                        await host.restart()
                    elif kind == "overflow":
                        await _left_behind(steady, cut.heard[-1:] or [0], kept)
    return [cut, steady], cuts


async def _read_all(watcher: Watcher) -> None:
    while not watcher.over:
        await watcher.read(1)


async def _left_behind(steady: Watcher, heard: list[int], kept: int) -> None:
    """Wait until the match has gone on by more than a feed keeps, or has ended."""
    while not steady.over and steady.heard[-1:] <= [heard[0] + kept + 1]:
        await asyncio.sleep(RETRY_S)

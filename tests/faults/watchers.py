"""P8: watchers that are cut at random, with lost doorbells: no gap, no duplicate, in order."""

import asyncio
import random
import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import grpc

from dragonhall.sdk.retry import CHANNEL_OPTIONS
from dragonhall_service.usecases.admission import WATCHES_PER_SEAT
from tests.budget import cases
from tests.contract.watcher import Watcher
from tests.deploy.stack import start_again
from tests.faults.history import Verdict
from tests.faults.planted import UNRUNG, program
from tests.faults.players import Players
from tests.faults.stored import last_version
from tests.faults.verdicts import Figure, Finding, Work, percentile
from tests.faults.world import World, world
from tests.service.driver import Table

WATCHERS = 50
PLAYERS = 8
PAUSE_S = 0.1
"""Between two moves of a player: how soon watchers are told is measured on servers with room."""
RESUMES = cases(ci=200, sweep=2_000)
MESSAGES = (1, 12)
"""A watcher reads so many messages, at random, before it is cut."""
MOST_AWAY_S = 0.3
LATE_S = 10.0
"""A watcher who is told nothing for so long, and not of the last version, has a gap."""
P99_S, UNRUNG_S = 0.25, 2.5


@dataclass
class Timed(Watcher):
    """A watcher who notes when it was told what.

    Attributes:
        told: when of each version, with since when the stream had been open.
        last: when anything new was told.
    """

    told: dict[int, tuple[float, float]] = field(default_factory=dict)
    resumes: int = 0
    last: float = field(default_factory=time.monotonic)
    _since: float = 0.0

    async def next(self) -> None:
        """Read one message; a heartbeat is one, too."""
        if self._call is None:
            self._since = 0.0
            self.resumes += bool(self.resume)
        await self._next()

    def _note(self, message: Any) -> None:
        now = time.monotonic()
        self._since = self._since or now
        if message.WhichOneof("body") == "event":
            self.told[message.event.version] = now, self._since
            self.last = now
        super()._note(message)


@dataclass
class Gallery:
    """Watchers of what players play, each at one match after the other.

    Attributes:
        heads: the last version of each match, once nobody plays any more.
    """

    running: World
    players: Players
    resumes: int
    watched: list[Timed] = field(default_factory=list)
    cuts: Counter[str] = field(default_factory=Counter)
    heads: dict[str, int] = field(default_factory=dict)
    chance: random.Random = field(default_factory=lambda: random.Random(8))
    _readers: Counter[str] = field(default_factory=Counter)

    @property
    def enough(self) -> bool:
        """Whether watchers have resumed as often as they were to."""
        return sum(watcher.resumes for watcher in self.watched) >= self.resumes

    async def run(self, kills: int) -> None:
        """Watch until enough is done, then to the last version of each match.

        Args:
            kills: how many servers die meanwhile, and every server's subscription with them.
        """
        async with asyncio.TaskGroup() as tasks:
            for _ in range(WATCHERS):
                tasks.create_task(self._watch())
            async with self.players.playing():
                for number in range(kills):
                    await self._kill(number)
                while not self.enough:
                    await asyncio.sleep(0.1)
            for match_id in {watcher.match_id for watcher in self.watched}:
                self.heads[match_id] = await last_version(self.running.raw, match_id)

    async def _kill(self, number: int) -> None:
        await self.players.until(3 * UNRUNG * PLAYERS)
        await self.running.raw.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
        server = self.running.servers[number % len(self.running.servers)]
        await asyncio.to_thread(server.end, signal.SIGKILL)
        await start_again(server)
        self.cuts["kill"] += 1

    async def _watch(self) -> None:
        options = (*CHANNEL_OPTIONS, ("grpc.use_local_subchannel_pool", 1))
        async with grpc.aio.insecure_channel(self.running.balancer.target, options) as channel:
            while not self.enough:
                if not self.players.tables:
                    await asyncio.sleep(0.05)
                    continue
                table = self.chance.choice(self.players.tables[-PLAYERS:])
                watcher = Timed(channel, table.match_id, self._reader(table))
                self.watched.append(watcher)
                await self._through(watcher)

    def _reader(self, table: Table) -> str:
        """Return a seat's token, or none: a stream that was cut counts until its server knows."""
        token = self.chance.choice((*table.seats, ""))
        self._readers[token] += 1
        return token if self._readers[token] <= WATCHES_PER_SEAT // 2 else ""

    async def _through(self, watcher: Timed) -> None:
        until = self.chance.randrange(*MESSAGES)
        while not self._done(watcher):
            await watcher.next()
            if len(watcher.heard) >= until and not self.enough and not watcher.over:
                watcher.cut()
                self.cuts["cut"] += 1
                await asyncio.sleep(self.chance.uniform(0, MOST_AWAY_S))
                until = len(watcher.heard) + self.chance.randrange(*MESSAGES)
        watcher.cut()

    def _done(self, watcher: Timed) -> bool:
        head = self.heads.get(watcher.match_id)
        late = head is not None and time.monotonic() - watcher.last > LATE_S
        return watcher.over or late or (head is not None and watcher.heard[-1:] >= [head])

    def gaps(self) -> list[Timed]:
        """List the watchers who were not told everything once and in order, to the end."""
        return [w for w in self.watched if not self._whole(w)]

    def _whole(self, watcher: Timed) -> bool:
        heard = watcher.heard
        in_order = bool(heard) and heard == list(range(heard[0], heard[-1] + 1))
        return in_order and not watcher.odd and heard[-1] == self.heads[watcher.match_id]

    def delays(self) -> tuple[list[float], list[float]]:
        """Return how long after its answer each move was told, by whether its doorbell rang.

        Only to those who watched when it was sent: a cut watcher is told later.
        """
        rung: list[float] = []
        unrung: list[float] = []
        answers = {
            (attempt.match_id, attempt.version): attempt
            for attempts in self.players.ledger.attempts.values()
            for attempt in attempts
            if attempt.verdict is Verdict.APPLIED and not attempt.replayed
        }
        for watcher in self.watched:
            for version, (told, since) in watcher.told.items():
                move = answers.get((watcher.match_id, version))
                if move and move.answered is not None and move.sent > since:
                    kind = unrung if (version - 1) % UNRUNG == 0 else rung
                    kind.append(max(0.0, told - move.answered))
        return rung, unrung


async def _cut_through(fault: str, resumes: int, *, kills: int = 0) -> Gallery:
    async with (
        world(serve=program(fault), HEARTBEAT_S="1") as running,
        running.clients(PLAYERS) as stubs,
    ):
        gallery = Gallery(running, Players(stubs, pause_s=PAUSE_S), resumes)
        await gallery.run(kills)
        return gallery


async def scenario() -> list[Finding]:
    """Cut watchers, kill servers and lose doorbells."""
    gallery = await _cut_through("lost doorbells", RESUMES, kills=cases(ci=1, sweep=3))
    gaps = gallery.gaps()
    for watcher in gaps[:5]:
        print(f"P8: over={watcher.over}, odd: {watcher.odd}, heard {watcher.heard}")
    rung, unrung = gallery.delays()
    print(
        f"   {dict(gallery.cuts)}, {len(gallery.watched)} watches, p50 {percentile(rung, 50):.3f} s"
    )
    return [
        Figure("P8", "gaps", len(gaps), most=0),
        Figure("P8", "delivery p99", percentile(rung, 99), "s", P99_S),
        Figure("P8", "longest without a doorbell", max(unrung, default=0.0), "s", UNRUNG_S),
        Work("P8", "resumes", sum(watcher.resumes for watcher in gallery.watched), RESUMES),
        Work("P8", "deliveries", len(rung), RESUMES),
        Work("P8", "without a doorbell", len(unrung), RESUMES // 20),
    ]


async def planted() -> list[Finding]:
    """Watch servers that trust the doorbell: a gap must be seen."""
    gallery = await _cut_through("doorbell as truth", cases(ci=60, sweep=60))
    return [Work("P8", "planted faults caught", bool(gallery.gaps()), 1)]

"""Plays a tournament over the API, from wherever an earlier run of it stopped."""

import asyncio
import shlex
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from dragonhall.sdk import Client
from dragonhall.sdk.retry import Retry
from dragonhall.tournament import host
from dragonhall.tournament.bookkeeping import record_of, replay_of
from dragonhall.tournament.plan import Entrant, Game, Plan
from dragonhall.tournament.processes import kept_alive
from dragonhall.tournament.results import GameRecord, Results
from dragonhall.tournament.setting import options_of
from dragonhall.tournament.sprt import Verdict, decide
from dragonhall.tournament.standings import sprt_scores
from dragonhall.v1 import match_pb2

PATIENCE_S = 600.0
"""A server that is away for longer ends the run; the results so far are kept."""
BOTS_APPEAR_S = 60.0
MOST_ATTEMPTS = 5
"""A game that the server fails so often is given up: that is a bug, not bad luck."""


class Stopped(Exception):
    """The run cannot go on; the text says why. What has been played is kept."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has got; games of earlier runs are done, but took no time of this one."""

    done: int
    size: int
    records: Sequence[GameRecord]
    seconds: float
    played_now: int

    @property
    def seconds_left(self) -> float | None:
        """Return an estimate; None before the first game."""
        if not self.played_now:
            return None
        return self.seconds / self.played_now * (self.size - self.done)


Tell = Callable[[Progress], None]


async def run(results: Results, server: str, tell: Tell) -> list[GameRecord]:
    """Play what has not been played yet and return all records.

    Args:
        server: host:port; "" starts one of the tournament's own, with its data in the folder.
        tell: is told after each game.

    Raises:
        BadPlan: the server knows no such game, edition, seats or bot.
        Stopped: bots or server are not there; a disk is full.
        DragonhallError: the server refused something.
    """
    plan = results.plan()
    async with AsyncExitStack() as stack:
        target = server or await stack.enter_async_context(_own_server(results))
        client = await stack.enter_async_context(Client(target, Retry(budget_s=PATIENCE_S)))
        options = await options_of(client, plan)
        seated = _instances(plan)
        for entrant, names in seated.items():
            for name in names:
                await stack.enter_async_context(_bot(results, plan, target, entrant, name))
        await _bots_appear(client, [name for names in seated.values() for name in names])
        return await _Run(results, plan, client, options, seated, tell).play()


class _Run:
    def __init__(
        self,
        results: Results,
        plan: Plan,
        client: Client,
        options: match_pb2.MatchOptions,
        seated: dict[Entrant, list[str]],
        tell: Tell,
    ) -> None:
        self._results = results
        self._plan = plan
        self._client = client
        self._options = options
        self._seated = seated
        self._tell = tell
        self._records = list(results.games())
        self._played_now = 0
        self._began_s = time.monotonic()

    async def play(self) -> list[GameRecord]:
        counted = {record.key for record in self._records if record.counts}
        waiting = iter([game for game in self._plan.games() if game.key not in counted])
        self._report()
        async with asyncio.TaskGroup() as tables:
            for _ in range(self._plan.concurrency):
                tables.create_task(self._play_each(waiting))
        return self._records

    async def _play_each(self, waiting: Iterable[Game]) -> None:
        for game in waiting:
            if self._is_decided():
                return
            await self._play_game(game)
            self._played_now += 1
            self._report()

    async def _play_game(self, game: Game) -> None:
        attempt = sum(record.key == game.key for record in self._records)
        while attempt < MOST_ATTEMPTS:
            record = await self._attempt(game, attempt)
            try:
                self._results.append(record)
            except OSError as full:
                raise Stopped(f"results cannot be written: {full.strerror}") from full
            self._records.append(record)
            if record.counts:
                return
            attempt += 1
        raise Stopped(f"the server failed game {game.key} {MOST_ATTEMPTS} times")

    async def _attempt(self, game: Game, attempt: int) -> GameRecord:
        """Play a game; the same attempt of an earlier run is found again and played on."""
        client, plan, token = self._client, self._plan, self._results.token("host")
        match = await client.create_match(
            token,
            self._options,
            deal_id=plan.deal_id(game.deal),
            seed=plan.deal_seed(game.deal),
            bots=dict(enumerate(self._names(game))),
            request_id=f"{game.key}-{attempt}",
        )
        async for _ in client.watch(match.match_id, token):
            pass
        replay = await client.get_replay(match.match_id, token)
        events = [event async for event in client.list_events(match.match_id, token)]
        try:
            self._results.keep_replay(game, attempt, replay_of(replay))
        except OSError as full:
            raise Stopped(f"results cannot be written: {full.strerror}") from full
        players = [plan.entrants[number].name for number in game.players]
        return record_of(game, attempt, players, replay, events)

    def _names(self, game: Game) -> list[str]:
        """Return the server's names of the bots by seat: each seat needs a bot of its own."""
        names: list[str] = []
        for seat, number in enumerate(game.players):
            before = game.players[:seat].count(number)
            names.append(self._seated[self._plan.entrants[number]][before])
        return names

    def _is_decided(self) -> bool:
        if self._plan.sprt is None:
            return False
        scores = sprt_scores(self._plan, self._records)
        return decide(scores, self._plan.sprt).verdict is not Verdict.GOES_ON

    def _report(self) -> None:
        done = len({record.key for record in self._records if record.counts})
        seconds = time.monotonic() - self._began_s
        self._tell(Progress(done, self._plan.size, self._records, seconds, self._played_now))


def _instances(plan: Plan) -> dict[Entrant, list[str]]:
    """Name as many bots of each entrant as seats that it takes at once in a game."""
    most = {
        number: max(lineup.count(number) for lineup in plan.lineups())
        for number in range(len(plan.entrants))
    }
    return {
        plan.entrants[number]: [
            plan.entrants[number].name + (f".{n}" if n else "") for n in range(count)
        ]
        for number, count in most.items()
    }


@asynccontextmanager
async def _own_server(results: Results) -> AsyncIterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        target = f"127.0.0.1:{probe.getsockname()[1]}"
    start = "from dragonhall.cli import main; main()"
    command = [sys.executable, "-c", start, "serve", "--embedded", "--listen", target]
    command += ["--data", str(results.folder / "store")]
    settings = {"DRAGONHALL_LOG_LEVEL": "error", "DRAGONHALL_DRAIN_S": "0"}
    async with kept_alive("the server", command, settings):
        yield target


@asynccontextmanager
async def _bot(
    results: Results, plan: Plan, target: str, entrant: Entrant, name: str
) -> AsyncIterator[None]:
    if entrant.is_remote:
        yield
        return
    environment = {
        host.SERVER: target,
        host.NAME: name,
        host.TOKEN: results.token(f"bot {name}"),
        host.GAME: plan.game,
    }
    kind, _, command = entrant.how.partition(":")
    parts = shlex.split(command) if kind == "cmd" else []
    command_line = parts or [sys.executable, "-m", "dragonhall.tournament.host", entrant.how]
    async with kept_alive(name, command_line, environment):
        yield


async def _bots_appear(client: Client, names: Sequence[str]) -> None:
    """Wait until every bot is connected.

    Raises:
        Stopped: one does not come.
    """
    deadline = time.monotonic() + BOTS_APPEAR_S
    while True:
        connected = {bot.name async for bot in client.list_bots() if bot.connected}
        missing = [name for name in names if name not in connected]
        if not missing:
            return
        if time.monotonic() > deadline:
            raise Stopped(f"{', '.join(missing)} did not connect within {BOTS_APPEAR_S:g} s")
        await asyncio.sleep(0.1)

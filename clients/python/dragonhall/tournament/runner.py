"""Plays a tournament over the API, from wherever an earlier run of it stopped."""

import asyncio
import socket
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from dragonhall.sdk import Client
from dragonhall.sdk.errors import NameTaken
from dragonhall.sdk.retry import Retry
from dragonhall.sdk.tls import Tls
from dragonhall.tournament import host
from dragonhall.tournament.bookkeeping import record_of, replay_of, was_deserted
from dragonhall.tournament.plan import BadPlan, Entrant, Game, Plan, Stopped
from dragonhall.tournament.processes import Process, kept_alive
from dragonhall.tournament.results import GameRecord, Results
from dragonhall.tournament.setting import options_of
from dragonhall.tournament.sprt import Verdict, decide
from dragonhall.tournament.standings import sprt_scores
from dragonhall.v1 import match_pb2

PATIENCE_S = 600.0
"""A server that is away for longer ends the run; the results so far are kept."""
BOTS_APPEAR_S = 60.0
MOST_ATTEMPTS = 5
"""A game that the server fails so often in one run is given up: that is a bug, not bad luck."""
OWN_SERVER = {
    "DRAGONHALL_LOG_LEVEL": "error",
    "DRAGONHALL_DRAIN_S": "0",
    "DRAGONHALL_BOT_GRACE_S": "30",
    "DRAGONHALL_QUOTAS": "off",
}
"""A run that comes back after hours has games whose time is up: its bots need some to come back."""


@dataclass(frozen=True, slots=True)
class Server:
    """Where to play.

    Attributes:
        target: host:port; "" starts a server of the tournament's own, with its data in the folder.
        registration_key: what the server wants of bots, if it wants anything.
        tls: how it is reached; None: without TLS.
    """

    target: str = ""
    registration_key: str = ""
    tls: Tls | None = None


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


async def run(results: Results, server: Server, tell: Tell) -> Progress:
    """Play what has not been played yet and return how far that went.

    Args:
        tell: is told after each game.

    Raises:
        ExceptionGroup: of the following, what went wrong first to begin with.
        BadPlan: the server knows no such game, edition, seats or bot, or one of another's name.
        Stopped: bots or server are not there; a disk is full; another process plays.
        DragonhallError: the server refused something.
    """
    plan = results.plan()
    with results.held():
        async with asyncio.TaskGroup() as group, AsyncExitStack() as stack:
            if not server.target:
                if any(entrant.is_remote for entrant in plan.entrants):
                    raise BadPlan("a remote bot must find the server: name one with --server")
                server = Server(await stack.enter_async_context(_own_server(group, results)))
            retry = Retry(budget_s=PATIENCE_S)
            client = await stack.enter_async_context(Client(server.target, retry, server.tls))
            options = await options_of(client, plan)
            hosted = _hosted(results, plan, server)
            for name in hosted:
                await _register(client, results.token(f"bot {name}"), name, plan, server)
            for process in hosted.values():
                await stack.enter_async_context(kept_alive(group, process))
            await _bots_appear(client, plan, hosted)
            return await _Run(results, plan, client, options, tell).play()


class _Run:
    def __init__(
        self,
        results: Results,
        plan: Plan,
        client: Client,
        options: match_pb2.MatchOptions,
        tell: Tell,
    ) -> None:
        self._results = results
        self._plan = plan
        self._client = client
        self._options = options
        self._seated = plan.seated()
        self._tell = tell
        self._records = list(results.games())
        self._attempts = Counter(record.key for record in self._records)
        self._done = {record.key for record in self._records if record.counts}
        self._played_now = 0
        self._began_s = time.monotonic()

    async def play(self) -> Progress:
        waiting = iter([game for game in self._plan.games() if game.key not in self._done])
        self._tell(self._progress())
        async with asyncio.TaskGroup() as tables:
            for _ in range(self._plan.concurrency):
                tables.create_task(self._play_each(waiting))
        return self._progress()

    async def _play_each(self, waiting: Iterable[Game]) -> None:
        for game in waiting:
            if self._is_decided():
                return
            await self._play_game(game)
            self._played_now += 1
            self._tell(self._progress())

    async def _play_game(self, game: Game) -> None:
        for _ in range(MOST_ATTEMPTS):
            record = await self._attempt(game, self._attempts[game.key])
            try:
                self._results.append(record)
            except OSError as full:
                raise Stopped(f"results cannot be written: {full.strerror}") from full
            self._records.append(record)
            self._attempts[game.key] += 1
            if record.counts:
                self._done.add(game.key)
                return
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
        entrants = [plan.entrants[number] for number in game.players]
        hosted = [seat for seat, entrant in enumerate(entrants) if not entrant.is_remote]
        return record_of(
            game,
            attempt,
            [entrant.name for entrant in entrants],
            replay,
            events,
            deserted=was_deserted(replay, match.version, hosted),
        )

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

    def _progress(self) -> Progress:
        done, size = len(self._done), self._plan.size
        seconds = time.monotonic() - self._began_s
        return Progress(done, size, self._records, seconds, self._played_now)


@asynccontextmanager
async def _own_server(group: asyncio.TaskGroup, results: Results) -> AsyncIterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        target = f"127.0.0.1:{probe.getsockname()[1]}"
    start = "from dragonhall.cli import main; main()"
    command = [sys.executable, "-c", start, "serve", "--embedded", "--listen", target]
    command += ["--data", str(results.folder / "store")]
    async with kept_alive(group, Process("the server", command, OWN_SERVER)):
        yield target


def _hosted(results: Results, plan: Plan, server: Server) -> dict[str, Process]:
    """Return the processes of the bots that are not remote, by their names at the server."""
    return {
        name: _bot(results, plan, server, entrant, name)
        for entrant, names in plan.seated().items()
        if not entrant.is_remote
        for name in names
    }


def _bot(results: Results, plan: Plan, server: Server, entrant: Entrant, name: str) -> Process:
    environment = {
        host.SERVER: server.target,
        host.NAME: name,
        host.TOKEN: results.token(f"bot {name}"),
        host.GAME: plan.game,
    }
    if server.tls is not None:
        environment[host.TLS] = host.tls_to_text(server.tls)
    shipped = [sys.executable, "-m", "dragonhall.tournament.host", entrant.how]
    return Process(name, entrant.command or shipped, environment)


async def _register(client: Client, token: str, name: str, plan: Plan, server: Server) -> None:
    """Register a bot before anybody plays: a connected bot of this name may be another's.

    Raises:
        BadPlan: it is another's.
    """
    try:
        await client.register_bot(
            token, name, [plan.game], registration_key=server.registration_key
        )
    except NameTaken:
        raise BadPlan(
            f"{name} is another's at {server.target}: choose a name, as mine=greedy"
        ) from None


async def _bots_appear(client: Client, plan: Plan, hosted: Mapping[str, Process]) -> None:
    """Wait until every bot is connected.

    Raises:
        Stopped: one does not come.
    """
    names = [name for names in plan.seated().values() for name in names]
    deadline = time.monotonic() + BOTS_APPEAR_S
    while True:
        connected = {bot.name async for bot in client.list_bots() if bot.connected}
        missing = [name for name in names if name not in connected]
        if not missing:
            return
        if time.monotonic() > deadline:
            fates = [hosted[name].fate for name in missing if name in hosted]
            why = "; ".join(fate for fate in fates if fate)
            raise Stopped(
                f"{', '.join(missing)} did not connect within {BOTS_APPEAR_S:g} s"
                + (f": {why}" if why else "")
            )
        await asyncio.sleep(0.1)

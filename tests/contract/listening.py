"""Asks a world everything that one reader can ask, and compares two worlds by the answers."""

import base64
import random
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, replace
from typing import Any, Protocol

from dragonhall.v1 import match_service_pb2 as pb
from dragonhall_service.api.boundary import _caller
from dragonhall_service.api.errors import failure_of
from dragonhall_service.api.mapping.games import move_to_proto
from dragonhall_service.api.matches import MatchService
from dragonhall_service.credentials import Caller, caller_of
from dragonhall_service.match import LoggedEntry, MatchRecord, Phase
from dragonhall_service.ports import Applied, Commit, Loaded, Patience, Ports, RequestKey
from dragonhall_service.usecases.admission import Admission
from dragonhall_service.usecases.feeds import Feeds
from dragonhall_service.usecases.refusals import Refusal
from tests.contract.worlds import MATCH_ID, START_MS, TAG, TOKENS, Games, Pair, World

Answer = tuple[bytes, ...]
"""The messages of an answer, or the code, text and trailers of a refusal."""


@dataclass(frozen=True)
class Question:
    """One call.

    Attributes:
        count: how many messages of a stream are awaited.
    """

    method: str
    request: Any
    token: str
    count: int = 1

    def __str__(self) -> str:
        return f"{self.method} {self.request}"


class Line(Protocol):
    """A way to reach a world."""

    async def open(self) -> None:
        """Begin with the world as it is stored."""

    async def ask(self, question: Question) -> Answer: ...


async def differences(pair: Pair, lines: tuple[Line, Line]) -> list[str]:
    """List the questions that are answered differently in the two worlds, or with the seed.

    Both have the same one, from which everything hidden follows.
    """
    heard = [await _everything(pair, line) for line in lines]
    assert len(heard[0]) == len(heard[1])
    different = [name for (name, one), (_, two) in zip(*heard, strict=True) if one != two]
    secrets = _seed_of(pair.worlds[0].record)
    told = [(name, b"".join(answer)) for name, answer in heard[0] if isinstance(answer, tuple)]
    seeded = [name for name, data in told if any(secret in data for secret in secrets)]
    return different + [f"the seed by {name}" for name in seeded]


def _seed_of(record: MatchRecord) -> list[bytes]:
    """Return how a seed may be written: as it is, in hexadecimal, in both kinds of base64."""
    seed, whole = record.seed, record.seed[:63]
    ways = base64.b64encode(whole), base64.urlsafe_b64encode(whole)
    return [seed, seed.hex().encode(), *ways]


async def _everything(pair: Pair, line: Line) -> list[tuple[str, Any]]:
    heard: list[tuple[str, Any]] = []
    await line.open()
    for question in _now(pair):
        heard.append((str(question), await line.ask(question)))
    if pair.move is None:
        return heard
    record = pair.worlds[0].record
    mover = record.seat_to_move
    assert mover is not None
    move = move_to_proto(pair.worlds[0].of.GAME, pair.move)
    done = await line.ask(_submit(TOKENS[mover], record.version, move, "the-move"))
    assert len(done) == 1, done
    versions = len(pb.SubmitMoveResponse.FromString(done[0]).events)
    if mover == pair.reader:
        heard.append((f"answer to {pair.move}", done))
    heard.append(("number of versions", versions))
    for question in _afterwards(pair, versions):
        heard.append((f"after {pair.move}: {question}", await line.ask(question)))
    return heard


def _now(pair: Pair) -> Iterator[Question]:
    token, version = _token(pair), pair.worlds[0].record.version
    kept = random.Random(version).randrange(3, version)
    yield Question("GetMatch", pb.GetMatchRequest(match_id=MATCH_ID), token)
    yield Question("WatchMatch", pb.WatchMatchRequest(match_id=MATCH_ID), token)
    resume = max(kept, version - 3)
    request = pb.WatchMatchRequest(match_id=MATCH_ID, resume_token=f"{resume}-{TAG}")
    if resume < version:
        yield Question("WatchMatch", request, token, version - resume)
    page = pb.ListEventsRequest(match_id=MATCH_ID, page_size=4, page_token=str(kept))
    yield Question("ListEvents", page, token)
    yield Question("ListLegalMoves", pb.ListLegalMovesRequest(match_id=MATCH_ID), token)
    yield Question("ListMatches", pb.ListMatchesRequest(), "")
    yield Question("GetReplay", pb.GetReplayRequest(match_id=MATCH_ID), token)
    for number, attempt in enumerate(pair.attempts):
        move = move_to_proto(pair.worlds[0].of.GAME, attempt)
        yield _submit(token, version + number // 2, move, f"attempt-{number}")


def _afterwards(pair: Pair, versions: int) -> Iterator[Question]:
    token, version = _token(pair), pair.worlds[0].record.version
    request = pb.WatchMatchRequest(match_id=MATCH_ID, resume_token=f"{version}-{TAG}")
    yield Question("WatchMatch", request, token, versions)
    yield Question("GetMatch", pb.GetMatchRequest(match_id=MATCH_ID), token)
    yield Question("ListLegalMoves", pb.ListLegalMovesRequest(match_id=MATCH_ID), token)


def _token(pair: Pair) -> str:
    """Return a seat's token; a spectator is sometimes the host, who may know no more."""
    if pair.reader is not None:
        return TOKENS[pair.reader]
    return TOKENS[-1] if pair.worlds[0].record.version % 2 else ""


def _submit(token: str, version: int, move: Any, name: str) -> Question:
    request = pb.SubmitMoveRequest(
        match_id=MATCH_ID, request_id=name, expected_version=version, move=move
    )
    return Question("SubmitMove", request, token)


# ---- in process ---------------------------------------------------------------------------------


class MemoryStore:
    """One world as a store whose commits get the same tag and time in every world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._record = world.record
        self._added: list[LoggedEntry] = []

    async def load(self, match_id: str, request: RequestKey | None = None) -> Loaded | None:
        return Loaded(self._record, None) if match_id == MATCH_ID else None

    async def commit(self, commit: Commit) -> Applied:
        before = commit.record.version
        versions = range(before + 1, before + 1 + len(commit.entries))
        new = [
            LoggedEntry(version, TAG, START_MS + version, entry)
            for version, entry in zip(versions, commit.entries, strict=True)
        ]
        self._record = replace(commit.record, version=versions[-1], tag=TAG)
        self._added += new
        return Applied(self._record, tuple(new))

    async def entries(self, match_id: str, first: int, limit: int) -> list[LoggedEntry]:
        new = [logged for logged in self._added if logged.version >= first]
        return (self._world.entries(first, limit) + new)[:limit]

    async def public_matches(self, phase: Phase | None, after: str, limit: int) -> Any:
        return [self._record], ""


class SilentBell:
    @contextmanager
    def listen(self, match_id: str, ring: Any) -> Iterator[None]:
        yield


class Direct:
    """Calls the handlers of the API in this process: what they return is what gRPC would send."""

    def __init__(self, world: World, games: Games) -> None:
        self._world = world
        self._games = games

    async def open(self) -> None:
        store: Any = MemoryStore(self._world)
        none: Any = None
        patience = Patience(lobby_ms=3_600_000, idle_ms=3_600_000, bot_grace_ms=0)
        ports = Ports(self._games, store, none, none, patience)
        feeds = Feeds(store, SilentBell())
        self._service = MatchService(ports, feeds, Admission(10, 10), 30.0)

    async def ask(self, question: Question) -> Answer:
        _caller.set(caller_of(question.token) if question.token else Caller())
        handler = getattr(self._service, question.method)
        try:
            if question.method != "WatchMatch":
                return (_bytes(await handler(question.request, None)),)
            told: list[bytes] = []
            async with aclosing(handler(question.request, None)) as messages:
                async for message in messages:
                    told.append(_bytes(message))
                    if len(told) == question.count:
                        break
            return tuple(told)
        except Refusal as refusal:
            failure = failure_of(refusal)
            return (failure.code.name.encode(), failure.message.encode(), repr(failure).encode())


def _bytes(message: Any) -> bytes:
    data: bytes = message.SerializeToString(deterministic=True)
    return data

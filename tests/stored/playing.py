"""Matches as players leave them when a server is replaced: what they know, and what to do next."""

import asyncio
import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from google.protobuf.duration_pb2 import Duration

from dragonhall.v1 import dragonheart_pb2, dragonkeepers_pb2, game_pb2, match_pb2
from dragonhall.v1 import match_service_pb2 as pb
from tests.service.driver import metadata, new_token, request_id

FAR = 1_000_000
"""A version that no match reaches."""
HOUR = Duration(seconds=3600)
LOSE, DEFAULT = match_pb2.EXPIRY_ACTION_LOSE, match_pb2.EXPIRY_ACTION_DEFAULT_MOVE


@dataclass(frozen=True)
class Situation:
    """How far a match has got.

    Attributes:
        edition: None for Dragonheart, else Dragonkeepers'.
        joined: how many seats are taken; None: all.
        moves: how many versions followed the deal; None: until it was over.
        leaves: whether the seat that would move next has resigned.
        bots: names of bots at the first seats.
    """

    name: str
    edition: Any = None
    seats: int = 2
    joined: int | None = None
    moves: int | None = 20
    public: bool = True
    on_expiry: Any = None
    auto_pass: bool = True
    seed: bytes | None = None
    leaves: bool = False
    aborted: bool = False
    bots: tuple[str, ...] = ()

    def options(self) -> match_pb2.MatchOptions:
        """Return what its host chose."""
        if self.edition is None:
            standard = dragonheart_pb2.DRAGONHEART_EDITION_STANDARD
            heart = dragonheart_pb2.DragonheartSetup(edition=standard)
            setup = game_pb2.GameSetup(dragonheart=heart)
        else:
            keepers = dragonkeepers_pb2.DragonkeepersSetup(edition=self.edition, seats=self.seats)
            setup = game_pb2.GameSetup(dragonkeepers=keepers)
        seen = match_pb2.VISIBILITY_PUBLIC if self.public else match_pb2.VISIBILITY_PRIVATE
        options = match_pb2.MatchOptions(setup=setup, visibility=seen, auto_pass=self.auto_pass)
        if self.on_expiry is not None:
            clock = match_pb2.Clock(move_limit=HOUR, bank=HOUR, on_expiry=self.on_expiry)
            options.clock.CopyFrom(clock)
        return options


SOURCE = dragonkeepers_pb2.DRAGONKEEPERS_EDITION_SOURCE
PUBLISHED = dragonkeepers_pb2.DRAGONKEEPERS_EDITION_PUBLISHED
BOTS = ("anna", "bert")

SITUATIONS = (
    Situation("dragonheart lobby", joined=1),
    Situation("dragonheart dealt", moves=0),
    Situation("dragonheart middle", moves=25, public=False),
    Situation("dragonheart late", moves=50, seed=b"s" * 64),
    Situation("dragonheart clock, lose", on_expiry=LOSE),
    Situation("dragonheart clock, default move", on_expiry=DEFAULT, auto_pass=False),
    Situation("dragonheart bots", bots=BOTS, moves=6),
    Situation("dragonheart over", moves=None),
    Situation("dragonheart aborted", moves=0, aborted=True),
    Situation("dragonkeepers lobby of bots and open seats", SOURCE, 4, joined=1, bots=BOTS),
    Situation("dragonkeepers source 2", SOURCE, 2, moves=60),
    Situation("dragonkeepers source 3, left", SOURCE, 3, moves=40, leaves=True),
    Situation("dragonkeepers source 4, clock, left", SOURCE, 4, on_expiry=LOSE, leaves=True),
    Situation("dragonkeepers published 2", PUBLISHED, 2, moves=90, on_expiry=DEFAULT),
    Situation("dragonkeepers published 3", PUBLISHED, 3, moves=30, auto_pass=False),
    Situation("dragonkeepers published 4", PUBLISHED, 4, moves=120, public=False),
    Situation("dragonkeepers published 4, bots", PUBLISHED, 4, moves=10, bots=BOTS),
    Situation("dragonkeepers over", PUBLISHED, 3, moves=None),
)


@dataclass
class Seats:
    """A match with its tokens; plays it on.

    Attributes:
        tokens: of each seat, "" for a bot's or an open one.
        last: the last move asked for and answered, with the seat that made it.
        resume_token: of a place before that move.
    """

    match_id: str
    host: str
    tokens: list[str]
    resume_token: str = ""
    last: tuple[int, pb.SubmitMoveRequest, pb.SubmitMoveResponse] | None = None
    luck: random.Random = field(default_factory=lambda: random.Random(8))

    async def get(self, stub: Any, token: str = "") -> pb.GetMatchResponse:
        """Read the match as a seat, or as its host where nobody else may."""
        asked = pb.GetMatchRequest(match_id=self.match_id)
        response: pb.GetMatchResponse
        response = await stub.GetMatch(asked, metadata=metadata(token or self.host))
        return response

    async def join(self, stub: Any, seats: Iterable[int]) -> None:
        """Take open seats."""
        for seat in seats:
            token = new_token()
            asked = pb.JoinMatchRequest(
                match_id=self.match_id,
                request_id=request_id(),
                token=token,
                seat=seat,
                player_name=f"player {seat}",
                contribution=bytes([seat]),
            )
            await stub.JoinMatch(asked)
            self.tokens[seat] = token

    async def play(self, stub: Any, version: int) -> None:
        """Play random moves up to a version or the end; bots move by themselves meanwhile."""
        while True:
            now = await self.get(stub)
            if now.match.HasField("outcome") or now.match.version >= version:
                return
            if token := self.tokens[now.match.seat_to_move]:
                self.resume_token = now.resume_token
                await self._move(stub, now.match.seat_to_move, token)
            else:
                await asyncio.sleep(0.02)

    async def _move(self, stub: Any, seat: int, token: str) -> None:
        listing = pb.ListLegalMovesRequest(match_id=self.match_id)
        legal = await stub.ListLegalMoves(listing, metadata=metadata(token))
        request = pb.SubmitMoveRequest(
            match_id=self.match_id,
            request_id=request_id(),
            expected_version=legal.version,
            move=self.luck.choice(legal.moves),
        )
        self.last = seat, request, await stub.SubmitMove(request, metadata=metadata(token))

    async def resign(self, stub: Any) -> None:
        """Let the seat leave that must move, as soon as that is no bot; nobody if all is over."""
        while (now := (await self.get(stub)).match).HasField("seat_to_move"):
            if token := self.tokens[now.seat_to_move]:
                asked = pb.ResignMatchRequest(match_id=self.match_id, request_id=request_id())
                await stub.ResignMatch(asked, metadata=metadata(token))
                return
            await asyncio.sleep(0.02)


async def begin(stub: Any, situation: Situation) -> Seats:
    """Play a new match up to a situation; bots, which somebody must host, move by themselves."""
    host, count = new_token(), situation.seats
    asked = pb.CreateMatchRequest(
        request_id=request_id(),
        token=host,
        options=situation.options(),
        seed=situation.seed,
        bots=[pb.BotSeat(seat=seat, bot=name) for seat, name in enumerate(situation.bots)],
    )
    match_id = (await stub.CreateMatch(asked)).match.match_id
    seats = Seats(match_id, host, [""] * count)
    open_ = list(range(len(situation.bots), count))
    await seats.join(stub, open_[: situation.joined])
    if situation.joined is None:
        await seats.play(stub, FAR if situation.moves is None else count + 2 + situation.moves)
    if situation.leaves:
        await seats.resign(stub)
    if situation.aborted:
        abort = pb.AbortMatchRequest(match_id=match_id, request_id=request_id())
        await stub.AbortMatch(abort, metadata=metadata(host))
    return seats

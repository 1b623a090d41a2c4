"""Matches in every situation a call can meet, and good requests for them."""

import random
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from google.protobuf.descriptor import FieldDescriptor as F
from google.protobuf.message import Message

from dragonhall.v1 import (
    bot_service_pb2,
    bot_service_pb2_grpc,
    catalog_service_pb2,
    catalog_service_pb2_grpc,
    match_pb2,
)
from dragonhall.v1 import match_service_pb2 as pb
from dragonhall_service.store.keys import keys_of
from tests.contract.methods import Method
from tests.service.driver import (
    Table,
    get,
    legal,
    metadata,
    new_token,
    request_id,
    stub_of,
)

Metadata = tuple[tuple[str, Any], ...]


@dataclass
class Scene:
    """A match as some caller meets it, and what a good request would say."""

    match_id: str
    token: str
    setup: bytes
    game: str
    name: str
    version: int = 0
    move: bytes = b""

    def good(self, method: Method) -> Message:
        """Make the request that a friendly client would send."""
        request = method.new()
        self._fill(request)
        return request

    def _fill(self, message: Message) -> None:
        known: dict[str, Any] = {
            "match_id": self.match_id,
            "request_id": request_id(),
            "token": new_token(),
            "expected_version": self.version,
            "player_name": "Ann",
            "name": self.name,
            "bot": self.name,
            "games": [self.game],
            "capacity": 1,
        }
        types = {"Move": self.move, "GameSetup": self.setup}
        for spec in message.DESCRIPTOR.fields:
            value = known.get(spec.name)
            if spec.message_type and spec.message_type.name in types:
                getattr(message, spec.name).MergeFromString(types[spec.message_type.name])
            elif isinstance(value, list):
                getattr(message, spec.name).extend(value)
            elif value is not None and not spec.message_type:
                setattr(message, spec.name, value)
            elif spec.name in ("options", "hello"):
                self._fill(getattr(message, spec.name))
            elif spec.type == F.TYPE_ENUM and not spec.has_presence and not spec.is_repeated:
                setattr(message, spec.name, 1)


@dataclass
class Stage:
    """Sets up matches of one game on a real server.

    Attributes:
        raw: a client of the store under the server.
        made: matches that it made itself.
    """

    channel: Any
    raw: Any
    setup: Any
    name: str
    made: set[str] = field(default_factory=set)
    scenes: dict[str, Scene] = field(default_factory=dict)
    _over: Table | None = None

    async def renew(self) -> None:
        """Set all scenes up anew, after a call has changed one of the matches."""
        running, lobby = await self._table(), await self._table(seated=1)
        private, expired = await self._table(public=False), await self._table()
        self._over = self._over or await self._finished()
        await self._expire(expired.match_id)
        seat = (await get(self._stub, running)).match.seat_to_move
        listed = await legal(self._stub, running, seat)
        move = listed.moves[0].SerializeToString()
        stranger, setup = private.seats[0], self.setup.SerializeToString()
        self.scenes = {
            name: Scene(table.match_id, token, setup, self.name, self.name, listed.version, move)
            for name, table, token in [
                ("to move", running, running.seats[seat]),
                ("lobby", lobby, lobby.host),
                ("over", self._over, self._over.seats[0]),
                ("host", running, running.host),
                ("waiting", running, running.seats[seat - 1]),
                ("spectator", running, ""),
                ("stranger", running, stranger),
                ("private", private, ""),
                ("expired", expired, expired.seats[0]),
                ("absent", Table("a" * 26, "", ()), stranger),
            ]
        }
        name, token = await self._bot()
        self.scenes["bot"] = replace(self.scenes["to move"], name=name, token=token)

    @property
    def _stub(self) -> Any:
        return stub_of(self.channel)

    async def _table(self, *, seated: int | None = None, public: bool = True) -> Table:
        """Create a match with all seats taken, or so many."""
        host = new_token()
        visibility = match_pb2.VISIBILITY_PUBLIC if public else match_pb2.VISIBILITY_PRIVATE
        options = match_pb2.MatchOptions(setup=self.setup, visibility=visibility)
        create = pb.CreateMatchRequest(request_id=request_id(), token=host, options=options)
        match = (await self._stub.CreateMatch(create)).match
        self.made.add(match.match_id)
        tokens = [new_token() for _ in match.seats[:seated]]
        for token in tokens:
            join = pb.JoinMatchRequest(
                match_id=match.match_id, request_id=request_id(), token=token
            )
            await self._stub.JoinMatch(join)
        return Table(match.match_id, host, tuple(tokens))

    async def _finished(self) -> Table:
        """End a match by letting all seats but one resign."""
        table = await self._table()
        for seat in range(1, len(table.seats)):
            request = pb.ResignMatchRequest(match_id=table.match_id, request_id=request_id())
            await self._stub.ResignMatch(request, metadata=table.seated(seat))
        return table

    async def _bot(self) -> tuple[str, str]:
        """Register a bot and return its name and token."""
        token, name = new_token(), f"bot-{request_id()}"
        stub: Any = bot_service_pb2_grpc.BotServiceStub(self.channel)
        await stub.RegisterBot(
            bot_service_pb2.RegisterBotRequest(
                request_id=request_id(), token=token, name=name, games=[self.name]
            )
        )
        return name, token

    async def _expire(self, match_id: str) -> None:
        keys = keys_of(match_id)
        for key in (keys.match, keys.log, keys.requests):
            await self.raw.pexpire(key, 1)
        while await self.raw.exists(keys.match, keys.log, keys.requests):
            pass


async def stages(channel: Any, raw: Any) -> list[Stage]:
    """Set up a stage for each game that the server knows."""
    catalog: Any = catalog_service_pb2_grpc.CatalogServiceStub(channel)
    games = (await catalog.ListGames(catalog_service_pb2.ListGamesRequest())).games
    found = [Stage(channel, raw, game.editions[0].setup, game.name) for game in games]
    for stage in found:
        await stage.renew()
    return found


Spoil = Callable[[Scene, random.Random], Metadata]

CALLERS: dict[str, Spoil] = {
    "no token": lambda scene, chance: (),
    "a fresh token": lambda scene, chance: metadata(new_token()),
    "no bearer": lambda scene, chance: (("authorization", scene.token),),
    "basic": lambda scene, chance: (("authorization", f"Basic {scene.token}"),),
    "small bearer": lambda scene, chance: (("authorization", f"bearer {scene.token}"),),
    "empty": lambda scene, chance: (("authorization", ""),),
    "empty bearer": lambda scene, chance: (("authorization", "Bearer "),),
    "padded": lambda scene, chance: (("authorization", f"Bearer {scene.token}="),),
    "cut": lambda scene, chance: (("authorization", f"Bearer {scene.token[:42]}"),),
    "one more": lambda scene, chance: (("authorization", f"Bearer {scene.token}A"),),
    "odd letters": lambda scene, chance: (("authorization", f"Bearer {scene.token[:-1]}+"),),
    "long": lambda scene, chance: (("authorization", "Bearer " + "a" * 129),),
    "very long": lambda scene, chance: (("authorization", "Bearer " + "a" * 6_000),),
    "too long": lambda scene, chance: (("authorization", "Bearer " + "a" * 20_000),),
    "two": lambda scene, chance: metadata(new_token()) + metadata(scene.token),
    "other header": lambda scene, chance: (("authorization-bin", secrets.token_bytes(32)),),
    "binary": lambda scene, chance: (("x-request-bin", chance.randbytes(100)),),
    "proxy headers": lambda scene, chance: (("x-forwarded-for", "127.0.0.1"), ("te", "trailers")),
    "debug": lambda scene, chance: (("grpc-previous-rpc-attempts", "99999999999"),),
}
"""What a stranger may send in place of the token that a scene asks for."""

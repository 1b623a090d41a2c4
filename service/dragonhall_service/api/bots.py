"""The RPCs of BotService: registering bots, and the stream on which they play."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import structlog

from dragonhall.v1 import bot_service_pb2 as pb
from dragonhall.v1 import bot_service_pb2_grpc, match_service_pb2
from dragonhall_service.api import validation
from dragonhall_service.api.boundary import Context, current_caller
from dragonhall_service.api.bugs import report_bug
from dragonhall_service.api.mapping.bots import bot_to_proto, call_to_proto
from dragonhall_service.api.mapping.games import move_input, move_to_proto, view_to_proto
from dragonhall_service.api.mapping.matches import match_to_proto
from dragonhall_service.match import MatchRecord
from dragonhall_service.ports import AnyGame, BotRecord, Doorbell, Ports
from dragonhall_service.usecases import play_items, playing, registering
from dragonhall_service.usecases.feeds import Feeds
from dragonhall_service.usecases.quotas import Kind, Quotas
from dragonhall_service.usecases.refusals import FieldInvalid, draining

_MOST_BOTS, _BOTS = 100, 50
_MOST_CALLS, _CALLS = 500, 100
_MOST_GAMES = 16
_MOST_CAPACITY = 1_000
HELLO_S = 10.0
"""A stream must begin within this."""
_log = structlog.get_logger("dragonhall.bots")


class BotService(bot_service_pb2_grpc.BotServiceServicer):
    """Implements dragonhall.v1.BotService."""

    def __init__(
        self,
        ports: Ports,
        feeds: Feeds,
        doorbell: Doorbell,
        quotas: Quotas,
        registration_key: str,
    ) -> None:
        """Take what use cases need, and the key that bots must show ("": none)."""
        self._ports = ports
        self._feeds = feeds
        self._doorbell = doorbell
        self._quotas = quotas
        self._registration_key = registration_key

    async def RegisterBot(
        self, request: pb.RegisterBotRequest, context: Context
    ) -> pb.RegisterBotResponse:
        """Register a bot."""
        validation.request_id(request.request_id)
        token_hash = validation.token(request.token).token_hash
        assert token_hash is not None
        if not 1 <= len(request.games) <= _MOST_GAMES:
            raise FieldInvalid("games", f"1 to {_MOST_GAMES}")
        bot = BotRecord(validation.bot_name(request.name), token_hash, tuple(request.games))
        registered, replayed = await registering.register_bot(
            self._ports, bot, request.registration_key, self._registration_key
        )
        with registering.having_written():
            return pb.RegisterBotResponse(bot=await self._bot(registered), replayed=replayed)

    async def ListBots(self, request: pb.ListBotsRequest, context: Context) -> pb.ListBotsResponse:
        """List bots; the page token is the last name of the page before."""
        size = validation.page_size(request.page_size, default=_BOTS, most=_MOST_BOTS)
        after = validation.bot_name(request.page_token, "page_token") if request.page_token else ""
        bots = await self._ports.bots.page(after, size)
        more = bots[-1].name if len(bots) == size else ""
        return pb.ListBotsResponse(bots=[await self._bot(b) for b in bots], next_page_token=more)

    async def RevokeBot(
        self, request: pb.RevokeBotRequest, context: Context
    ) -> pb.RevokeBotResponse:
        """Withdraw the caller's bot."""
        name = validation.bot_name(request.name)
        bot = await registering.revoke_bot(self._ports, current_caller(), name)
        with registering.having_written():
            return pb.RevokeBotResponse(bot=await self._bot(bot))

    async def ListBotCalls(
        self, request: pb.ListBotCallsRequest, context: Context
    ) -> pb.ListBotCallsResponse:
        """List what the caller's bot was asked and answered."""
        size = validation.page_size(request.page_size, default=_CALLS, most=_MOST_CALLS)
        calls = await registering.own_calls(self._ports, current_caller(), size)
        return pb.ListBotCallsResponse(calls=[call_to_proto(call) for call in calls])

    async def Play(
        self, request_iterator: AsyncIterator[pb.PlayRequest], context: Context
    ) -> AsyncIterator[pb.PlayResponse]:
        """Play."""
        caller = current_caller()
        bot = await registering.own_bot(self._ports, caller)
        if self._feeds.draining:
            raise draining()
        session = playing.Session(
            self._ports,
            self._feeds,
            self._doorbell,
            caller,
            bot,
            await _hello(request_iterator),
            lambda bug: report_bug(bug, _log),
            lambda: self._quotas.pace_s(Kind.CALL, caller),
        )
        yield pb.PlayResponse(welcome=pb.PlayWelcome(bot=await self._bot(bot)))
        try:
            async with aclosing(session.run(_answers(request_iterator))) as items:
                async for item in items:
                    if response := await self._told(session, item):
                        yield response
        finally:
            await session.close()

    async def _bot(self, bot: BotRecord) -> pb.Bot:
        return bot_to_proto(bot, connected=await self._ports.bots.presence(bot.name) is not None)

    def _game(self, record: MatchRecord) -> AnyGame:
        return self._ports.games[record.options.game]

    async def _told(
        self, session: playing.Session, item: play_items.Outgoing
    ) -> pb.PlayResponse | None:
        """Return what to send; a match that cannot be told ends, and the others go on."""
        try:
            return self._response(item)
        except Exception as bug:
            if not isinstance(item, play_items.Turn | play_items.Ended):
                raise
            await session.fail(item.record.match_id, bug)
            return None

    def _response(self, item: play_items.Outgoing) -> pb.PlayResponse:
        match item:
            case play_items.Turn():
                return pb.PlayResponse(turn=self._turn(item))
            case play_items.Accepted(match_id, version, replayed):
                accepted = pb.PlayAccepted(match_id=match_id, version=version, replayed=replayed)
                return pb.PlayResponse(accepted=accepted)
            case play_items.Refused(match_id, version, refusal):
                refused = pb.PlayRefused(
                    match_id=match_id,
                    version=version,
                    reason=refusal.reason.value,
                    message=refusal.message,
                )
                return pb.PlayResponse(refused=refused)
            case play_items.Ended(record, seat):
                match = match_to_proto(self._game(record), record)
                return pb.PlayResponse(ended=pb.PlayEnded(match=match, seat=seat))
            case play_items.Ping():
                return pb.PlayResponse(ping=pb.PlayPing())
            case play_items.TakenOver():
                return pb.PlayResponse(superseded=match_service_pb2.Superseded())
            case play_items.Stopping():
                return pb.PlayResponse(draining=match_service_pb2.Draining())

    def _turn(self, turn: play_items.Turn) -> pb.PlayTurn:
        game = self._game(turn.record)
        return pb.PlayTurn(
            match=match_to_proto(game, turn.record),
            seat=turn.seat,
            view=view_to_proto(game, game.view(turn.state, turn.seat)),
            moves=[move_to_proto(game, move) for move in turn.moves],
        )


async def _hello(requests: AsyncIterator[pb.PlayRequest]) -> int:
    try:
        async with asyncio.timeout(HELLO_S):
            request = await anext(requests, pb.PlayRequest())
    except TimeoutError:
        request = pb.PlayRequest()
    if request.WhichOneof("body") != "hello":
        raise FieldInvalid("hello", f"a bot says hello first, within {HELLO_S:g} s")
    if request.hello.capacity > _MOST_CAPACITY:
        raise FieldInvalid("hello.capacity", f"0 to {_MOST_CAPACITY}")
    return int(request.hello.capacity)


async def _answers(requests: AsyncIterator[pb.PlayRequest]) -> AsyncIterator[play_items.Incoming]:
    async for request in requests:
        yield _answer(request)


def _answer(request: pb.PlayRequest) -> Any:
    match request.WhichOneof("body"):
        case "move":
            given = request.move
            index = given.index if given.WhichOneof("choice") == "index" else None
            move = move_input(given.move, "move.move") if index is None else None
            match_id = validation.match_id(given.match_id, "move.match_id")
            return play_items.Answer(match_id, given.version, index, move)
        case "resign":
            match_id = validation.match_id(request.resign.match_id, "resign.match_id")
            return play_items.Resignation(match_id)
        case "pong":
            return play_items.Pong()
        case "hello":
            raise FieldInvalid("hello", "once, as the first message")
    raise FieldInvalid("body", "name one")

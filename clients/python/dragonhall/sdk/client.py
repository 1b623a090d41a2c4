"""The client: one connection, any number of matches and tokens."""

from collections.abc import AsyncIterator, Collection, Mapping
from types import TracebackType
from typing import Any, Self

from dragonhall.sdk.play import Choose, Tell, play
from dragonhall.sdk.retry import Retry
from dragonhall.sdk.tls import Tls, open_channel
from dragonhall.sdk.token import new_request_id
from dragonhall.sdk.tracing import trace_metadata
from dragonhall.sdk.watch import watch
from dragonhall.v1 import (
    bot_service_pb2,
    bot_service_pb2_grpc,
    catalog_service_pb2,
    catalog_service_pb2_grpc,
    game_pb2,
    match_pb2,
    match_service_pb2_grpc,
)
from dragonhall.v1 import match_service_pb2 as pb


class Client:
    """Calls a Dragonhall server; answers are messages of `dragonhall.v1`.

    Every method may raise DragonhallError. A call that changes something is sent again with the
    same request_id until it is answered, so it happens once.
    """

    def __init__(self, target: str, retry: Retry | None = None, tls: Tls | None = None) -> None:
        """Connect to `host:port`, without TLS unless it is given; nothing is sent yet."""
        self._channel = open_channel(target, tls)
        self._matches: Any = match_service_pb2_grpc.MatchServiceStub(self._channel)
        self._bots: Any = bot_service_pb2_grpc.BotServiceStub(self._channel)
        self._catalog: Any = catalog_service_pb2_grpc.CatalogServiceStub(self._channel)
        self._retry = retry or Retry()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._channel.close()

    async def _call(self, method: Any, request: Any, token: str = "") -> Any:
        return await self._retry.call(
            lambda deadline_s: method(request, timeout=deadline_s, metadata=_metadata(token))
        )

    async def get_server_info(self) -> catalog_service_pb2.GetServerInfoResponse:
        """Get the server's release and limits."""
        request = catalog_service_pb2.GetServerInfoRequest()
        response: catalog_service_pb2.GetServerInfoResponse
        response = await self._call(self._catalog.GetServerInfo, request)
        return response

    async def get_game(self, name: str, language: str = "") -> catalog_service_pb2.Game:
        """Get one game, such as `dragonheart`, with its text in a language, such as `de`."""
        request = catalog_service_pb2.GetGameRequest(name=name, language=language)
        response: catalog_service_pb2.GetGameResponse
        response = await self._call(self._catalog.GetGame, request)
        return response.game

    async def list_games(self) -> catalog_service_pb2.ListGamesResponse:
        """List the games that the server knows."""
        request = catalog_service_pb2.ListGamesRequest()
        response: catalog_service_pb2.ListGamesResponse
        response = await self._call(self._catalog.ListGames, request)
        return response

    async def create_match(
        self,
        token: str,
        options: match_pb2.MatchOptions | dict[str, Any],
        *,
        deal_id: str | None = None,
        seed: bytes | None = None,
        bots: Mapping[int, str] | None = None,
        request_id: str = "",
    ) -> match_pb2.Match:
        """Create a match with open seats; `token` becomes its host's.

        `options` is a message, or a dictionary of its fields; `bots` names registered bots by the
        seats that they take. The same token and `request_id` find the same match again, after a
        restart too; without one it is a new match.
        """
        given = match_pb2.MatchOptions(**options) if isinstance(options, dict) else options
        request = pb.CreateMatchRequest(
            request_id=request_id or new_request_id(),
            token=token,
            options=given,
            deal_id=deal_id,
            seed=seed,
            bots=[pb.BotSeat(seat=seat, bot=name) for seat, name in (bots or {}).items()],
        )
        response: pb.CreateMatchResponse = await self._call(self._matches.CreateMatch, request)
        return response.match

    async def join_match(
        self,
        match_id: str,
        token: str,
        *,
        player_name: str = "",
        seat: int | None = None,
        contribution: bytes = b"",
    ) -> int:
        """Take a seat, which `token` then holds, and return its number."""
        request = pb.JoinMatchRequest(
            match_id=match_id,
            request_id=new_request_id(),
            token=token,
            seat=seat,
            player_name=player_name,
            contribution=contribution,
        )
        response: pb.JoinMatchResponse = await self._call(self._matches.JoinMatch, request)
        return response.seat

    async def get_match(self, match_id: str, token: str = "") -> pb.GetMatchResponse:
        """Get a match with the view of the token's holder, or a spectator's."""
        request = pb.GetMatchRequest(match_id=match_id)
        response: pb.GetMatchResponse = await self._call(self._matches.GetMatch, request, token)
        return response

    async def list_matches(
        self, phase: match_pb2.MatchPhase.ValueType = match_pb2.MATCH_PHASE_UNSPECIFIED
    ) -> AsyncIterator[match_pb2.Match]:
        """Yield public matches, newest first."""
        place = ""
        while True:
            request = pb.ListMatchesRequest(phase=phase, page_token=place)
            page: pb.ListMatchesResponse = await self._call(self._matches.ListMatches, request)
            for match in page.matches:
                yield match
            place = page.next_page_token
            if not place:
                return

    async def legal_moves(self, match_id: str, token: str) -> pb.ListLegalMovesResponse:
        """List what the token's seat may do now, with the version to submit it at."""
        request = pb.ListLegalMovesRequest(match_id=match_id)
        response: pb.ListLegalMovesResponse
        response = await self._call(self._matches.ListLegalMoves, request, token)
        return response

    async def submit_move(
        self, match_id: str, token: str, expected_version: int, move: game_pb2.Move
    ) -> pb.SubmitMoveResponse:
        """Move; `expected_version` is the version at which the move was chosen."""
        request = pb.SubmitMoveRequest(
            match_id=match_id,
            request_id=new_request_id(),
            expected_version=expected_version,
            move=move,
        )
        response: pb.SubmitMoveResponse
        response = await self._call(self._matches.SubmitMove, request, token)
        return response

    async def resign_match(self, match_id: str, token: str) -> pb.ResignMatchResponse:
        """Give up: the token's seat leaves the match."""
        request = pb.ResignMatchRequest(match_id=match_id, request_id=new_request_id())
        response: pb.ResignMatchResponse
        response = await self._call(self._matches.ResignMatch, request, token)
        return response

    async def abort_match(self, match_id: str, token: str) -> pb.AbortMatchResponse:
        """Call a match off before its first move; `token` is its host's."""
        request = pb.AbortMatchRequest(match_id=match_id, request_id=new_request_id())
        response: pb.AbortMatchResponse
        response = await self._call(self._matches.AbortMatch, request, token)
        return response

    async def list_events(
        self, match_id: str, token: str = "", *, after_version: int = 0
    ) -> AsyncIterator[match_pb2.Event]:
        """Yield the events after a version that there are now, as the caller may know them."""
        place = ""
        while True:
            request = pb.ListEventsRequest(
                match_id=match_id, page_token=place, after_version=after_version
            )
            page: pb.ListEventsResponse
            page = await self._call(self._matches.ListEvents, request, token)
            for event in page.events:
                yield event
            place = page.next_page_token
            if not place:
                return

    async def get_replay(self, match_id: str, token: str = "") -> pb.GetReplayResponse:
        """Get the seed and moves of a finished match."""
        request = pb.GetReplayRequest(match_id=match_id)
        response: pb.GetReplayResponse = await self._call(self._matches.GetReplay, request, token)
        return response

    def watch(
        self, match_id: str, token: str = "", resume_token: str = ""
    ) -> AsyncIterator[pb.WatchMatchResponse]:
        """Yield a snapshot, then every event once and in order, until the match is over.

        A cut or drained stream is resumed where it was; a `reset` says that history changed.
        Heartbeats are passed on.
        """

        def stream(place: str) -> Any:
            request = pb.WatchMatchRequest(match_id=match_id, resume_token=place)
            return self._matches.WatchMatch(request, metadata=_metadata(token))

        return watch(stream, self._retry, resume_token)

    async def register_bot(
        self, token: str, name: str, games: Collection[str], *, registration_key: str = ""
    ) -> bot_service_pb2.Bot:
        """Register a bot, or find that `token` has registered it already."""
        request = bot_service_pb2.RegisterBotRequest(
            request_id=new_request_id(),
            token=token,
            name=name,
            games=games,
            registration_key=registration_key,
        )
        response: bot_service_pb2.RegisterBotResponse
        response = await self._call(self._bots.RegisterBot, request)
        return response.bot

    async def list_bots(self) -> AsyncIterator[bot_service_pb2.Bot]:
        """Yield the bots of the server by name."""
        place = ""
        while True:
            request = bot_service_pb2.ListBotsRequest(page_token=place)
            page: bot_service_pb2.ListBotsResponse
            page = await self._call(self._bots.ListBots, request)
            for bot in page.bots:
                yield bot
            place = page.next_page_token
            if not place:
                return

    async def revoke_bot(self, name: str, token: str) -> bot_service_pb2.Bot:
        """Withdraw the token's own bot."""
        request = bot_service_pb2.RevokeBotRequest(name=name)
        response: bot_service_pb2.RevokeBotResponse
        response = await self._call(self._bots.RevokeBot, request, token)
        return response.bot

    async def list_bot_calls(
        self, token: str, page_size: int = 0
    ) -> bot_service_pb2.ListBotCallsResponse:
        """List the newest calls of the token's own bot, oldest first."""
        request = bot_service_pb2.ListBotCallsRequest(page_size=page_size)
        response: bot_service_pb2.ListBotCallsResponse
        response = await self._call(self._bots.ListBotCalls, request, token)
        return response

    async def play(
        self, token: str, choose: Choose, tell: Tell = lambda response: None, capacity: int = 0
    ) -> None:
        """Answer every turn of the token's bot until a newer stream of it takes over.

        A cut or drained stream is opened anew; open turns then come again.

        Args:
            choose: returns the place of a move in the turn's list; it runs on threads.
            tell: is told of accepted and refused moves and of matches that ended, one after the
                other; it may call this client. No ping is answered meanwhile, so it must be quick.
            capacity: turns wanted at once, 1-1000; 0: as many as there are.
        """
        metadata = _metadata(token)
        await play(lambda: self._bots.Play(metadata=metadata), self._retry, choose, tell, capacity)


def _metadata(token: str) -> tuple[tuple[str, str], ...]:
    known = (("authorization", f"Bearer {token}"),) if token else ()
    return (*known, *trace_metadata())

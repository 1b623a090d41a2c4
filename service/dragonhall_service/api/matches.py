"""The RPCs of MatchService: read the request, call the use case, map the answer."""

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

from dragonhall.v1 import match_pb2, match_service_pb2_grpc
from dragonhall.v1 import match_service_pb2 as pb
from dragonhall_service.api import validation
from dragonhall_service.api.boundary import Context, current_caller
from dragonhall_service.api.mapping.games import move_input, move_to_proto
from dragonhall_service.api.mapping.matches import (
    RESETS,
    event_to_proto,
    match_to_proto,
    replay_to_proto,
    snapshot_to_proto,
    view_of,
)
from dragonhall_service.match import MatchRecord, Phase
from dragonhall_service.ports import AnyGame, Ports
from dragonhall_service.recent import Recent
from dragonhall_service.usecases import ending, moving, opening, reading, watching
from dragonhall_service.usecases.admission import Admission
from dragonhall_service.usecases.course import Done
from dragonhall_service.usecases.feeds import Feeds, Place, place_of
from dragonhall_service.usecases.refusals import Reason, Refusal

_MOST_MATCHES, _MATCHES = 100, 50
_MOST_EVENTS, _EVENTS = 500, 100
_RECENT_NEWS = 512


class MatchService(match_service_pb2_grpc.MatchServiceServicer):
    """Implements dragonhall.v1.MatchService."""

    def __init__(
        self,
        ports: Ports,
        feeds: Feeds,
        admission: Admission,
        heartbeat_s: float,
        sent: Callable[[int], None] = lambda committed_ms: None,
    ) -> None:
        """Take what use cases need.

        Args:
            heartbeat_s: how often a quiet watch is told so.
            sent: is told when a watch was sent news, with the store's time of its commit in ms.
        """
        self._ports = ports
        self._feeds = feeds
        self._admission = admission
        self._heartbeat_s = heartbeat_s
        self._sent = sent
        self._news: Recent[pb.WatchMatchResponse] = Recent(_RECENT_NEWS)

    async def CreateMatch(
        self, request: pb.CreateMatchRequest, context: Context
    ) -> pb.CreateMatchResponse:
        """Create a match."""
        new = opening.NewMatch(
            request_id=validation.request_id(request.request_id),
            options=validation.options(request.options),
            deal_id=validation.deal_id(request.deal_id) if request.HasField("deal_id") else None,
            seed=validation.seed(request.seed) if request.HasField("seed") else None,
            bots=validation.bot_seats(request.bots),
        )
        host = validation.token(request.token)
        record, replayed = await opening.create_match(self._ports, host, new)
        return pb.CreateMatchResponse(match=self._match(record), replayed=replayed)

    async def JoinMatch(
        self, request: pb.JoinMatchRequest, context: Context
    ) -> pb.JoinMatchResponse:
        """Take a seat."""
        join = opening.Join(
            request_id=validation.request_id(request.request_id),
            player_name=validation.player_name(request.player_name),
            seat=validation.seat(request.seat) if request.HasField("seat") else None,
            contribution=validation.contribution(request.contribution),
        )
        match_id, player = validation.match_id(request.match_id), validation.token(request.token)
        joined = await opening.join_match(self._ports, player, match_id, join)
        match = self._match(joined.record)
        return pb.JoinMatchResponse(seat=joined.seat, match=match, replayed=joined.replayed)

    async def GetMatch(self, request: pb.GetMatchRequest, context: Context) -> pb.GetMatchResponse:
        """Return a match and the caller's view."""
        record, role = await self._see(request.match_id)
        return pb.GetMatchResponse(
            match=self._match(record),
            seat=role.seat,
            view=view_of(self._game(record), record, role.seat),
            resume_token=validation.token_of(Place(record.version, record.tag)),
        )

    async def ListMatches(
        self, request: pb.ListMatchesRequest, context: Context
    ) -> pb.ListMatchesResponse:
        """List public matches."""
        size = validation.page_size(request.page_size, default=_MATCHES, most=_MOST_MATCHES)
        after = validation.page_token(request.page_token)
        phase = validation.phase(request.phase)
        records, place = await self._ports.store.public_matches(phase, after, size)
        matches = [self._match(record) for record in records]
        return pb.ListMatchesResponse(matches=matches, next_page_token=place)

    async def ListLegalMoves(
        self, request: pb.ListLegalMovesRequest, context: Context
    ) -> pb.ListLegalMovesResponse:
        """List what the caller's seat may do."""
        record, role = await self._see(request.match_id)
        seat, game = reading.seat_of(current_caller(), role), self._game(record)
        if record.state is None:
            raise Refusal(Reason.NOT_STARTED, "a seat is still open")
        is_over = record.phase is Phase.OVER  # however it ended: its rules may let it go on
        moves = () if is_over else game.legal_moves(game.decode(record.state), seat)
        protos = [move_to_proto(game, move) for move in moves]
        return pb.ListLegalMovesResponse(version=record.version, moves=protos)

    async def SubmitMove(
        self, request: pb.SubmitMoveRequest, context: Context
    ) -> pb.SubmitMoveResponse:
        """Apply a move."""
        submission = moving.Submission(
            request_id=validation.request_id(request.request_id),
            expected_version=request.expected_version,
            move=move_input(request.move, "move"),
        )
        match_id = validation.match_id(request.match_id)
        done = await moving.submit_move(self._ports, current_caller(), match_id, submission)
        return pb.SubmitMoveResponse(**self._done(done))

    async def ResignMatch(
        self, request: pb.ResignMatchRequest, context: Context
    ) -> pb.ResignMatchResponse:
        """Let the caller's seat leave."""
        asked = validation.match_id(request.match_id), validation.request_id(request.request_id)
        done = await ending.resign_match(self._ports, current_caller(), *asked)
        return pb.ResignMatchResponse(**self._done(done))

    async def AbortMatch(
        self, request: pb.AbortMatchRequest, context: Context
    ) -> pb.AbortMatchResponse:
        """Call a match off."""
        asked = validation.match_id(request.match_id), validation.request_id(request.request_id)
        done = await ending.abort_match(self._ports, current_caller(), *asked)
        return pb.AbortMatchResponse(**self._done(done))

    async def WatchMatch(
        self, request: pb.WatchMatchRequest, context: Context
    ) -> AsyncIterator[pb.WatchMatchResponse]:
        """Stream a match."""
        items = watching.watch(
            self._ports,
            self._feeds,
            self._admission,
            current_caller(),
            validation.match_id(request.match_id),
            validation.resume_token(request.resume_token),
            self._heartbeat_s,
        )
        async with aclosing(items):  # a cancelled watch lets go of its feed at once
            async for item in items:
                yield self._message(item)
                # What was committed before the watch began is no news.
                if isinstance(item, watching.News) and _is_new(item):
                    self._sent(item.logged.committed_ms)

    async def ListEvents(
        self, request: pb.ListEventsRequest, context: Context
    ) -> pb.ListEventsResponse:
        """List the events of a match."""
        size = validation.page_size(request.page_size, default=_EVENTS, most=_MOST_EVENTS)
        first = validation.page_number(request.page_token) or request.after_version + 1
        record, role = await self._see(request.match_id)
        log = await reading.log_page(self._ports, record, first, size)
        game, last = self._game(record), log[-1].version if log else record.version
        return pb.ListEventsResponse(
            events=[event_to_proto(game, record, logged, role.seat) for logged in log],
            next_page_token=str(last + 1) if last < record.version else "",
        )

    async def GetReplay(
        self, request: pb.GetReplayRequest, context: Context
    ) -> pb.GetReplayResponse:
        """Return the seed and moves of a finished match."""
        match_id = validation.match_id(request.match_id)
        record = (await reading.replayable(self._ports, current_caller(), match_id)).record
        log = await reading.whole_log(self._ports, record)
        return replay_to_proto(self._game(record), record, log)

    async def _see(self, match_id: str) -> tuple[MatchRecord, Any]:
        caller = current_caller()
        seen = await reading.see(self._ports, caller, validation.match_id(match_id))
        return seen.record, seen.role

    def _game(self, record: MatchRecord) -> AnyGame:
        return self._ports.games[record.options.game]

    def _match(self, record: MatchRecord) -> match_pb2.Match:
        return match_to_proto(self._game(record), record)

    def _done(self, done: Done) -> dict[str, Any]:
        """Return the fields that every response to a commit has."""
        game, reader = self._game(done.record), done.role.seat
        return {
            "version": done.entries[0].version,
            "events": [event_to_proto(game, done.record, e, reader) for e in done.entries],
            "resume_token": validation.token_of(place_of(done.entries[-1])),
            "replayed": done.replayed,
        }

    def _message(self, item: watching.Item) -> pb.WatchMatchResponse:
        def make() -> pb.WatchMatchResponse:
            token = validation.token_of(item.place)
            return pb.WatchMatchResponse(resume_token=token, **self._body(item))

        if not isinstance(item, watching.News):
            return make()
        # All who watch with the same eyes are told the same.
        return self._news.get((item.record.match_id, item.place, item.role.seat), make)

    def _body(self, item: watching.Item) -> dict[str, Any]:
        match item:
            case watching.Snapshot(record, role, reset):
                snapshot = snapshot_to_proto(self._game(record), record, role.seat)
                if reset is None:
                    return {"snapshot": snapshot}
                return {"reset": pb.Reset(reason=RESETS[reset], snapshot=snapshot)}
            case watching.News(record, role, logged):
                return {"event": event_to_proto(self._game(record), record, logged, role.seat)}
            case watching.Quiet():
                return {"heartbeat": pb.Heartbeat()}
            case watching.Drained():
                return {"draining": pb.Draining()}
            case watching.Superseded():
                return {"superseded": pb.Superseded()}


def _is_new(item: watching.News) -> bool:
    return item.logged.version > item.record.version

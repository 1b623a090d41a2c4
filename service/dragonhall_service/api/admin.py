"""The RPCs of AdminService: what operators may ask of one server."""

from dragonhall.v1 import admin_service_pb2 as pb
from dragonhall.v1 import admin_service_pb2_grpc, match_pb2
from dragonhall_service.api import validation
from dragonhall_service.api.boundary import Boundary, Context
from dragonhall_service.api.mapping.matches import match_to_proto
from dragonhall_service.api.mapping.times import duration
from dragonhall_service.leaving import Leaving
from dragonhall_service.match import MatchRecord
from dragonhall_service.ports import Ports
from dragonhall_service.usecases import operating
from dragonhall_service.usecases.operating import Stuck, Trouble, overdue_ms
from dragonhall_service.usecases.refusals import FieldInvalid

OVERDUE_MS = 30_000
_MOST_STUCK, _STUCK = 100, 50
_REASONS = {
    Trouble.OVERDUE: pb.STUCK_REASON_OVERDUE,
    Trouble.CORRUPT: pb.STUCK_REASON_CORRUPT,
    Trouble.TOO_NEW: pb.STUCK_REASON_SCHEMA_TOO_NEW,
    Trouble.ABSENT: pb.STUCK_REASON_ABSENT,
}


class AdminService(admin_service_pb2_grpc.AdminServiceServicer):
    """Implements dragonhall.v1.AdminService; who may call it is the gate's to say."""

    def __init__(self, ports: Ports, leaving: Leaving, public: Boundary) -> None:
        """Take what use cases need, and the boundary of the public listener."""
        self._ports = ports
        self._leaving = leaving
        self._public = public

    async def InspectMatch(
        self, request: pb.InspectMatchRequest, context: Context
    ) -> pb.InspectMatchResponse:
        """Show a match."""
        match_id = validation.match_id(request.match_id)
        record = (await operating.inspect_match(self._ports, match_id)).record
        late = overdue_ms(record)
        return pb.InspectMatchResponse(
            match=self._match(record), overdue=None if late is None else duration(late)
        )

    async def EndMatch(self, request: pb.EndMatchRequest, context: Context) -> pb.EndMatchResponse:
        """End a match."""
        asked = validation.match_id(request.match_id), validation.request_id(request.request_id)
        done = await operating.end_match(self._ports, *asked)
        return pb.EndMatchResponse(match=self._match(done.record), replayed=done.replayed)

    async def ListStuckMatches(
        self, request: pb.ListStuckMatchesRequest, context: Context
    ) -> pb.ListStuckMatchesResponse:
        """List matches that nobody could go on with."""
        late = OVERDUE_MS
        if request.HasField("overdue"):
            late = validation.milliseconds(request.overdue, "overdue")
        size = validation.page_size(request.page_size, default=_STUCK, most=_MOST_STUCK)
        found = await operating.stuck_matches(self._ports, late, size)
        return pb.ListStuckMatchesResponse(matches=[self._stuck(each) for each in found])

    async def RevokeToken(
        self, request: pb.RevokeTokenRequest, context: Context
    ) -> pb.RevokeTokenResponse:
        """Take a token away."""
        request_id = validation.request_id(request.request_id)
        match request.WhichOneof("holder"):
            case "bot":
                await operating.revoke_bot(self._ports, validation.bot_name(request.bot, "bot"))
                return pb.RevokeTokenResponse()
            case "seat":
                match_id = validation.match_id(request.seat.match_id, "seat.match_id")
                seat = validation.seat(request.seat.seat, "seat.seat")
                done = await operating.revoke_seat(self._ports, match_id, seat, request_id)
                return pb.RevokeTokenResponse(match=self._match(done.record))
        raise FieldInvalid("holder", "name a bot or a seat")

    async def DrainServer(
        self, request: pb.DrainServerRequest, context: Context
    ) -> pb.DrainServerResponse:
        """Take this server out of service."""
        self._leaving.begin()
        return pb.DrainServerResponse(
            drained=self._leaving.done, open_calls=len(self._public.running)
        )

    def _match(self, record: MatchRecord) -> match_pb2.Match:
        return match_to_proto(self._ports.games[record.options.game], record)

    def _stuck(self, stuck: Stuck) -> pb.StuckMatch:
        told = pb.StuckMatch(match_id=stuck.match_id, reason=_REASONS[stuck.trouble])
        if stuck.record is not None:
            told.match.CopyFrom(self._match(stuck.record))
            told.overdue.CopyFrom(duration(overdue_ms(stuck.record) or 0))
        return told

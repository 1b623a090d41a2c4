"""What operators ask of one server, on the listener that is theirs alone."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from types import TracebackType
from typing import Any, Self

from google.protobuf.duration_pb2 import Duration

from dragonhall.sdk.retry import Retry
from dragonhall.sdk.tls import Tls, open_channel
from dragonhall.sdk.token import new_request_id
from dragonhall.v1 import admin_service_pb2 as pb
from dragonhall.v1 import admin_service_pb2_grpc, match_pb2


class AdminClient:
    """Calls `AdminService`; every method may raise DragonhallError."""

    def __init__(
        self, target: str, token: str, retry: Retry | None = None, tls: Tls | None = None
    ) -> None:
        """Connect to `host:port` with an operator's token; nothing is sent yet."""
        self._channel = open_channel(target, tls)
        self._stub: Any = admin_service_pb2_grpc.AdminServiceStub(self._channel)
        self._metadata = (("authorization", f"Bearer {token}"),)
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

    async def _call(self, method: Callable[..., Awaitable[Any]], request: Any) -> Any:
        return await self._retry.call(
            lambda deadline_s: method(request, timeout=deadline_s, metadata=self._metadata)
        )

    async def inspect_match(self, match_id: str) -> pb.InspectMatchResponse:
        """Get what everybody may know of any match."""
        request = pb.InspectMatchRequest(match_id=match_id)
        response: pb.InspectMatchResponse = await self._call(self._stub.InspectMatch, request)
        return response

    async def end_match(self, match_id: str) -> match_pb2.Match:
        """End a match; no seat is to blame."""
        request = pb.EndMatchRequest(match_id=match_id, request_id=new_request_id())
        response: pb.EndMatchResponse = await self._call(self._stub.EndMatch, request)
        return response.match

    async def list_stuck_matches(
        self, overdue: timedelta | None = None, page_size: int = 0
    ) -> list[pb.StuckMatch]:
        """List matches whose deadline passed at least so long ago; without it 30 s."""
        request = pb.ListStuckMatchesRequest(page_size=page_size)
        if overdue is not None:
            late = Duration()
            late.FromTimedelta(overdue)
            request.overdue.CopyFrom(late)
        response: pb.ListStuckMatchesResponse
        response = await self._call(self._stub.ListStuckMatches, request)
        return list(response.matches)

    async def revoke_bot(self, name: str) -> None:
        """Withdraw a bot: its token opens nothing any more."""
        request = pb.RevokeTokenRequest(request_id=new_request_id(), bot=name)
        await self._call(self._stub.RevokeToken, request)

    async def revoke_seat(self, match_id: str, seat: int) -> match_pb2.Match:
        """Let a seat leave a running match: its token opens nothing there any more."""
        of_match = pb.SeatOfMatch(match_id=match_id, seat=seat)
        request = pb.RevokeTokenRequest(request_id=new_request_id(), seat=of_match)
        response: pb.RevokeTokenResponse = await self._call(self._stub.RevokeToken, request)
        return response.match

    async def drain_server(self) -> pb.DrainServerResponse:
        """Take the server out of service, or ask how far that is."""
        response: pb.DrainServerResponse
        response = await self._call(self._stub.DrainServer, pb.DrainServerRequest())
        return response

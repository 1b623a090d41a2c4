"""The API through real channels: who sees what, what is refused and how, replays, watches."""

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from dragonhall.v1 import catalog_service_pb2, catalog_service_pb2_grpc, game_pb2, match_pb2
from dragonhall.v1 import match_service_pb2 as pb
from dragonhall_engine.core.game import Setup
from dragonhall_engine.core.replay import replay
from dragonhall_engine.core.rng import Deal
from dragonhall_engine.registry import GAMES
from dragonhall_service.app import running_server
from dragonhall_service.config import Settings
from tests.service.driver import (
    Table,
    dealt,
    get,
    info_of,
    legal,
    metadata,
    new_token,
    options,
    play_on,
    reason_of,
    request_id,
    stub_of,
    submission,
    submit,
)

SERVICE = "/dragonhall.v1.MatchService/"


@pytest.fixture
async def channel(store_url: str) -> AsyncIterator[Any]:
    settings = Settings(redis_url=store_url, listen="127.0.0.1:0", drain_s=0, heartbeat_s=0.2)
    async with (
        running_server(settings) as server,
        grpc.aio.insecure_channel(server.target) as opened,
    ):
        yield opened


@pytest.fixture
def stub(channel: Any) -> Any:
    return stub_of(channel)


async def refused(call: Any) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as failure:
        await call
    return failure.value


@pytest.mark.parametrize(
    "name", ["\0", "\x1b[2J", "a\nb", "\x7f", "\u202eabc", "a\u200bb", "a\u2028b", "x" * 65]
)
async def test_a_name_that_changes_how_others_are_shown_is_refused(stub: Any, name: str) -> None:
    create = pb.CreateMatchRequest(request_id=request_id(), token=new_token(), options=options())
    match_id = (await stub.CreateMatch(create)).match.match_id
    join = pb.JoinMatchRequest(
        match_id=match_id, request_id=request_id(), token=new_token(), player_name=name
    )
    assert reason_of(await refused(stub.JoinMatch(join))) == "FIELD_INVALID"


async def watched(stub: Any, table: Table, token: str = "", resume: str = "") -> list[Any]:
    request = pb.WatchMatchRequest(match_id=table.match_id, resume_token=resume)
    return [message async for message in stub.WatchMatch(request, metadata=metadata(token))]


async def test_a_hand_is_shown_to_its_seat_alone(stub: Any) -> None:
    table = await dealt(stub)
    own = await get(stub, table, table.seats[0])
    assert (own.seat, len(own.view.dragonheart.hand)) == (0, 5)
    for token in ("", table.host):
        other = await get(stub, table, token)
        assert not other.HasField("seat")
        assert not other.view.dragonheart.hand


async def test_absent_foreign_and_private_look_alike(stub: Any) -> None:
    private, other = await dealt(stub, public=False), await dealt(stub)
    absent = Table("a" * 26, "", ())
    calls = [get(stub, absent), get(stub, private), get(stub, other, private.seats[0])]
    errors = [await refused(call) for call in calls]
    assert {(e.code(), e.details(), reason_of(e)) for e in errors} == {
        (grpc.StatusCode.NOT_FOUND, errors[0].details(), "MATCH_NOT_FOUND")
    }
    assert (await get(stub, private, private.host)).match.match_id == private.match_id


async def test_turns_and_rules_are_kept(stub: Any) -> None:
    table = await dealt(stub)
    listed = await legal(stub, table, 0)
    move = listed.moves[0]
    assert not (await legal(stub, table, 1)).moves
    waiting = submission(table, listed.version, move)
    assert reason_of(await refused(submit(stub, table, 1, waiting))) == "NOT_YOUR_TURN"
    illegal = submission(table, listed.version, game_pb2.Move(notation="D1 H1"))
    info = info_of(await refused(submit(stub, table, 0, illegal)))
    assert (info.reason, info.domain) == ("ILLEGAL_MOVE", "dragonhall")
    assert info.metadata["rule"].startswith("DH-4.")
    ahead = submission(table, listed.version + 5, move)
    assert info_of(await refused(submit(stub, table, 0, ahead))).metadata["ahead"] == "true"
    nobody = stub.SubmitMove(submission(table, listed.version, move))
    assert reason_of(await refused(nobody)) == "UNAUTHENTICATED"
    host = stub.SubmitMove(submission(table, listed.version, move), metadata=metadata(table.host))
    assert reason_of(await refused(host)) == "WRONG_ROLE"
    assert (await get(stub, table)).match.version == listed.version


async def test_notation_and_typed_form_are_the_same_move(stub: Any) -> None:
    table = await dealt(stub)
    listed = await legal(stub, table, 0)
    both = game_pb2.Move(notation=listed.moves[1].notation)
    both.dragonheart.CopyFrom(listed.moves[0].dragonheart)
    error = await refused(submit(stub, table, 0, submission(table, listed.version, both)))
    assert info_of(error).metadata["field"] == "move"
    text = game_pb2.Move(notation=listed.moves[0].notation)
    done = await submit(stub, table, 0, submission(table, listed.version, text, "by-text"))
    assert done.events[0].move_made.move == listed.moves[0]
    again = submission(table, listed.version, listed.moves[0], "by-text")
    assert (await submit(stub, table, 0, again)).replayed


@pytest.mark.parametrize(
    ("field", "request_"),
    [
        ("request_id", pb.CreateMatchRequest(request_id="a b", token=new_token())),
        ("token", pb.CreateMatchRequest(request_id="a", token="x", options=options())),
        ("options.setup.game", pb.CreateMatchRequest(request_id="a", token=new_token())),
        (
            "options.start_seat",
            pb.CreateMatchRequest(request_id="a", token=new_token(), options=options(start_seat=2)),
        ),
        (
            "seed",
            pb.CreateMatchRequest(
                request_id="a", token=new_token(), options=options(), seed=b"short"
            ),
        ),
        (
            "deal_id",
            pb.CreateMatchRequest(request_id="a", token=new_token(), options=options(), deal_id=""),
        ),
    ],
)
async def test_a_bad_field_is_named(stub: Any, field: str, request_: Any) -> None:
    error = await refused(stub.CreateMatch(request_))
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert info_of(error).metadata["field"] == field


@pytest.mark.parametrize("data", [b"\xff", b"\x0a\x02\xff\xfe", b"\x0a\x7f"])
async def test_malformed_bytes_are_the_clients_fault(channel: Any, data: bytes) -> None:
    error = await refused(channel.unary_unary(SERVICE + "GetMatch")(data))
    assert (error.code(), reason_of(error)) == (grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED")
    stream = channel.unary_stream(SERVICE + "WatchMatch")(data)
    assert reason_of(await refused(stream.read())) == "MALFORMED"


async def test_a_malformed_token_is_told_so(stub: Any) -> None:
    request = pb.GetMatchRequest(match_id="a" * 26)
    for text in ("Bearer x", "Basic abc"):
        call = stub.GetMatch(request, metadata=(("authorization", text),))
        assert reason_of(await refused(call)) == "UNAUTHENTICATED"


async def test_a_finished_match_replays_from_its_revealed_seed(stub: Any) -> None:
    table = await dealt(stub)
    request = pb.GetReplayRequest(match_id=table.match_id)
    assert reason_of(await refused(stub.GetReplay(request))) == "NOT_FINISHED"
    committed = (await get(stub, table)).match.deal.commitment
    await play_on(stub, table)
    told = await stub.GetReplay(request)
    deal = Deal(told.seed, told.match.deal.deal_id, (b"", b""))
    assert deal.commitment == committed
    game = GAMES["dragonheart"]
    moves = [(move.seat, game.parse_move(move.move.notation)) for move in told.moves]
    *_, last = replay(game, Setup("standard", 2, 0), deal, moves)
    scores = [result.score for result in told.match.outcome.results]
    outcome = game.outcome(last)
    assert outcome is not None
    assert [seat.score for seat in outcome.seats] == scores


async def test_a_watch_tells_every_version_once_and_ends_with_the_outcome(stub: Any) -> None:
    table = await dealt(stub)
    first = await get(stub, table, table.seats[0])
    end = await play_on(stub, table)
    events = await watched(stub, table, table.seats[0], first.resume_token)
    assert [message.event.version for message in events] == list(range(4, end + 1))[1:]
    assert events[-1].event.HasField("outcome")
    resumed = await watched(stub, table, "", events[9].resume_token)
    assert [m.event.version for m in resumed] == [m.event.version for m in events[10:]]
    over = await watched(stub, table)
    assert [message.WhichOneof("body") for message in over] == ["snapshot"]
    assert not await watched(stub, table, "", events[-1].resume_token)
    fork = f"{events[3].event.version}-{'0' * 16}"
    reset = await watched(stub, table, "", fork)
    assert reset[0].reset.reason == pb.RESET_REASON_DIVERGED


async def test_a_quiet_watch_beats(stub: Any) -> None:
    table = await dealt(stub)
    call = stub.WatchMatch(pb.WatchMatchRequest(match_id=table.match_id))
    bodies = [(await call.read()).WhichOneof("body") for _ in range(3)]
    assert bodies == ["snapshot", "heartbeat", "heartbeat"]
    call.cancel()


async def test_events_come_in_pages(stub: Any) -> None:
    table = await dealt(stub)
    end = await play_on(stub, table, moves=7)
    seen, page = [], ""
    while True:
        request = pb.ListEventsRequest(match_id=table.match_id, page_size=3, page_token=page)
        response = await stub.ListEvents(request, metadata=table.seated(1))
        seen += [event.version for event in response.events]
        if not (page := response.next_page_token):
            break
    assert seen == list(range(1, end + 1))


async def test_public_matches_are_listed(stub: Any) -> None:
    public, private = await dealt(stub), await dealt(stub, public=False)
    request = pb.ListMatchesRequest(phase=match_pb2.MATCH_PHASE_RUNNING, page_size=100)
    listed = [match.match_id for match in (await stub.ListMatches(request)).matches]
    assert public.match_id in listed
    assert private.match_id not in listed


async def test_a_token_holds_one_seat(stub: Any) -> None:
    table = await dealt(stub)
    join = pb.JoinMatchRequest(
        match_id=table.match_id, request_id=request_id(), token=table.seats[0]
    )
    assert info_of(await refused(stub.JoinMatch(join))).metadata["own_seat"] == "0"


async def test_the_catalog_health_and_reflection_answer(channel: Any) -> None:
    catalog: Any = catalog_service_pb2_grpc.CatalogServiceStub(channel)
    games = (await catalog.ListGames(catalog_service_pb2.ListGamesRequest())).games
    assert [game.name for game in games] == sorted(GAMES)
    unknown = catalog.GetGame(catalog_service_pb2.GetGameRequest(name="chess"))
    assert reason_of(await refused(unknown)) == "GAME_NOT_FOUND"
    health: Any = health_pb2_grpc.HealthStub(channel)
    asked = health_pb2.HealthCheckRequest(service="dragonhall.v1.MatchService")
    call = health.Watch(asked)
    while (await call.read()).status != health_pb2.HealthCheckResponse.SERVING:
        pass
    call.cancel()
    reflection: Any = reflection_pb2_grpc.ServerReflectionStub(channel)
    names = reflection.ServerReflectionInfo(
        iter([reflection_pb2.ServerReflectionRequest(list_services="")])
    )
    listed = [s.name async for r in names for s in r.list_services_response.service]
    assert "dragonhall.v1.MatchService" in listed

"""How the reasons of the error table come about that callers are the cause of, tried for real."""

from typing import Any

from dragonhall.v1 import admin_service_pb2 as admin
from dragonhall.v1 import catalog_service_pb2 as catalog
from dragonhall.v1 import (
    catalog_service_pb2_grpc,
    game_pb2,
    match_pb2,
)
from dragonhall.v1 import match_service_pb2 as pb
from tests.contract.provoking import At, provokes
from tests.service.driver import Table, dealt, get, metadata, new_token, options, request_id

# ---- requests -----------------------------------------------------------------------------------


@provokes("MALFORMED", "GetMatch")
async def bytes_of_no_message(at: At) -> None:
    await at.channel.unary_unary("/dragonhall.v1.MatchService/GetMatch")(b"\xff")


@provokes("MALFORMED", "WatchMatch")
async def bytes_of_no_message_to_a_stream(at: At) -> None:
    await at.channel.unary_stream("/dragonhall.v1.MatchService/WatchMatch")(b"\x0a\xff").read()


@provokes("FIELD_INVALID", "CreateMatch", field="options.setup.game")
async def no_game(at: At) -> None:
    await at.stub.CreateMatch(pb.CreateMatchRequest(request_id="a", token=new_token()))


@provokes("FIELD_INVALID", "SubmitMove", field="move.notation")
async def a_move_in_no_notation(at: At) -> None:
    await at.move(await dealt(at.stub), move=game_pb2.Move(notation="a dragon"))


@provokes("REQUEST_ID_REUSED", "CreateMatch")
async def another_match_with_the_same_request_id(at: At) -> None:
    token = new_token()
    for public in (True, False):
        request = pb.CreateMatchRequest(
            request_id="same", token=token, options=options(public=public)
        )
        await at.stub.CreateMatch(request)


@provokes("REQUEST_ID_REUSED", "JoinMatch")
async def another_name_with_the_same_request_id(at: At) -> None:
    table, token = await at.lobby(), new_token()
    for name in ("Ann", "Ben"):
        await at.join(table, token, "same", player_name=name)


@provokes("UNAUTHENTICATED", "SubmitMove")
async def a_move_without_a_token(at: At) -> None:
    await at.move(await dealt(at.stub), token="")


@provokes("UNAUTHENTICATED", "GetMatch")
async def a_token_that_is_none(at: At) -> None:
    await get(at.stub, await dealt(at.stub), "short")


@provokes("WRONG_ROLE", "SubmitMove")
async def a_move_of_the_host(at: At) -> None:
    table = await dealt(at.stub)
    await at.move(table, token=table.host)


@provokes("WRONG_ROLE", "AbortMatch")
async def a_seat_that_aborts(at: At) -> None:
    table = await dealt(at.stub)
    request = pb.AbortMatchRequest(match_id=table.match_id, request_id="a")
    await at.stub.AbortMatch(request, metadata=table.seated(0))


# ---- matches ------------------------------------------------------------------------------------


@provokes("MATCH_NOT_FOUND", "GetMatch")
async def an_absent_match(at: At) -> None:
    await at.stub.GetMatch(pb.GetMatchRequest(match_id="a" * 26))


@provokes("MATCH_NOT_FOUND", "GetMatch")
async def a_private_match(at: At) -> None:
    await get(at.stub, await dealt(at.stub, public=False))


@provokes("MATCH_NOT_FOUND", "GetMatch")
async def a_foreign_token(at: At) -> None:
    await get(at.stub, await dealt(at.stub), new_token())


@provokes("GAME_NOT_FOUND", "GetGame")
async def chess(at: At) -> None:
    stub: Any = catalog_service_pb2_grpc.CatalogServiceStub(at.channel)
    await stub.GetGame(catalog.GetGameRequest(name="chess"))


@provokes("SEAT_TAKEN", "JoinMatch")
async def a_seat_that_is_taken(at: At) -> None:
    table = await at.lobby()
    for _ in range(2):
        await at.join(table, new_token(), seat=0)


@provokes("SEAT_TAKEN", "JoinMatch", own_seat="0")
async def a_second_seat_for_one_token(at: At) -> None:
    table, token = await at.lobby(), new_token()
    for _ in range(2):
        await at.join(table, token)


@provokes("NOT_STARTED", "ListLegalMoves")
async def moves_before_the_deal(at: At) -> None:
    table, token = await at.lobby(), new_token()
    await at.join(table, token)
    request = pb.ListLegalMovesRequest(match_id=table.match_id)
    await at.stub.ListLegalMoves(request, metadata=metadata(token))


@provokes("ALREADY_STARTED", "AbortMatch")
async def aborting_after_a_move(at: At) -> None:
    table = await dealt(at.stub)
    await at.move(table)
    request = pb.AbortMatchRequest(match_id=table.match_id, request_id="a")
    await at.stub.AbortMatch(request, metadata=metadata(table.host))


@provokes("NOT_YOUR_TURN", "SubmitMove")
async def a_move_of_another_seat(at: At) -> None:
    table = await dealt(at.stub)
    await at.move(table, token=table.seats[1])


@provokes("ILLEGAL_MOVE", "SubmitMove", rule=None, code=None)
async def a_move_against_the_rules(at: At) -> None:
    await at.move(await dealt(at.stub), move=game_pb2.Move(notation="D1 H1"))


@provokes("MATCH_OVER", "ResignMatch")
async def resigning_twice(at: At) -> None:
    table = await dealt(at.stub)
    for _ in range(2):
        await at.resign(table)


@provokes("SEAT_LEFT", "ResignMatch")
async def resigning_twice_while_others_play_on(at: At) -> None:
    stub: Any = catalog_service_pb2_grpc.CatalogServiceStub(at.channel)
    game = (await stub.GetGame(catalog.GetGameRequest(name="dragonkeepers"))).game
    chosen = match_pb2.MatchOptions(
        setup=game.editions[0].setup, visibility=match_pb2.VISIBILITY_PUBLIC
    )
    request = pb.CreateMatchRequest(request_id="a", token=new_token(), options=chosen)
    match = (await at.stub.CreateMatch(request)).match
    table = Table(match.match_id, request.token, tuple(new_token() for _ in match.seats))
    for token in table.seats:
        await at.join(table, token)
    for _ in range(2):
        await at.resign(table)


@provokes("NOT_FINISHED", "GetReplay")
async def a_replay_of_a_running_match(at: At) -> None:
    table = await dealt(at.stub)
    await at.stub.GetReplay(pb.GetReplayRequest(match_id=table.match_id))


@provokes("VERSION_CONFLICT", "SubmitMove", current_version="4")
async def a_move_for_an_earlier_version(at: At) -> None:
    await at.move(await dealt(at.stub), expected_version=3)


@provokes("VERSION_CONFLICT", "SubmitMove", current_version="4", ahead="true")
async def a_move_for_a_version_that_is_not_there(at: At) -> None:
    await at.move(await dealt(at.stub), expected_version=5)


# ---- bots ---------------------------------------------------------------------------------------


@provokes("NAME_TAKEN", "RegisterBot")
async def a_second_bot_of_one_name(at: At) -> None:
    name = f"bot-{request_id()[:20]}"
    for _ in range(2):
        await at.register(name)


@provokes("BOT_NOT_FOUND", "CreateMatch")
async def a_seat_for_an_absent_bot(at: At) -> None:
    seat = pb.BotSeat(seat=0, bot="nobody")
    await at.stub.CreateMatch(
        pb.CreateMatchRequest(request_id="a", token=new_token(), options=options(), bots=[seat])
    )


@provokes("REGISTRATION_REFUSED", "RegisterBot")
async def a_bot_without_the_key(at: At) -> None:
    await at.register("keyless", key="another")


# ---- operators ----------------------------------------------------------------------------------


@provokes("UNAUTHENTICATED", "InspectMatch")
async def an_operator_without_a_token(at: At) -> None:
    await at.admin.InspectMatch(admin.InspectMatchRequest(match_id="a" * 26))


@provokes("WRONG_ROLE", "DrainServer")
async def a_token_that_is_no_operators(at: At) -> None:
    await at.admin.DrainServer(admin.DrainServerRequest(), metadata=metadata(new_token()))


@provokes("FIELD_INVALID", "RevokeToken", field="holder")
async def revoking_nobodys_token(at: At) -> None:
    request = admin.RevokeTokenRequest(request_id="a")
    await at.admin.RevokeToken(request, metadata=at.operator)


@provokes("NOT_STARTED", "RevokeToken")
async def revoking_a_seat_before_the_deal(at: At) -> None:
    seat = admin.SeatOfMatch(match_id=(await at.lobby()).match_id, seat=0)
    request = admin.RevokeTokenRequest(request_id="a", seat=seat)
    await at.admin.RevokeToken(request, metadata=at.operator)


@provokes("MATCH_OVER", "EndMatch")
async def ending_a_match_twice(at: At) -> None:
    table = await dealt(at.stub)
    for name in ("a", "b"):
        request = admin.EndMatchRequest(match_id=table.match_id, request_id=name)
        await at.admin.EndMatch(request, metadata=at.operator)

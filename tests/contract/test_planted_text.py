"""An exception's text may hold a hand or a token: it reaches neither clients nor logs (P17)."""

import json
from typing import Any

import grpc
import pytest
from google.rpc.error_details_pb2 import ErrorInfo

from dragonhall.v1 import bot_service_pb2 as bot_pb2
from dragonhall.v1 import bot_service_pb2_grpc as bot_pb2_grpc
from dragonhall.v1 import match_pb2
from dragonhall.v1 import match_service_pb2 as pb
from tests.budget import SWEEP
from tests.contract.planted import KINDS, SECRETS, TEXT
from tests.contract.statuses import details_of
from tests.service.driver import (
    SERVE,
    Table,
    dealt,
    get,
    info_of,
    legal,
    metadata,
    new_token,
    options,
    request_id,
    running_process,
    stub_of,
    submission,
    submit,
)

BUGGY = f"import tests.contract.planted; {SERVE}"
PLACES = {
    "GetMatch": [
        "handler", "mapping of a match", "mapping of a view", "engine view", "engine decode",
        "store load",
    ],
    "ListLegalMoves": ["engine legal_moves"],
    "SubmitMove": ["engine apply", "engine outcome", "store commit", "mapping of an event"],
    "WatchMatch": ["store load", "mapping of a snapshot", "mapping of an event", "engine project"],
    "ListEvents": ["store entries", "mapping of an event", "answer"],
    "Play": ["mapping of a turn", "mapping of a bot"],
}  # fmt: skip
"""Where the bug is, by the method that meets it."""
TIMEOUT_S = 20


def bugs() -> list[tuple[str, str, str]]:
    """List method, place and kind: each kind and each place, in a sweep each with each."""
    kinds, found = list(KINDS), []
    for number, (method, place) in enumerate(
        (m, p) for m, places in PLACES.items() for p in places
    ):
        some = kinds[number % len(kinds) :: len(kinds)]
        found += [(method, place, kind) for kind in (kinds if SWEEP or not number else some)]
    return found


async def failure_of(stub: Any, table: Table, method: str, who: Any) -> grpc.aio.AioRpcError:
    """Make a call that must fail; a watch may tell something before."""
    seat = (await get(stub, table)).match.seat_to_move
    listed = await legal(stub, table, seat)
    move = submission(table, listed.version, listed.moves[0])
    requests = {
        "GetMatch": pb.GetMatchRequest(match_id=table.match_id),
        "ListLegalMoves": pb.ListLegalMovesRequest(match_id=table.match_id),
        "SubmitMove": move,
        "WatchMatch": pb.WatchMatchRequest(match_id=table.match_id),
        "ListEvents": pb.ListEventsRequest(match_id=table.match_id),
    }
    call = getattr(stub, method)(
        requests[method], metadata=(*table.seated(seat), *who), timeout=TIMEOUT_S
    )
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        if method != "WatchMatch":
            await call
        async for message in call:
            if message.WhichOneof("body") == "snapshot":
                await submit(stub, table, seat, move)
    return failed.value


async def failure_of_play(channel: Any, who: Any) -> grpc.aio.AioRpcError | None:
    """Play as a bot that has a match at once; what it is told first is well.

    None if the fault ended the match alone and the stream goes on.
    """
    stub: Any = bot_pb2_grpc.BotServiceStub(channel)
    token, name = new_token(), f"bot-{request_id()}"
    await stub.RegisterBot(
        bot_pb2.RegisterBotRequest(request_id="a", token=token, name=name, games=["dragonheart"])
    )
    seat = pb.BotSeat(seat=0, bot=name)
    create = pb.CreateMatchRequest(
        request_id="a", token=new_token(), options=options(), bots=[seat]
    )
    match_id = (await stub_of(channel).CreateMatch(create)).match.match_id
    join = pb.JoinMatchRequest(match_id=match_id, request_id="a", token=new_token())
    await stub_of(channel).JoinMatch(join)
    call = stub.Play(metadata=(*metadata(token), *who), timeout=TIMEOUT_S)
    try:
        await call.write(bot_pb2.PlayRequest(hello=bot_pb2.PlayHello(capacity=1)))
        while (response := await call.read()) is not grpc.aio.EOF:
            if response.WhichOneof("body") == "ended":
                call.cancel()
                assert secrets_in(str(response)) == []
                outcome = response.ended.match.outcome
                assert outcome.cause == match_pb2.OUTCOME_CAUSE_SERVER_FAULT
                return None
    except grpc.aio.AioRpcError as failed:
        return failed
    raise AssertionError("the stream ended well")


def said(error: grpc.aio.AioRpcError) -> str:
    """Everything that a client can see of a failure."""
    metadata = [*(error.initial_metadata() or ()), *(error.trailing_metadata() or ())]
    return repr((error.details(), error.debug_error_string(), metadata, str(error)))


def secrets_in(text: str) -> list[str]:
    return [secret for secret in SECRETS if secret in text]


async def test_secrets_in_exceptions_reach_nobody(one_store_url: str) -> None:
    errors: dict[tuple[str, str, str], grpc.aio.AioRpcError] = {}
    contained = []
    async with (
        running_process(one_store_url, serve=BUGGY) as server,
        grpc.aio.insecure_channel(server.target) as channel,
    ):
        stub = stub_of(channel)
        for method, place, kind in bugs():
            table = await dealt(stub)
            who = (("x-place", place), ("x-kind", kind))
            if method != "Play":
                errors[method, place, kind] = await failure_of(stub, table, method, who)
            elif (error := await failure_of_play(channel, who)) is not None:
                errors[method, place, kind] = error
            else:
                contained.append(place)
    assert {
        bug: secrets_in(said(error)) for bug, error in errors.items() if secrets_in(said(error))
    } == {}
    assert secrets_in(server.log) == []
    unnamed = {
        bug: error.code() for bug, error in errors.items() if not details_of(error, ErrorInfo)
    }
    assert unnamed == {}
    ids = {info_of(error).metadata["error_id"] for error in errors.values()} - {""}
    rows = [json.loads(line) for line in server.log.splitlines()]
    logged = {row["error_id"] for row in rows if row["event"] == "bug"}
    assert ids and ids <= logged
    assert set(contained) <= {"mapping of a turn"}
    assert len(logged - ids) == len(contained)


def test_the_check_would_see_a_secret() -> None:
    assert secrets_in(f"internal error: {TEXT}") == list(SECRETS)

"""Races and repeats through two server processes: one move per version, one effect per request."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import grpc
import pytest

from dragonhall.v1 import match_service_pb2
from tests.budget import cases
from tests.service.driver import (
    Table,
    dealt,
    get,
    info_of,
    legal,
    new_token,
    options,
    play_on,
    reason_of,
    request_id,
    server_process,
    stub_of,
    submission,
    submit,
)

CLIENTS = 64


@pytest.fixture
async def stubs(store_url: str) -> AsyncIterator[list[Any]]:
    """Stubs of 64 clients: every other one speaks to the second of two server processes."""
    async with AsyncExitStack() as stack:
        targets = [await stack.enter_async_context(server_process(store_url)) for _ in range(2)]
        channels = [
            await stack.enter_async_context(
                grpc.aio.insecure_channel(
                    targets[n % 2], options=(("grpc.use_local_subchannel_pool", 1),)
                )
            )
            for n in range(CLIENTS)
        ]
        yield [stub_of(channel) for channel in channels]


async def _try(stub: Any, table: Table, seat: int, request: Any) -> str:
    try:
        await submit(stub, table, seat, request)
    except grpc.aio.AioRpcError as error:
        assert info_of(error).metadata["current_version"] == str(request.expected_version + 1)
        return reason_of(error)
    return "applied"


async def _race(stubs: list[Any], table: Table) -> None:
    """Let every client submit a move on the same version: all legal ones in turn."""
    seat = (await get(stubs[0], table)).match.seat_to_move
    listed = await legal(stubs[0], table, seat)
    requests = [
        submission(table, listed.version, listed.moves[n % len(listed.moves)])
        for n in range(CLIENTS)
    ]
    calls = [_try(stub, table, seat, asked) for stub, asked in zip(stubs, requests, strict=True)]
    results = sorted(await asyncio.gather(*calls))
    assert results == ["VERSION_CONFLICT"] * (CLIENTS - 1) + ["applied"]


async def test_one_of_64_moves_on_a_version_is_applied(stubs: list[Any]) -> None:
    table, raced = await dealt(stubs[0]), 0
    while raced < cases(ci=50, sweep=200):
        if (await get(stubs[0], table)).match.HasField("outcome"):
            table = await dealt(stubs[0])
        await _race(stubs, table)
        raced += 1


async def _repeat(stubs: list[Any], table: Table, seat: int, request: Any) -> list[Any]:
    calls = [submit(stub, table, seat, request) for stub in stubs[:50]]
    return list(await asyncio.gather(*calls))


def _answers(responses: list[Any]) -> set[bytes]:
    for response in responses:
        response.ClearField("replayed")
    return {response.SerializeToString(deterministic=True) for response in responses}


async def test_a_move_repeated_50_times_is_one_event_and_one_answer(stubs: list[Any]) -> None:
    table = await dealt(stubs[0])
    seat = (await get(stubs[0], table)).match.seat_to_move
    listed = await legal(stubs[0], table, seat)
    request = submission(table, listed.version, listed.moves[-1], "the-one")
    at_once = await _repeat(stubs, table, seat, request)
    assert sum(not response.replayed for response in at_once) == 1
    await play_on(stubs[1], table, moves=1)
    after_the_answer = await _repeat(stubs, table, seat, request)
    end = await play_on(stubs[0], table)
    after_the_end = await _repeat(stubs, table, seat, request)
    assert all(response.replayed for response in after_the_answer + after_the_end)
    assert len(_answers(at_once + after_the_answer + after_the_end)) == 1
    events = await stubs[0].ListEvents(
        match_service_pb2.ListEventsRequest(match_id=table.match_id, page_size=500)
    )
    assert [event.version for event in events.events] == list(range(1, end + 1))


async def test_the_same_request_id_for_another_move_is_refused(stubs: list[Any]) -> None:
    table = await dealt(stubs[0])
    listed = await legal(stubs[0], table, 0)
    await submit(stubs[0], table, 0, submission(table, listed.version, listed.moves[0], "twice"))
    other = submission(table, listed.version, listed.moves[1], "twice")
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await submit(stubs[1], table, 0, other)
    assert reason_of(refused.value) == "REQUEST_ID_REUSED"


async def test_creating_again_after_a_lost_reply_gives_the_same_match(stubs: list[Any]) -> None:
    request = match_service_pb2.CreateMatchRequest(
        request_id=request_id(), token=new_token(), options=options()
    )
    made = await asyncio.gather(*(stub.CreateMatch(request) for stub in stubs[:10]))
    assert len({response.match.match_id for response in made}) == 1
    assert len({response.match.deal.commitment for response in made}) == 1
    assert sum(not response.replayed for response in made) == 1


async def test_joining_again_after_a_lost_reply_gives_the_same_seat(stubs: list[Any]) -> None:
    create = match_service_pb2.CreateMatchRequest(
        request_id=request_id(), token=new_token(), options=options()
    )
    match_id = (await stubs[0].CreateMatch(create)).match.match_id
    joins = [
        match_service_pb2.JoinMatchRequest(
            match_id=match_id, request_id=request_id(), token=new_token()
        )
        for _ in range(2)
    ]
    calls = [stub.JoinMatch(joins[n % 2]) for n, stub in enumerate(stubs[:10])]
    seats = [response.seat for response in await asyncio.gather(*calls)]
    assert len(set(seats[::2])) == len(set(seats[1::2])) == 1
    assert set(seats) == {0, 1}


async def test_of_four_who_join_two_get_a_seat(stubs: list[Any]) -> None:
    create = match_service_pb2.CreateMatchRequest(
        request_id=request_id(), token=new_token(), options=options()
    )
    match_id = (await stubs[0].CreateMatch(create)).match.match_id

    async def join(stub: Any) -> str:
        request = match_service_pb2.JoinMatchRequest(
            match_id=match_id, request_id=request_id(), token=new_token()
        )
        try:
            return f"seat {(await stub.JoinMatch(request)).seat}"
        except grpc.aio.AioRpcError as error:
            return reason_of(error)

    results = await asyncio.gather(*(join(stub) for stub in stubs[:4]))
    assert sorted(results) == ["SEAT_TAKEN", "SEAT_TAKEN", "seat 0", "seat 1"]

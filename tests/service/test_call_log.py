"""What the log says of a call: which match, seat and request, how it ended, and nothing secret."""

import json

import grpc
import pytest

from tests.service.driver import (
    dealt,
    get,
    legal,
    play_on,
    running_process,
    stub_of,
    submission,
    submit,
)


async def test_a_line_a_call_with_match_seat_and_request(one_store_url: str) -> None:
    async with (
        running_process(one_store_url) as server,
        grpc.aio.insecure_channel(server.target) as channel,
    ):
        stub = stub_of(channel)
        table = await dealt(stub)
        await play_on(stub, table, moves=1)
        seat = (await get(stub, table)).match.seat_to_move
        listed = await legal(stub, table, seat)
        request = submission(table, listed.version, listed.moves[0], "mine")
        await submit(stub, table, seat, request)
        with pytest.raises(grpc.aio.AioRpcError):  # the same version again
            await submit(stub, table, 1 - seat, request)
    log = [json.loads(line) for line in server.log.splitlines()]
    lines = [line for line in log if line["event"] == "call"]
    told = [
        (line["method"].rpartition("/")[2], line["code"], line.get("seat"))
        for line in lines
        if line.get("match_id") == table.match_id
    ]
    assert told[:2] == [("JoinMatch", "OK", 0), ("JoinMatch", "OK", 1)]
    assert ("GetMatch", "OK", None) in told  # a spectator has no seat
    assert told[-2:] == [("SubmitMove", "OK", seat), ("SubmitMove", "ABORTED", 1 - seat)]
    assert [line.get("request_id") for line in lines[-2:]] == ["mine", "mine"]
    assert all(line["ms"] >= 0 for line in lines)
    assert not any(token in server.log for token in (table.host, *table.seats))

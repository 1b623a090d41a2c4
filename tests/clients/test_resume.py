"""The SDK against a server that refuses, cuts and drains: once each, in order, and not for ever."""

from collections.abc import Sequence

import pytest

from dragonhall.sdk import Client, DragonhallError, IllegalMove, Retry
from dragonhall.v1 import game_pb2, match_pb2
from dragonhall.v1 import match_service_pb2 as pb
from dragonhall_service.usecases.refusals import Reason, Refusal
from tests.clients.fake import CUT, Script, Step, serving
from tests.clients.test_retry import Waits

SNAPSHOT = pb.WatchMatchResponse(resume_token="1-a", snapshot=pb.Snapshot())
HEARTBEAT = pb.WatchMatchResponse(resume_token="2-b", heartbeat=pb.Heartbeat())
DRAINING = pb.WatchMatchResponse(resume_token="2-b", draining=pb.Draining())
TWO = pb.WatchMatchResponse(resume_token="2-b", event=match_pb2.Event(version=2))
RESET = pb.WatchMatchResponse(
    resume_token="1-x", reset=pb.Reset(reason=pb.RESET_REASON_REWOUND, snapshot=pb.Snapshot())
)
LAST = pb.WatchMatchResponse(
    resume_token="3-c", event=match_pb2.Event(version=3, outcome=match_pb2.Outcome())
)


def patience(waits: Waits, budget_s: float = 30.0) -> Retry:
    return Retry(sleep=waits, clock=waits.clock, jitter=lambda: 1.0, budget_s=budget_s)


async def watched(*streams: Sequence[Step]) -> tuple[list[pb.WatchMatchResponse], list[str]]:
    """Return what a watch yields, and the resume tokens that it asked with."""
    script = Script(streams)
    async with serving(script) as target, Client(target, patience(Waits())) as client:
        seen = [message async for message in client.watch("m")]
    assert not script.streams
    return seen, [request.resume_token for request in script.asked]


@pytest.mark.parametrize("end", [[CUT], [DRAINING], []], ids=["cut", "drained", "ended"])
async def test_a_watch_goes_on_where_it_was(end: list[Step]) -> None:
    seen, tokens = await watched([SNAPSHOT, TWO, *end], [LAST])
    assert seen == [SNAPSHOT, TWO, LAST]
    assert tokens == ["", "2-b"]


async def test_a_watch_goes_on_after_a_heartbeat_and_a_reset() -> None:
    seen, tokens = await watched([SNAPSHOT, TWO, HEARTBEAT, CUT], [CUT], [RESET, CUT], [TWO, LAST])
    assert seen == [SNAPSHOT, TWO, HEARTBEAT, RESET, TWO, LAST]
    assert tokens == ["", "2-b", "2-b", "1-x"]


async def test_a_watch_ends_with_the_outcome() -> None:
    over = pb.Snapshot(match=match_pb2.Match(outcome=match_pb2.Outcome()))
    seen, _ = await watched([pb.WatchMatchResponse(snapshot=over), CUT])
    assert len(seen) == 1


@pytest.mark.parametrize("end", [[CUT], [DRAINING], []], ids=["cut", "drained", "ended"])
async def test_a_watch_that_hears_nothing_waits_longer_and_gives_up(end: list[Step]) -> None:
    waits = Waits()
    async with serving(Script([end] * 20)) as target, Client(target, patience(waits, 3)) as client:
        with pytest.raises(DragonhallError) as silent:
            [message async for message in client.watch("m")]
    assert silent.value.reason == "DRAINING"
    assert waits.all == sorted(waits.all)
    assert 1 < waits.clock() <= 3


async def test_a_watch_from_the_end_of_a_match_tells_nothing_and_ends() -> None:
    script = Script([[CUT], []])
    async with serving(script) as target, Client(target, patience(Waits())) as client:
        assert [message async for message in client.watch("m", resume_token="3-c")] == []
    assert not script.streams


async def test_news_restores_the_budget_of_a_watch() -> None:
    again: list[Sequence[Step]] = [[TWO, CUT]] * 50
    seen, _ = await watched([SNAPSHOT, CUT], *again, [LAST])
    assert len(seen) == 52


async def test_a_refused_watch_is_not_repeated() -> None:
    script = Script([[Refusal(Reason.MATCH_NOT_FOUND, "no such match")]] * 2)
    async with serving(script) as target, Client(target) as client:
        with pytest.raises(DragonhallError):
            await anext(client.watch("m"))
    assert len(script.asked) == 1


async def test_a_repeat_is_the_same_request() -> None:
    script = Script(refusals=[Refusal(Reason.STORAGE, "as told"), Refusal(Reason.QUOTA, "as told")])
    waits = Waits()
    async with serving(script) as target, Client(target, patience(waits)) as client:
        await client.submit_move("m", "", 6, game_pb2.Move(notation="D1"))
        await client.submit_move("m", "", 6, game_pb2.Move(notation="D1"))
    first, second, third, another = script.asked
    assert first == second == third
    assert first.request_id != another.request_id
    assert waits.all == [0.2, 1.0]


async def test_an_illegal_move_is_told_at_once() -> None:
    refusal = Refusal(Reason.ILLEGAL_MOVE, "no", rule="DH-4.2", code="not_in_hand")
    script = Script(refusals=[refusal])
    async with serving(script) as target, Client(target) as client:
        with pytest.raises(IllegalMove) as illegal:
            await client.submit_move("m", "", 6, game_pb2.Move(notation="D1"))
    assert (illegal.value.rule, illegal.value.violation) == ("DH-4.2", "not_in_hand")
    assert len(script.asked) == 1

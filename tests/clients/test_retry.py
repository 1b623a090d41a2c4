"""Retries: the same request again, only where that can help, and no longer than allowed."""

import grpc
import pytest

from dragonhall.sdk.errors import DragonhallError
from dragonhall.sdk.retry import Retry
from dragonhall_service.api.errors import failure_of
from dragonhall_service.usecases.refusals import Reason, Refusal


def failing(reason: Reason) -> grpc.aio.AioRpcError:
    failure = failure_of(Refusal(reason, "as told"))
    return grpc.aio.AioRpcError(
        failure.code,
        grpc.aio.Metadata(),
        grpc.aio.Metadata(*failure.trailers),
        failure.message,
    )


class Waits:
    """Notes how long it was asked to wait, and does not; its clock tells the sum."""

    def __init__(self) -> None:
        self.all: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.all.append(seconds)

    def clock(self) -> float:
        return sum(self.all)


async def attempts(reason: Reason, fail: int, **policy: float) -> tuple[int, list[float]]:
    """Call what fails so many times; return the attempts made and the waits."""
    waits, made = Waits(), 0

    async def attempt(deadline_s: float) -> str:
        nonlocal made
        made += 1
        if made <= fail:
            raise failing(reason)
        return "answer"

    retry = Retry(sleep=waits, clock=waits.clock, jitter=lambda: 1.0, **policy)
    assert await retry.call(attempt) == "answer"
    return made, waits.all


async def test_what_may_be_repeated_is_repeated_and_the_named_wait_obeyed() -> None:
    assert await attempts(Reason.STORAGE, 4) == (5, [0.2, 0.2, 0.2, 0.4])
    assert await attempts(Reason.QUOTA, 1) == (2, [1.0])


async def test_a_refusal_is_not_repeated() -> None:
    for reason in set(Reason) - {
        Reason.STORAGE,
        Reason.QUOTA,
        Reason.DRAINING,
        Reason.DEADLINE_TOO_SHORT,
    }:
        with pytest.raises(DragonhallError) as refused:
            await attempts(reason, 1)
        assert refused.value.reason == reason.value


async def test_the_waits_grow_and_the_budget_ends_them() -> None:
    made, waits = await attempts(Reason.DEADLINE_TOO_SHORT, 4)
    assert (made, waits) == (5, [0.05, 0.1, 0.2, 0.4])
    with pytest.raises(DragonhallError):
        await attempts(Reason.STORAGE, 100, budget_s=1.0)


async def test_what_grpc_finds_too_large_stays_so() -> None:
    calls = []

    async def attempt(deadline_s: float) -> None:
        calls.append(deadline_s)
        code = grpc.StatusCode.RESOURCE_EXHAUSTED
        raise grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata())

    with pytest.raises(DragonhallError):
        await Retry(sleep=Waits()).call(attempt)
    assert calls == [5.0]


async def test_a_call_that_a_stopping_server_cancels_is_repeated() -> None:
    codes = [grpc.StatusCode.CANCELLED, grpc.StatusCode.UNAVAILABLE]

    async def attempt(deadline_s: float) -> str:
        if codes:
            raise grpc.aio.AioRpcError(codes.pop(), grpc.aio.Metadata(), grpc.aio.Metadata())
        return "answer"

    assert await Retry(sleep=Waits()).call(attempt) == "answer"

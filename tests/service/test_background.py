"""What a server does all the time goes on after a bug, which is reported."""

import asyncio

import pytest

from dragonhall_service import background
from dragonhall_service.background import kept_up
from dragonhall_service.metrics import Metrics


async def test_work_begins_anew_after_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "AGAIN_S", 0)
    ends = iter([IndexError("list index out of range"), KeyError("a"), None])
    metrics, begun = Metrics(), 0

    async def work() -> None:
        nonlocal begun
        begun += 1
        await asyncio.sleep(0)
        if end := next(ends):
            raise end

    await kept_up(work, metrics)
    assert begun == 3
    assert metrics.registry.get_sample_value("dragonhall_bugs_total") == 2


async def test_work_ends_when_it_is_cancelled() -> None:
    metrics = Metrics()
    working = asyncio.create_task(kept_up(asyncio.Event().wait, metrics))  # type: ignore[arg-type]
    await asyncio.sleep(0)
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    assert metrics.registry.get_sample_value("dragonhall_bugs_total") == 0

"""Waiting and being asked to stop, where asyncio alone is not enough."""

import asyncio


async def wait_within(seconds: float, event: asyncio.Event) -> bool:
    """Wait for an event; False after so many seconds.

    Not `asyncio.wait_for`: before Python 3.12 it loses a cancellation that comes together with
    the event, and the pump of a closed feed would run for ever.
    """
    try:
        async with asyncio.timeout(seconds):
            return await event.wait()
    except TimeoutError:
        return False


def asked_to_stop() -> bool:
    """Say whether this task was cancelled, even where somebody has swallowed it.

    While a client of the store connects, a cancellation can get lost: a loop that goes on after
    failures of the store asks here, or one cancellation would not end it.
    """
    task = asyncio.current_task()
    return bool(task and task.cancelling())

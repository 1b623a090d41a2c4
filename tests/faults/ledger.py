"""Calls as their clients saw them: what was asked, what was answered, and when."""

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Any

import grpc

from dragonhall.sdk.errors import DragonhallError
from dragonhall.sdk.status import error_of
from dragonhall_service.credentials import caller_of
from dragonhall_service.ports import RequestKey
from tests.faults.canaries import CANARIES
from tests.faults.history import Attempt, Verdict

_OPEN = frozenset({"UNAVAILABLE", "DEADLINE_EXCEEDED", "CANCELLED", "UNKNOWN", "INTERNAL"})
"""What a call that gRPC or a balancer ended, and not the service, may have done is not known."""


@dataclass
class Ledger:
    """Everything that the clients of one scenario were told.

    Attributes:
        attempts: by match.
        failures: what failed, whatever was asked.
        odd: what no client may ever be told.
    """

    attempts: dict[str, list[Attempt]] = field(default_factory=lambda: defaultdict(list))
    failures: list[DragonhallError] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)
    _counts: Counter[tuple[Verdict, str, bool]] = field(default_factory=Counter)

    async def make(
        self, call: Awaitable[Any], match_id: str, token: str, request_id: str
    ) -> Attempt:
        """Wait for a call and note what came of it; cancelled, it is noted and cancelled on."""
        key, sent = RequestKey(caller_of(token).actor, request_id), time.monotonic()
        attempt = Attempt(match_id, key, sent, None, Verdict.UNKNOWN)
        try:
            answer = await call
            attempt = _applied(match_id, key, sent, answer)
        except grpc.aio.AioRpcError as failed:
            error = self.note(failed)
            verdict, now = _verdict(error), time.monotonic()
            attempt = Attempt(match_id, key, sent, now, verdict, reason=error.reason)
        finally:  # a caller that gives up leaves an attempt without an answer
            self.attempts[match_id].append(attempt)
            self._counts[attempt.verdict, attempt.reason, attempt.replayed] += 1
        return attempt

    def note(self, failed: grpc.aio.AioRpcError) -> DragonhallError:
        """Note a failure, and look whether it tells a secret."""
        CANARIES.look("the text of an error", repr((failed, failed.trailing_metadata())).encode())
        error = error_of(failed)
        self.failures.append(error)
        return error

    async def abandon(self, call: Any, after_s: float, *named: str) -> None:
        """Make a call and give it up after a while, as a client that vanishes."""
        making = asyncio.create_task(self.make(call, *named))
        await asyncio.wait([making], timeout=after_s)
        making.cancel()
        await asyncio.wait([making])

    def count(self, verdict: Verdict, reason: str = "", *, replayed: bool = False) -> int:
        """Count the attempts that ended so."""
        return self._counts[verdict, reason, replayed]


def _applied(match_id: str, key: RequestKey, sent: float, answer: Any) -> Attempt:
    version, move = None, None
    if hasattr(answer, "events"):  # of a move or a resignation
        version = answer.version
        first = answer.events[0]
        move = first.move_made.move.notation if first.HasField("move_made") else None
    return Attempt(
        match_id, key, sent, time.monotonic(), Verdict.APPLIED, version, move, answer.replayed
    )


def _verdict(error: DragonhallError) -> Verdict:
    if type(error) is DragonhallError and error.reason in _OPEN:
        return Verdict.UNKNOWN
    if error.reason == "STORAGE":
        known = error.metadata.get("applied") == "no"
        return Verdict.NOT_APPLIED if known else Verdict.UNKNOWN
    if error.reason in ("QUOTA", "DRAINING", "DEADLINE_TOO_SHORT"):
        return Verdict.NOT_APPLIED
    return Verdict.REFUSED

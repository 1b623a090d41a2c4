"""P16: every UNAVAILABLE of ours is safe to retry and says when, and retries stay few."""

from collections.abc import Sequence

import grpc

from dragonhall.sdk.errors import DragonhallError
from tests.faults.verdicts import Figure, Finding, Work


def advised(
    failures: Sequence[DragonhallError], least: int = 0, *, servers_stay: bool = False
) -> list[Finding]:
    """Judge what clients were told; errors of gRPC itself or a balancer are not ours.

    Args:
        servers_stay: there is no reason for such errors.
    """
    away = [failure for failure in failures if failure.code is grpc.StatusCode.UNAVAILABLE]
    ours = [failure for failure in away if type(failure) is not DragonhallError]
    silent = [failure for failure in ours if not _says_enough(failure)]
    if servers_stay:
        silent += [failure for failure in away if failure not in ours]
    for failure in silent[:5]:
        print(f"P16: {failure} {dict(failure.metadata)} retry after {failure.retry_after_s}")
    return [
        Figure("P16", "UNAVAILABLE without advice", len(silent), most=0),
        Work("P16", "UNAVAILABLE of ours", len(ours), least),
    ]


def _says_enough(failure: DragonhallError) -> bool:
    known = failure.metadata.get("applied") in ("no", "unknown")
    return known and failure.retry_after_s is not None


def repeated(calls: Sequence[float], attempts: Sequence[float], *, outage: bool) -> Figure:
    """Say how many attempts were made for each call."""
    what, most = ("in an outage", 2) if outage else ("in steady state", 1.1)
    return Figure("P16", f"attempts a call, {what}", len(attempts) / len(calls), "×", most)

"""What can go wrong on the command line that is no bug: one line on stderr and an exit code."""

import grpc

from dragonhall.sdk import DragonhallError

MISTAKE, FAILURE = 2, 1
"""Exit codes: the user can mend it; the server or the network must."""

_USERS = frozenset(
    {
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.NOT_FOUND,
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.PERMISSION_DENIED,
    }
)


class Mistake(Exception):
    """The text says what is wrong and what to do."""


class Unreachable(Exception):
    """No server answers at an address; the text says what to do."""

    def __init__(self, server: str) -> None:
        super().__init__(f"no server answers at {server}: start one, or name it with --server")


class Unhealthy(Exception):
    """A server answers that it is not ready for calls."""

    def __init__(self, server: str, status: str) -> None:
        super().__init__(f"{server} is {status}: its store does not answer, or it is stopping")


def exit_code_of(refused: DragonhallError) -> int:
    """Say whose fault a refusal is."""
    return MISTAKE if refused.code in _USERS else FAILURE

"""Refusals as exceptions: one class for each `ErrorReason` of the protos, which says what to do.

Catch `DragonhallError` for all of them. Where gRPC itself refused a call (no connection, a message
too large) the server named no reason, and the error is a plain `DragonhallError`.
"""

from collections.abc import Mapping

import grpc


class DragonhallError(Exception):
    """A call failed.

    Attributes:
        reason: the server's reason, such as `ILLEGAL_MOVE`; where gRPC itself refused the call
            there is none, and it is the name of the gRPC code, such as `UNAVAILABLE`.
        code: the gRPC code.
        message: one sentence for people.
        metadata: further facts by name, such as `rule` or `current_version`.
        retry_after_s: seconds to wait before a repeat; None where the server names none.
    """

    def __init__(
        self,
        reason: str,
        code: grpc.StatusCode,
        message: str,
        metadata: Mapping[str, str],
        retry_after_s: float | None,
    ) -> None:
        super().__init__(f"{reason}: {message}")
        self.reason = reason
        self.code = code
        self.message = message
        self.metadata = metadata
        self.retry_after_s = retry_after_s


class Malformed(DragonhallError):
    """The bytes are no message of the method."""


class FieldInvalid(DragonhallError):
    """A field of the request is missing, unknown or out of range."""

    @property
    def field(self) -> str:
        """The path of the field, such as `options.start_seat`; empty if it is not told."""
        return self.metadata.get("field", "")


class RequestIdReused(DragonhallError):
    """The request_id was used for something else in this match."""


class Unauthenticated(DragonhallError):
    """The method needs a token, or the one sent is no token."""


class WrongRole(DragonhallError):
    """The token is good, but not for this."""


class MatchNotFound(DragonhallError):
    """There is no such match, or none that this caller may see."""


class GameNotFound(DragonhallError):
    """The server knows no such game."""


class SeatTaken(DragonhallError):
    """The seat, or every seat, is taken."""


class NotStarted(DragonhallError):
    """The match has an open seat and is not dealt yet."""


class AlreadyStarted(DragonhallError):
    """The match has been dealt; what was asked for is possible before only."""


class NotYourTurn(DragonhallError):
    """Another seat must move."""


class IllegalMove(DragonhallError):
    """The move breaks a rule."""

    @property
    def rule(self) -> str:
        """The number of the rule, such as `DH-4.2`; empty if it is not told."""
        return self.metadata.get("rule", "")

    @property
    def violation(self) -> str:
        """The server's short name for the breach (metadata `code`); empty if it is not told."""
        return self.metadata.get("code", "")


class MatchOver(DragonhallError):
    """The match has ended."""


class NotFinished(DragonhallError):
    """The seed is a secret until the match has ended."""


class VersionConflict(DragonhallError):
    """The match is at another version than expected: read it, decide again."""

    @property
    def current_version(self) -> int | None:
        """The version that the match is at; None if it is not told."""
        told = self.metadata.get("current_version", "")
        return int(told) if told.isdecimal() else None

    @property
    def ahead(self) -> bool:
        """Whether the caller knew a later version than the store: history was rewound."""
        return self.metadata.get("ahead") == "true"


class Storage(DragonhallError):
    """The store did not answer; metadata `applied` is `no` or `unknown`."""


class Quota(DragonhallError):
    """Too much of something."""


class SchemaTooNew(DragonhallError):
    """A newer release wrote this match."""


class Corrupt(DragonhallError):
    """The stored match is damaged."""


class DeadlineTooShort(DragonhallError):
    """Less time was left than a call needs; nothing was done."""


class Draining(DragonhallError):
    """The server is stopping; nothing was done."""


class Internal(DragonhallError):
    """A bug of the server; metadata `error_id` names the case."""


class SeatLeft(DragonhallError):
    """The seat has left the match; it may watch on."""


class NameTaken(DragonhallError):
    """Another token registered that bot's name."""


class BotNotFound(DragonhallError):
    """No such bot, or it was withdrawn."""


class RegistrationRefused(DragonhallError):
    """The server registers bots by a key, and the one sent is not it."""


ERRORS: Mapping[str, type[DragonhallError]] = {
    "MALFORMED": Malformed,
    "FIELD_INVALID": FieldInvalid,
    "REQUEST_ID_REUSED": RequestIdReused,
    "UNAUTHENTICATED": Unauthenticated,
    "WRONG_ROLE": WrongRole,
    "MATCH_NOT_FOUND": MatchNotFound,
    "GAME_NOT_FOUND": GameNotFound,
    "SEAT_TAKEN": SeatTaken,
    "NOT_STARTED": NotStarted,
    "ALREADY_STARTED": AlreadyStarted,
    "NOT_YOUR_TURN": NotYourTurn,
    "ILLEGAL_MOVE": IllegalMove,
    "MATCH_OVER": MatchOver,
    "NOT_FINISHED": NotFinished,
    "VERSION_CONFLICT": VersionConflict,
    "STORAGE": Storage,
    "QUOTA": Quota,
    "SCHEMA_TOO_NEW": SchemaTooNew,
    "CORRUPT": Corrupt,
    "DEADLINE_TOO_SHORT": DeadlineTooShort,
    "DRAINING": Draining,
    "INTERNAL": Internal,
    "SEAT_LEFT": SeatLeft,
    "NAME_TAKEN": NameTaken,
    "BOT_NOT_FOUND": BotNotFound,
    "REGISTRATION_REFUSED": RegistrationRefused,
}
"""The class of each reason; a reason of a newer server is a plain `DragonhallError`."""

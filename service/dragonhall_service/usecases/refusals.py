"""The ways in which a call can be refused; `api/errors.py` turns them into statuses."""

from enum import Enum, unique

from dragonhall_engine.core.errors import FormatTooNew
from dragonhall_service.ports import RecordTooNew


@unique
class Reason(Enum):
    """Mirrors the enum ErrorReason of the protos."""

    MALFORMED = "MALFORMED"
    FIELD_INVALID = "FIELD_INVALID"
    REQUEST_ID_REUSED = "REQUEST_ID_REUSED"
    UNAUTHENTICATED = "UNAUTHENTICATED"
    WRONG_ROLE = "WRONG_ROLE"
    MATCH_NOT_FOUND = "MATCH_NOT_FOUND"
    GAME_NOT_FOUND = "GAME_NOT_FOUND"
    SEAT_TAKEN = "SEAT_TAKEN"
    NOT_STARTED = "NOT_STARTED"
    ALREADY_STARTED = "ALREADY_STARTED"
    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    ILLEGAL_MOVE = "ILLEGAL_MOVE"
    MATCH_OVER = "MATCH_OVER"
    NOT_FINISHED = "NOT_FINISHED"
    VERSION_CONFLICT = "VERSION_CONFLICT"
    STORAGE = "STORAGE"
    QUOTA = "QUOTA"
    SCHEMA_TOO_NEW = "SCHEMA_TOO_NEW"
    CORRUPT = "CORRUPT"
    DEADLINE_TOO_SHORT = "DEADLINE_TOO_SHORT"
    DRAINING = "DRAINING"
    INTERNAL = "INTERNAL"
    SEAT_LEFT = "SEAT_LEFT"
    NAME_TAKEN = "NAME_TAKEN"
    BOT_NOT_FOUND = "BOT_NOT_FOUND"
    REGISTRATION_REFUSED = "REGISTRATION_REFUSED"


class Refusal(Exception):
    """A call is refused and nothing has changed. Message and metadata go to the caller."""

    wait_ms: int | None = None
    """When to repeat it, where the reason alone does not say."""

    def __init__(self, reason: Reason, message: str, **metadata: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.metadata = metadata


class FieldInvalid(Refusal):
    """A field of the request is missing, unknown or out of range."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(Reason.FIELD_INVALID, f"{field}: {message}", field=field)
        self.field = field


class OverQuota(Refusal):
    """Too much of something."""

    def __init__(self, message: str, wait_ms: int | None = None) -> None:
        super().__init__(Reason.QUOTA, message)
        self.wait_ms = wait_ms


def not_found() -> Refusal:
    """No such match, or none this caller may see: the two must look alike."""
    return Refusal(Reason.MATCH_NOT_FOUND, "no such match, or not one that you may see")


def conflict(expected: int, current: int) -> Refusal:
    """The match is at another version than the caller expected."""
    ahead = {"ahead": "true"} if expected > current else {}
    message = f"the match is at version {current}, not {expected}: read it and decide again"
    return Refusal(Reason.VERSION_CONFLICT, message, current_version=str(current), **ahead)


def unreadable(error: Exception) -> Refusal:
    """Say why this release cannot read a match."""
    if isinstance(error, RecordTooNew | FormatTooNew):
        return Refusal(Reason.SCHEMA_TOO_NEW, "a newer release wrote this match")
    return Refusal(Reason.CORRUPT, "the stored match is damaged")


def match_over() -> Refusal:
    """The match has ended."""
    return Refusal(Reason.MATCH_OVER, "the match has ended")


def seat_left(seat: int) -> Refusal:
    """The seat has left a match that goes on."""
    return Refusal(Reason.SEAT_LEFT, f"seat {seat} has left the match; you may watch it")


def draining() -> Refusal:
    """This server is stopping and begins no stream any more."""
    message = "this server is stopping: come again, and another one will answer"
    return Refusal(Reason.DRAINING, message, applied="no")


def bot_not_found() -> Refusal:
    """No such bot, or one that was withdrawn."""
    return Refusal(Reason.BOT_NOT_FOUND, "no such bot, or it was withdrawn; see ListBots")

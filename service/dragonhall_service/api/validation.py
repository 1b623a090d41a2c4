"""Shapes of the fields of requests; each check raises FieldInvalid with the field's path."""

import re
import unicodedata
from collections.abc import Sequence

from google.protobuf.duration_pb2 import Duration

from dragonhall.v1 import match_pb2, match_service_pb2
from dragonhall_engine.core.game import Setup
from dragonhall_engine.core.rng import MAX_CONTRIBUTION_BYTES, SEED_BYTES
from dragonhall_service.api.mapping.games import setup_from_proto
from dragonhall_service.api.mapping.matches import EXPIRY_ACTIONS, PHASES
from dragonhall_service.credentials import Caller, MalformedToken, caller_of
from dragonhall_service.match import Clock, Options, Phase
from dragonhall_service.usecases.feeds import Place
from dragonhall_service.usecases.opening import MATCH_ID_LENGTH
from dragonhall_service.usecases.refusals import FieldInvalid

_REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MATCH_ID = re.compile(rf"[a-z2-7]{{{MATCH_ID_LENGTH}}}")
_DEAL_ID = re.compile(r"[A-Za-z0-9.:_-]{1,64}")
_BOT_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,31}")
_PLACE = re.compile(r"([1-9][0-9]{0,14})-([0-9a-f]{16})")
_PAGE = re.compile(r"[0-9]{1,15}:[a-z2-7]{1,32}")
_NUMBER = re.compile(r"[1-9][0-9]{0,14}")
_MOST_NAME = 64
_MOST_SEAT = 255
_MOST_CLOCK_MS = 7 * 24 * 3_600_000


def request_id(text: str) -> str:
    """1-64 characters A-Z a-z 0-9 - _."""
    if not _REQUEST_ID.fullmatch(text):
        raise FieldInvalid("request_id", "1-64 characters A-Z a-z 0-9 - _")
    return text


def match_id(text: str, path: str = "match_id") -> str:
    """26 characters a-z 2-7."""
    if not _MATCH_ID.fullmatch(text):
        raise FieldInvalid(path, f"{MATCH_ID_LENGTH} characters a-z 2-7")
    return text


def bot_name(text: str, path: str = "name") -> str:
    """1-32 characters a-z 0-9 - . _, the first a letter or digit."""
    if not _BOT_NAME.fullmatch(text):
        raise FieldInvalid(path, "1-32 characters a-z 0-9 - . _, the first a letter or digit")
    return text


def bot_seats(given: Sequence[match_service_pb2.BotSeat]) -> tuple[tuple[int, str], ...]:
    """Seats and the bots that take them; which there are is asked later."""
    if len(given) > _MOST_SEAT:
        raise FieldInvalid("bots", "no match has so many seats")
    return tuple(
        (seat(each.seat, f"bots[{number}].seat"), bot_name(each.bot, f"bots[{number}].bot"))
        for number, each in enumerate(given)
    )


def token(text: str) -> Caller:
    """The token of a host or player to be."""
    try:
        return caller_of(text)
    except MalformedToken as wrong:
        raise FieldInvalid("token", str(wrong)) from wrong


def deal_id(text: str) -> str:
    """1-64 characters A-Z a-z 0-9 . : - _."""
    if not _DEAL_ID.fullmatch(text):
        raise FieldInvalid("deal_id", "1-64 characters A-Z a-z 0-9 . : - _")
    return text


def seed(data: bytes) -> bytes:
    """64 bytes."""
    if len(data) != SEED_BYTES:
        raise FieldInvalid("seed", f"{SEED_BYTES} bytes")
    return data


def contribution(data: bytes) -> bytes:
    """0-64 bytes."""
    if len(data) > MAX_CONTRIBUTION_BYTES:
        raise FieldInvalid("contribution", f"at most {MAX_CONTRIBUTION_BYTES} bytes")
    return data


def player_name(text: str) -> str:
    """At most 64 characters, none of which changes how the rest is shown."""
    odd = any(unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp") for char in text)
    if len(text) > _MOST_NAME or odd:
        raise FieldInvalid("player_name", f"at most {_MOST_NAME} characters, none a control")
    return text


def seat(number: int, path: str = "seat") -> int:
    """0-255; whether the match has it is the match's to say."""
    if number > _MOST_SEAT:
        raise FieldInvalid(path, "no match has so many")
    return number


def page_size(number: int, *, default: int, most: int) -> int:
    """0 for the default, else 1 to `most`."""
    if not 0 <= number <= most:
        raise FieldInvalid("page_size", f"0 to {most}")
    return number or default


def page_token(text: str) -> str:
    """What an earlier page of matches gave."""
    if text and not _PAGE.fullmatch(text):
        raise FieldInvalid("page_token", "not from an earlier page")
    return text


def page_number(text: str) -> int | None:
    """The number, from 1, that an earlier page gave; None for the first page."""
    if text and not _NUMBER.fullmatch(text):
        raise FieldInvalid("page_token", "not from an earlier page")
    return int(text) if text else None


def language(tag: str, known: Sequence[str]) -> str:
    """Empty for the first one known, else a BCP 47 tag whose subtags may be more than needed."""
    subtags = tag.lower().split("-") if tag else [known[0]]
    while subtags:
        if (shorter := "-".join(subtags)) in known:
            return shorter
        subtags.pop()
    raise FieldInvalid("language", f"one of {', '.join(known)}")


def phase(number: int) -> Phase | None:
    """A phase, or None for any."""
    known = {proto: phase for phase, proto in PHASES.items()}
    if number and number not in known:
        raise FieldInvalid("phase", f"{number} is none of its values")
    return known.get(number)  # type: ignore[call-overload, no-any-return]


def options(given: match_pb2.MatchOptions) -> Options:
    """What the host chose; ranges that depend on the game are asked later."""
    game, edition, seats = setup_from_proto(given.setup, "options.setup")
    if given.visibility not in (match_pb2.VISIBILITY_PUBLIC, match_pb2.VISIBILITY_PRIVATE):
        raise FieldInvalid("options.visibility", f"{given.visibility} is none of its values")
    start = given.start_seat if given.HasField("start_seat") else None
    public = given.visibility == match_pb2.VISIBILITY_PUBLIC
    return Options(
        game,
        Setup(edition, seats, start),
        public,
        clock=_clock(given.clock) if given.HasField("clock") else None,
        auto_pass=given.auto_pass if given.HasField("auto_pass") else True,
    )


def _clock(given: match_pb2.Clock) -> Clock:
    path = "options.clock"
    limit = milliseconds(given.move_limit, f"{path}.move_limit")
    bank = milliseconds(given.bank, f"{path}.bank")
    if not limit and not bank:
        raise FieldInvalid(path, "move_limit, bank or both must be positive")
    actions = {number: action for action, number in EXPIRY_ACTIONS.items()}
    if given.on_expiry not in actions:
        raise FieldInvalid(f"{path}.on_expiry", f"{given.on_expiry} is none of its values")
    return Clock(limit, bank, actions[given.on_expiry])


def milliseconds(given: Duration, path: str) -> int:
    """0 to 7 days, in whole milliseconds."""
    whole, rest = divmod(given.nanos, 1_000_000)
    total: int = given.seconds * 1000 + whole
    if rest or not 0 <= given.nanos < 1_000_000_000 or not 0 <= total <= _MOST_CLOCK_MS:
        raise FieldInvalid(path, "0 to 7 days, in whole milliseconds")
    return total


def resume_token(text: str) -> Place | None:
    """A place in the log, or None for a fresh watch."""
    if not text:
        return None
    found = _PLACE.fullmatch(text)
    if not found:
        raise FieldInvalid("resume_token", "not from an earlier message")
    return Place(int(found[1]), found[2])


def token_of(place: Place) -> str:
    """Return the resume token of a place."""
    return f"{place.version}-{place.tag}"

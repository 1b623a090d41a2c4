"""The six rules of a history: what clients were told, held against what the store keeps.

1. versions 1 … n without a gap; 2. no request twice; 3. folding the events gives the stored state
byte for byte; 4. every acknowledged request is in the log at its version; 5. no refused request is
in the log; 6. if A was answered before B was sent, version(A) < version(B).
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, unique

from dragonhall_engine.core.errors import IllegalMove, NotationError
from dragonhall_engine.registry import GAMES
from dragonhall_service.match import EntryKind, LoggedEntry, MatchRecord
from dragonhall_service.ports import RequestKey, RequestRecord


@unique
class Verdict(Enum):
    """What the client of one attempt was told.

    REFUSED is final, whoever asks again; NOT_APPLIED is of this attempt alone; UNKNOWN is also
    what an attempt without an answer is.
    """

    APPLIED = "applied"
    REFUSED = "refused"
    NOT_APPLIED = "not applied"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One call that changes a match, as its client saw it.

    Attributes:
        sent: when, in seconds of one monotonic clock.
        answered: when; None if it never was.
        version: the first version that the answer says it made; None if it names none.
        move: the move that the answer says it made, in notation; None if it names none.
        replayed: the answer says that an earlier attempt did it.
    """

    match_id: str
    request: RequestKey
    sent: float
    answered: float | None
    verdict: Verdict
    version: int | None = None
    move: str | None = None
    replayed: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Stored:
    """A match as the store keeps it, all of it read at one instant."""

    record: MatchRecord
    log: Sequence[LoggedEntry]
    requests: Mapping[RequestKey, RequestRecord]


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule, by its number, that a history breaks."""

    rule: int
    text: str


def violations(stored: Stored | None, attempts: Sequence[Attempt]) -> list[Violation]:
    """List what is wrong with one match; `stored` is None if the store has none of it."""
    requests = stored.requests if stored else {}
    found = [*_lost(stored, attempts), *_refused(requests, attempts)]
    if stored:
        found += [*_gaps(stored), *_twice(stored, attempts), *_fold(stored)]
        found += _order(requests, attempts)
    return sorted(found, key=lambda violation: violation.rule)


def acknowledged(attempts: Sequence[Attempt]) -> dict[RequestKey, list[Attempt]]:
    """Group the attempts that were acknowledged by their request."""
    grouped = defaultdict(list)
    for attempt in attempts:
        if attempt.verdict is Verdict.APPLIED:
            grouped[attempt.request].append(attempt)
    return grouped


def _gaps(stored: Stored) -> Iterator[Violation]:
    record, expected = stored.record, 1
    for logged in stored.log:
        if logged.version != expected:
            yield Violation(1, f"version {logged.version} after {expected - 1}")
        expected = logged.version + 1
    if record.version != expected - 1:
        yield Violation(1, f"the record is at {record.version}, the log at {expected - 1}")
    elif stored.log and record.tag != stored.log[-1].tag:
        yield Violation(1, f"record and log have different tags at {record.version}")


def _twice(stored: Stored, attempts: Sequence[Attempt]) -> Iterator[Violation]:
    """Each version is the work of one request, and each request has one answer."""
    makers = defaultdict(list)
    for key, request in stored.requests.items():
        for version in range(request.first, request.last + 1):
            makers[version].append(key.request_id)
    for version in range(1, stored.record.version + 1):
        if len(makers[version]) != 1:
            yield Violation(2, f"version {version} is of {makers[version] or 'no request'}")
    for key, answers in acknowledged(attempts).items():
        told = {(answer.version, answer.move) for answer in answers}
        if len(told) > 1:
            yield Violation(2, f"{key.request_id} was told {sorted(map(str, told))}")
        if sum(not answer.replayed for answer in answers) > 1:
            yield Violation(2, f"{key.request_id} acted more than once")


def _fold(stored: Stored) -> Iterator[Violation]:
    record, game = stored.record, GAMES[stored.record.options.game]
    state = None
    try:
        for logged in stored.log:
            entry = logged.entry
            if entry.kind is EntryKind.DEALT:
                state = game.new_match(record.options.setup, record.deal)
                facts = game.opening(state)
            elif entry.kind is EntryKind.MOVED:
                assert entry.move is not None and entry.seat is not None
                state, facts = game.apply(state, entry.seat, game.parse_move(entry.move))
            else:
                continue
            if entry.facts != game.encode_facts(facts):
                yield Violation(3, f"version {logged.version} tells other facts")
    except (IllegalMove, NotationError) as wrong:
        yield Violation(3, f"version {logged.version} cannot follow: {wrong}")
        return
    if record.state != (None if state is None else game.encode(state)):
        yield Violation(3, f"the state at {record.version} is not what the events give")


def lost(stored: Stored | None, attempts: Sequence[Attempt]) -> list[Attempt]:
    """List the answers that acknowledged what the store has none of."""
    kept = stored.requests if stored else {}
    return [a for a in attempts if a.verdict is Verdict.APPLIED and a.request not in kept]


def _lost(stored: Stored | None, attempts: Sequence[Attempt]) -> Iterator[Violation]:
    for answer in lost(stored, attempts):
        name = answer.request.request_id
        yield Violation(4, f"{name} was acknowledged, and the store has none of it")
    moves = {logged.version: logged.entry.move for logged in stored.log} if stored else {}
    for answer in attempts:
        kept = stored.requests.get(answer.request) if stored else None
        if kept is None or answer.verdict is not Verdict.APPLIED:
            continue
        name = answer.request.request_id
        if answer.version not in (None, kept.first):
            yield Violation(4, f"{name} is at {kept.first}, not {answer.version}")
        elif answer.move is not None and answer.move != moves.get(kept.first):
            yield Violation(4, f"version {kept.first} is not what {name} was told")


def _refused(
    requests: Mapping[RequestKey, RequestRecord], attempts: Sequence[Attempt]
) -> Iterator[Violation]:
    verdicts = defaultdict(set)
    for attempt in attempts:
        verdicts[attempt.request].add(attempt.verdict)
    for key, told in verdicts.items():
        surely_not = Verdict.REFUSED in told or told == {Verdict.NOT_APPLIED}
        if key in requests and surely_not:
            yield Violation(5, f"{key.request_id} was refused and is at {requests[key].first}")


def _order(
    requests: Mapping[RequestKey, RequestRecord], attempts: Sequence[Attempt]
) -> Iterator[Violation]:
    """Of each request its first attempt counts as sent, its first answer as answered."""
    sent: dict[RequestKey, float] = {}
    answered: dict[RequestKey, float] = {}
    for attempt in attempts:
        key = attempt.request
        if key in requests:
            sent[key] = min(attempt.sent, sent.get(key, attempt.sent))
            if attempt.verdict is Verdict.APPLIED and attempt.answered is not None:
                answered[key] = min(attempt.answered, answered.get(key, attempt.answered))
    answers = sorted(answered, key=answered.__getitem__)
    at, latest = 0, (0, "")
    for key in sorted(sent, key=sent.__getitem__):
        while at < len(answers) and answered[answers[at]] < sent[key]:
            earlier = answers[at]
            latest = max(latest, (requests[earlier].first, earlier.request_id))
            at += 1
        if requests[key].first <= latest[0]:
            where = requests[key].first
            told = f"{latest[1]} at {latest[0]} was answered before {key.request_id}"
            yield Violation(6, f"{told}, at {where}, was sent")

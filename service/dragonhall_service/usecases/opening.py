"""From nothing to a dealt match: creating and joining."""

import base64
import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from dragonhall_engine.core.errors import InvalidSetup
from dragonhall_engine.core.game import Seat
from dragonhall_service.credentials import Caller, role_of
from dragonhall_service.match import Entry, EntryKind, MatchRecord, Options, Phase, SeatRecord
from dragonhall_service.ports import (
    Applied,
    BotRecord,
    Commit,
    Countdown,
    Missed,
    Ports,
    RequestKey,
    StorageFull,
    Window,
)
from dragonhall_service.telling import tell_seat
from dragonhall_service.usecases.course import countdown_for
from dragonhall_service.usecases.deadlines import fire
from dragonhall_service.usecases.ending import leave_as_revoked
from dragonhall_service.usecases.reading import check_repeat, fingerprint
from dragonhall_service.usecases.refusals import (
    FieldInvalid,
    Reason,
    Refusal,
    bot_not_found,
    conflict,
    match_over,
    not_found,
)
from dragonhall_service.usecases.registering import having_written

MATCH_ID_LENGTH = 26
_JOIN_ATTEMPTS = 16
"""More than the seats of any game: each lost race means that somebody else took a seat."""


@dataclass(frozen=True, slots=True)
class NewMatch:
    """What a host asks for; `bots` are seats and the names of the bots that take them."""

    request_id: str
    options: Options
    deal_id: str | None = None
    seed: bytes | None = field(default=None, repr=False)
    bots: tuple[tuple[Seat, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Join:
    """What a player asks for; without `seat` the lowest open one."""

    request_id: str
    player_name: str
    seat: Seat | None = None
    contribution: bytes = b""


@dataclass(frozen=True, slots=True)
class Joined:
    """The seat that was taken, and the match as it is now."""

    seat: Seat
    record: MatchRecord
    replayed: bool


def match_id_of(host: Caller, request_id: str) -> str:
    """Derive a match's id from who creates it and how: a repeat finds its own match.

    It is as hard to guess as the host's token.
    """
    assert host.token_hash is not None
    digest = hashlib.sha256(b"dragonhall-match" + host.token_hash + request_id.encode()).digest()
    return base64.b32encode(digest).decode().lower()[:MATCH_ID_LENGTH]


async def create_match(ports: Ports, host: Caller, new: NewMatch) -> tuple[MatchRecord, bool]:
    """Create a match with open seats, or find the one that the same request made before.

    Returns:
        The match, and whether this was a repeat.

    Raises:
        Refusal: FIELD_INVALID, BOT_NOT_FOUND, REQUEST_ID_REUSED, QUOTA.
    """
    match_id = match_id_of(host, new.request_id)
    request, asked = RequestKey(host.actor, new.request_id), _fingerprint(new)
    if new.bots and (made := await _made(ports, match_id, request, asked)):
        return made, True  # whatever has become of the bots since
    record = await _with_bots(ports, _fresh(ports, match_id, host, new), new.bots)
    entries = [Entry(EntryKind.CREATED)]
    entries += [Entry(EntryKind.JOINED, seat=seat) for seat, _ in sorted(new.bots)]
    countdown = Countdown(ports.patience.lobby_ms)
    if None not in record.seats:
        record, dealt = deal(ports, record)
        entries.append(dealt)
        countdown = countdown_for(record, ports.patience, charged=None)
    commit = Commit(record, tuple(entries), request, asked, countdown=countdown)
    try:
        for _, name in new.bots:
            await ports.bots.assign(name, match_id)
        result = await ports.store.commit(commit)
    except StorageFull as full:
        raise Refusal(Reason.QUOTA, "the server has no room for another match") from full
    if isinstance(result, Applied):
        await _look_after(ports, match_id, [name for _, name in new.bots])
        return result.record, False
    made = await _made(ports, match_id, request, asked)
    if made is None:
        raise not_found()
    return made, True


async def _made(ports: Ports, match_id: str, request: RequestKey, asked: str) -> MatchRecord | None:
    """Return the match that a request to create it has made before.

    Raises:
        Refusal: REQUEST_ID_REUSED.
    """
    loaded = await ports.store.load(match_id, request)
    if loaded is None or loaded.earlier is None:
        return None
    check_repeat(loaded.earlier, asked)
    return loaded.record


async def _look_after(ports: Ports, match_id: str, names: Sequence[str]) -> None:
    """Make sure of bots that have their seats now: nobody else looks again.

    One that was withdrawn meanwhile leaves. A stream that did not find the match for so long that
    it gave it up is told once more.
    """
    with having_written():
        for name in names:
            bot = await ports.bots.named(name)
            if bot is not None and bot.revoked:
                with suppress(Refusal):
                    await leave_as_revoked(ports, Caller(bot.token_hash), match_id)
            else:
                await ports.bots.assign(name, match_id)


async def _with_bots(
    ports: Ports, record: MatchRecord, bots: tuple[tuple[Seat, str], ...]
) -> MatchRecord:
    seats = list(record.seats)
    for number, (seat, name) in enumerate(bots):
        path = f"bots[{number}]"
        if seat >= len(seats) or seats[seat] is not None:
            raise FieldInvalid(f"{path}.seat", f"0 to {len(seats) - 1}, each once")
        bot = await ports.bots.named(name)
        if bot is None or bot.revoked:
            raise bot_not_found()
        _check_plays(bot, record, f"{path}.bot")
        if any(holder and holder.token_hash == bot.token_hash for holder in seats):
            raise FieldInvalid(f"{path}.bot", "a bot takes one seat of a match")
        seats[seat] = SeatRecord(bot.token_hash, bot.name, b"", bot.name)
    return replace(record, seats=tuple(seats))


def _check_plays(bot: BotRecord, record: MatchRecord, path: str) -> None:
    if record.options.game not in bot.games:
        raise FieldInvalid(path, f"{bot.name} does not play {record.options.game}")


def _fingerprint(new: NewMatch) -> str:
    options, setup, clock = new.options, new.options.setup, new.options.clock
    asked: list[object] = [options.game, setup.edition, setup.seats, setup.start_seat]
    asked += [options.public, options.auto_pass, new.deal_id, new.seed, *new.bots]
    if clock:
        asked += [clock.move_limit_ms, clock.bank_ms, clock.on_expiry.value]
    return fingerprint("create", *asked)


def _fresh(ports: Ports, match_id: str, host: Caller, new: NewMatch) -> MatchRecord:
    assert host.token_hash is not None
    setup = new.options.setup
    seats = ports.games[new.options.game].SEATS
    if setup.seats not in seats:
        raise FieldInvalid("options.setup", f"{seats.start} to {seats.stop - 1} seats")
    if setup.start_seat is not None and not 0 <= setup.start_seat < setup.seats:
        raise FieldInvalid("options.start_seat", f"0 to {setup.seats - 1}")
    return MatchRecord(
        match_id=match_id,
        version=0,
        tag="",
        phase=Phase.LOBBY,
        options=new.options,
        host_hash=host.token_hash,
        seed=new.seed or ports.ids.seed(),
        deal_id=new.deal_id or match_id,
        seed_chosen=new.seed is not None,
        seats=(None,) * setup.seats,
        state=None,
        seat_to_move=None,
        ending=None,
    )


async def join_match(ports: Ports, player: Caller, match_id: str, join: Join) -> Joined:
    """Take a seat; whoever takes the last one deals.

    Knowing the id is the invitation to a private match.

    Raises:
        Refusal: MATCH_NOT_FOUND, SEAT_TAKEN, MATCH_OVER, FIELD_INVALID, REQUEST_ID_REUSED.
    """
    assert player.token_hash is not None
    request = RequestKey(player.actor, join.request_id)
    bot = await ports.bots.of_token(player.token_hash)
    asked = fingerprint("join", join.player_name, join.seat, join.contribution)
    for _ in range(_JOIN_ATTEMPTS):
        loaded = await ports.store.load(match_id, request)
        if loaded is None:
            raise not_found()
        record = loaded.record
        if loaded.earlier is not None:
            check_repeat(loaded.earlier, asked)
            return Joined(_seat_held(record, player), record, replayed=True)
        seat = _open_seat(record, player, join.seat)
        holder = SeatRecord(player.token_hash, join.player_name, join.contribution)
        if bot is not None:
            _check_plays(bot, record, "match_id")
            await ports.bots.assign(bot.name, match_id)
            name = join.player_name or bot.name
            holder = replace(holder, player_name=name, bot=bot.name)
        result = await ports.store.commit(_joining(ports, record, holder, seat, request, asked))
        if isinstance(result, Applied):
            await _look_after(ports, match_id, [bot.name] if bot else [])
            tell_seat(seat)
            return Joined(seat, result.record, replayed=False)
        if isinstance(result, Missed):
            await fire(ports, match_id)
    raise conflict(record.version, record.version)


def _seat_held(record: MatchRecord, player: Caller) -> Seat:
    role = role_of(player, record)
    if role is None or role.seat is None:
        raise not_found()  # an operator has taken the seat away since
    return role.seat


def _open_seat(record: MatchRecord, player: Caller, wanted: Seat | None) -> Seat:
    if wanted is not None and wanted >= len(record.seats):
        raise FieldInvalid("seat", f"0 to {len(record.seats) - 1}")
    if record.phase is Phase.OVER:
        raise match_over()
    for seat, holder in enumerate(record.seats):
        if holder is not None and holder.token_hash == player.token_hash:
            raise Refusal(
                Reason.SEAT_TAKEN,
                f"this token holds seat {seat} already; each seat needs a token of its own",
                own_seat=str(seat),
            )
    free = [seat for seat, holder in enumerate(record.seats) if holder is None]
    if not free or wanted not in (None, *free):
        raise Refusal(Reason.SEAT_TAKEN, "every seat is taken" if not free else "the seat is taken")
    return free[0] if wanted is None else wanted


def _joining(
    ports: Ports,
    record: MatchRecord,
    holder: SeatRecord,
    seat: Seat,
    request: RequestKey,
    asked: str,
) -> Commit:
    seats = list(record.seats)
    seats[seat] = holder
    after = replace(record, seats=tuple(seats))
    entries: tuple[Entry, ...] = (Entry(EntryKind.JOINED, seat=seat),)
    countdown = None
    if None not in seats:
        after, dealt = deal(ports, after)
        entries += (dealt,)
        countdown = countdown_for(after, ports.patience, charged=None)
    return Commit(after, entries, request, asked, Window.BEFORE_DUE, countdown)


def deal(ports: Ports, record: MatchRecord) -> tuple[MatchRecord, Entry]:
    """Deal the cards of a match whose seats are all taken."""
    game = ports.games[record.options.game]
    try:
        state = game.new_match(record.options.setup, record.deal)
    except InvalidSetup as wrong:
        raise FieldInvalid("options.setup", str(wrong)) from wrong
    to_move = game.seat_to_move(state)
    facts = game.encode_facts(game.opening(state))
    dealt = replace(record, phase=Phase.RUNNING, state=game.encode(state), seat_to_move=to_move)
    return dealt, Entry(EntryKind.DEALT, facts=facts, seat_to_move=to_move)

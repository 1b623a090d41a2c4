"""Compact, versioned bytes of states and facts. Decks are written top first."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any, Final, TypeVar

from dragonhall_engine.core.codec import Reader, Writer
from dragonhall_engine.core.errors import CorruptData
from dragonhall_engine.dragonkeepers import facts as fact
from dragonhall_engine.dragonkeepers.cards import (
    CARD_KINDS,
    COLOURS,
    CRESTS,
    EDITIONS,
    EMPTY,
    ENDS,
    PAGES,
    PEARLS,
    PIECE_VALUES,
    RULES,
    SEATS,
    SLOT_NAMES,
)
from dragonhall_engine.dragonkeepers.facts import Fact
from dragonhall_engine.dragonkeepers.state import NOBODY, Area, Ending, Phase, State

FORMAT: Final = 1
"""Version of both encodings. A change of either is a new number, and old ones stay readable."""

T = TypeVar("T")

# ---- states -------------------------------------------------------------------------------------


def encode(state: State) -> bytes:
    """Return compact bytes; equal states give equal bytes."""
    out = Writer(FORMAT)
    out.number(EDITIONS.index(state.edition.name))
    out.number(len(state.areas))
    for area in state.areas:
        _write_area(out, area)
    out.number(state.start_seat)
    out.number(state.round)
    out.number(state.quiet_rounds)
    out.number(state.set_played)
    out.number(state.active)
    out.number(state.phase)
    out.optional(None if state.to_move == NOBODY else state.to_move)
    out.number(state.taken)
    out.numbers(state.changed)
    out.numbers([card - EMPTY for card in state.offer])
    out.lists(deck[::-1] for deck in state.decks)
    out.numbers(state.booked)
    out.numbers(state.starters_out)
    out.numbers([state.shadows, state.crystals, state.eggs, state.crests])
    out.numbers(state.pieces)
    out.numbers(state.pearls[::-1])
    out.optional(state.trigger)
    out.optional(state.ending)
    return out.finish()


def decode(data: bytes) -> State:
    """Read a state.

    Raises:
        CorruptData: not what `encode` wrote.
        FormatTooNew: a newer release wrote it.
    """
    source = Reader(data, FORMAT)
    edition = RULES[_one_of(EDITIONS, source.number())]
    seats = source.number()
    if seats not in SEATS:
        raise CorruptData("no such number of seats")
    state = State(edition, [_read_area(source) for _ in range(seats)])
    _read_course(state, source)
    _read_table(state, source)
    source.finish()
    if encode(state) != data:
        raise CorruptData("not in canonical form")
    return state


def _read_course(state: State, source: Reader) -> None:
    state.start_seat = _below(state.seats, source.number())
    state.round = source.number()
    state.quiet_rounds = source.number()
    state.set_played = bool(source.number())
    state.active = _below(state.seats, source.number())
    state.phase = Phase(_below(len(Phase), source.number()))
    to_move = source.optional()
    state.to_move = NOBODY if to_move is None else _below(state.seats, to_move)
    state.taken = source.number()
    state.changed = [bool(flag) for flag in _exactly(len(PAGES), source.numbers())]


def _read_table(state: State, source: Reader) -> None:
    slots = _exactly(len(SLOT_NAMES), source.numbers())
    state.offer = [_below(CARD_KINDS + 1, code) + EMPTY for code in slots]
    left, right = _exactly(len(PAGES), source.lists())
    state.decks = (_cards(left)[::-1], _cards(right)[::-1])
    state.booked = [
        _below(len(deck), booked)
        for deck, booked in zip(state.decks, _exactly(len(PAGES), source.numbers()), strict=True)
    ]
    state.starters_out = _cards(source.numbers())
    supply = _exactly(4, source.numbers())
    state.shadows, state.crystals, state.eggs, crests = supply
    state.crests = _below(len(CRESTS) + 1, crests)
    state.pieces = _exactly(len(PIECE_VALUES), source.numbers())
    state.pearls = _pearls(source.numbers())[::-1]
    state.trigger = _ending(source.optional())
    state.ending = _ending(source.optional())


def _write_area(out: Writer, area: Area) -> None:
    out.numbers(area.hand)
    out.numbers(area.starters)
    out.numbers(area.row)
    out.lists(area.stacks[colour] for colour in area.row)
    out.numbers([area.crystals, area.eggs, area.crest])
    out.numbers(area.pieces)
    out.numbers(area.pearls)


def _read_area(source: Reader) -> Area:
    area = Area(_cards(source.numbers()), _cards(source.numbers()))
    area.row = _all_below(len(COLOURS), source.numbers())
    for colour, stack in zip(area.row, _exactly(len(area.row), source.lists()), strict=True):
        area.stacks[colour][:] = _cards(stack)
    area.crystals, area.eggs, area.crest = _exactly(3, source.numbers())
    area.pieces = _all_below(len(PIECE_VALUES), source.numbers())
    area.pearls = _pearls(source.numbers())
    return area


# ---- ranges -------------------------------------------------------------------------------------


def _below(limit: int, number: int) -> int:
    if number >= limit:
        raise CorruptData("a number out of range")
    return number


def _all_below(limit: int, numbers: list[int]) -> list[int]:
    return [_below(limit, number) for number in numbers]


def _cards(numbers: list[int]) -> list[int]:
    return _all_below(CARD_KINDS, numbers)


def _pearls(values: list[int]) -> list[int]:
    if any(value not in PEARLS for value in values):
        raise CorruptData("no such pearl")
    return values


def _exactly(size: int, items: list[T]) -> list[T]:
    if len(items) != size:
        raise CorruptData("a list of another length")
    return items


def _one_of(items: tuple[T, ...], index: int) -> T:
    return items[_below(len(items), index)]


def _side(number: int | None) -> int | None:
    return None if number is None else _below(len(ENDS), number)


def _ending(number: int | None) -> Ending | None:
    return None if number is None else Ending(_below(len(Ending), number))


# ---- facts --------------------------------------------------------------------------------------

_Field = tuple[Callable[[Writer, Any], None], Callable[[Reader], Any]]
"""How a field of a fact is written and read."""


def _number_below(limit: int) -> _Field:
    return Writer.number, lambda source: _below(limit, source.number())


_NUMBER: Final[_Field] = (Writer.number, Reader.number)
_NUMBERS: Final[_Field] = (Writer.numbers, lambda source: tuple(source.numbers()))
_SEAT: Final = _number_below(SEATS[-1])
_SLOT: Final = _number_below(len(SLOT_NAMES))
_PAGE: Final = _number_below(len(PAGES))
_CARD: Final = _number_below(CARD_KINDS)
_COLOUR: Final = _number_below(len(COLOURS))
_PILE: Final = _number_below(len(PIECE_VALUES))
_CARDS: Final[_Field] = (Writer.numbers, lambda source: tuple(_cards(source.numbers())))
_SIDE: Final[_Field] = (Writer.optional, lambda source: _side(source.optional()))
_ENDING: Final[_Field] = (Writer.number, lambda source: _one_of(tuple(Ending), source.number()))
_EDITION: Final[_Field] = (
    lambda out, name: out.number(EDITIONS.index(name)),
    lambda source: _one_of(EDITIONS, source.number()),
)

# A fact is written as its place in this table, then its fields in order: append, never reorder.
_LAYOUT: Final[tuple[tuple[type[Fact], tuple[_Field, ...]], ...]] = (
    (fact.TableLaid, (_EDITION, _NUMBER, _SEAT, _CARDS, _NUMBER, _COLOUR, _NUMBERS)),
    (fact.StartersDealt, (_SEAT, _NUMBER, _CARDS)),
    (fact.TurnBegan, (_SEAT, _NUMBER)),
    (fact.CardTaken, (_SEAT, _SLOT, _CARD)),
    (fact.CrystalSpent, (_SEAT,)),
    (fact.SlotRefilled, (_SLOT, _CARD, _NUMBER)),
    (fact.TakeEnded, (_SEAT,)),
    (fact.CardBooked, (_SEAT, _PAGE, _CARD)),
    (fact.BookEnded, (_SEAT,)),
    (fact.SetPlayed, (_SEAT, _CARDS, _COLOUR, _SIDE)),
    (fact.Passed, (_SEAT,)),
    (fact.CrestTaken, (_SEAT, _NUMBER)),
    (fact.PieceTaken, (_SEAT, _PILE)),
    (fact.AmuletCompleted, (_SEAT, _NUMBER)),
    (fact.PearlDrawn, (_SEAT, _NUMBER)),
    (fact.CrystalGained, (_SEAT,)),
    (fact.ShadowGained, (_SEAT,)),
    (fact.EggGained, (_SEAT,)),
    (fact.EndTriggered, (_ENDING,)),
    (fact.RoundEnded, (_NUMBER, _NUMBER)),
    (fact.MatchEnded, (_ENDING,)),
    (fact.SeatRevealed, (_SEAT, _CARDS, _NUMBERS)),
    (fact.SupplyRevealed, (_CARDS, _CARDS, _CARDS, _NUMBERS)),
    (fact.SeatScored, (_SEAT, _NUMBER, _NUMBER, _NUMBER, _NUMBER, _NUMBER, _NUMBER, _NUMBER)),
)
_TAGS: Final = {kind: tag for tag, (kind, _) in enumerate(_LAYOUT)}


def encode_facts(facts: tuple[Fact, ...]) -> bytes:
    """Return compact bytes of whole facts.

    Raises:
        ValueError: a fact was projected: bytes of it would be read as the whole truth.
    """
    out = Writer(FORMAT)
    out.number(len(facts))
    for each in facts:
        _write_fact(out, each)
    return out.finish()


def decode_facts(data: bytes) -> tuple[Fact, ...]:
    """Read facts; raises like `decode`."""
    source = Reader(data, FORMAT)
    facts = tuple(_read_fact(source) for _ in range(source.number()))
    source.finish()
    if encode_facts(facts) != data:
        raise CorruptData("not in canonical form")
    return facts


def _write_fact(out: Writer, whole: Fact) -> None:
    if isinstance(whole, fact.StartersDealt) and whole.cards is None:
        raise ValueError("a projected fact is not stored")
    if isinstance(whole, fact.PearlDrawn) and whole.value is None:
        raise ValueError("a projected fact is not stored")
    tag = _TAGS[type(whole)]
    out.number(tag)
    for field, (write, _) in zip(fields(whole), _LAYOUT[tag][1], strict=True):
        write(out, getattr(whole, field.name))


def _read_fact(source: Reader) -> Fact:
    kind, layout = _one_of(_LAYOUT, source.number())
    values: list[Any] = [read(source) for _, read in layout]
    return kind(*values)

"""Compact, versioned bytes of states and facts. Decks are written top first."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any, Final

from dragonhall_engine.core.codec import Reader, Writer
from dragonhall_engine.core.errors import CorruptData
from dragonhall_engine.dragonheart.cards import CARD_CODES, SEAT_COUNT, Card, CardType, Trigger
from dragonhall_engine.dragonheart.facts import (
    CardsDrawn,
    CardSentBack,
    CardsMovedUnderShip,
    CardsPlayed,
    CardsTaken,
    DragonTaken,
    Fact,
    FinalTurnBegan,
    MatchScored,
    ShipsSailed,
    StartSeatChosen,
)
from dragonhall_engine.dragonheart.state import State

FORMAT: Final = 1
"""Version of both encodings. A change of either is a new number, and old ones stay readable."""

# ---- states -------------------------------------------------------------------------------------


def encode(state: State) -> bytes:
    """Return compact bytes; equal states give equal bytes."""
    out = Writer(FORMAT)
    out.data(state.root)
    out.number(state.to_move)
    out.number(state.turn)
    out.lists(state.hands)
    out.lists(deck[::-1] for deck in state.decks)
    out.numbers(state.knows_top)
    out.lists(state.piles)
    out.lists(state.board)
    out.numbers(state.under_ship)
    out.optional(state.dragon)
    out.number(state.sailings)
    out.number(state.sent_back)
    out.numbers(state.triggers)
    out.number(state.over)
    return out.finish()


def decode(data: bytes) -> State:
    """Read a state.

    Raises:
        CorruptData: not what `encode` wrote.
        FormatTooNew: a newer release wrote it.
    """
    source = Reader(data, FORMAT)
    state = State(source.data(), start_seat=0)
    state.to_move = _seat(source.number())
    state.turn = source.number()
    state.hands = _per_seat(source.lists())
    state.decks = [deck[::-1] for deck in _per_seat(source.lists())]
    state.knows_top = [bool(flag) for flag in source.numbers()]
    state.piles = _per_seat(source.lists())
    state.board = _stacks(source.lists(), len(CardType))
    state.under_ship = _cards(source.numbers())
    state.dragon = _optional_seat(source.optional())
    state.sailings = source.number()
    state.sent_back = source.number()
    state.triggers = _triggers(source.numbers())
    state.over = bool(source.number())
    source.finish()
    if encode(state) != data:
        raise CorruptData("not in canonical form")
    return state


def _per_seat(rows: list[list[Card]]) -> list[list[Card]]:
    return _stacks(rows, SEAT_COUNT)


def _stacks(rows: list[list[Card]], size: int) -> list[list[Card]]:
    if len(rows) != size:
        raise CorruptData("a list of another length")
    return [_cards(row) for row in rows]


def _cards(codes: list[int]) -> list[Card]:
    if codes and max(codes) >= CARD_CODES:
        raise CorruptData("no such card")
    return codes


def _card(code: int) -> Card:
    return _cards([code])[0]


def _seat(number: int) -> int:
    if number >= SEAT_COUNT:
        raise CorruptData("no such seat")
    return number


def _optional_seat(number: int | None) -> int | None:
    return None if number is None else _seat(number)


def _type(number: int) -> CardType:
    if number >= len(CardType):
        raise CorruptData("no such type")
    return CardType(number)


def _optional_type(number: int | None) -> CardType | None:
    return None if number is None else _type(number)


def _triggers(numbers: list[int]) -> tuple[Trigger, ...]:
    if any(number >= len(Trigger) for number in numbers):
        raise CorruptData("no such trigger")
    return tuple(map(Trigger, numbers))


# ---- facts --------------------------------------------------------------------------------------

_Field = tuple[Callable[[Writer, Any], None], Callable[[Reader], Any]]
"""How a field of a fact is written and read."""

_NUMBER: Final[_Field] = (Writer.number, Reader.number)
_NUMBERS: Final[_Field] = (Writer.numbers, lambda source: tuple(source.numbers()))
_SEAT: Final[_Field] = (Writer.number, lambda source: _seat(source.number()))
_NO_SEAT: Final[_Field] = (Writer.optional, lambda source: _optional_seat(source.optional()))
_CARD: Final[_Field] = (Writer.number, lambda source: _card(source.number()))
_CARDS: Final[_Field] = (Writer.numbers, lambda source: tuple(_cards(source.numbers())))
_TYPE: Final[_Field] = (Writer.number, lambda source: _type(source.number()))
_NO_TYPE: Final[_Field] = (Writer.optional, lambda source: _optional_type(source.optional()))
_TRIGGERS: Final[_Field] = (Writer.numbers, lambda source: _triggers(source.numbers()))

# A fact is written as its place in this table, then its fields in order: append, never reorder.
_LAYOUT: Final[tuple[tuple[type[Fact], tuple[_Field, ...]], ...]] = (
    (StartSeatChosen, (_SEAT,)),
    (CardsDrawn, (_SEAT, _CARDS, _NUMBER, _NUMBER)),
    (CardsPlayed, (_SEAT, _CARDS, _NO_TYPE)),
    (CardsTaken, (_SEAT, _TYPE, _CARDS)),
    (CardsMovedUnderShip, (_CARDS,)),
    (ShipsSailed, (_NUMBER,)),
    (DragonTaken, (_SEAT, _NO_SEAT)),
    (CardSentBack, (_SEAT, _CARD)),
    (FinalTurnBegan, (_SEAT, _TRIGGERS)),
    (MatchScored, (_NUMBERS, _NO_SEAT)),
)
_TAGS: Final = {kind: tag for tag, (kind, _) in enumerate(_LAYOUT)}
_NAMES: Final = [[field.name for field in fields(kind)] for kind, _ in _LAYOUT]


def encode_facts(facts: tuple[Fact, ...]) -> bytes:
    """Return compact bytes of whole facts.

    Raises:
        ValueError: a fact was projected: bytes of it would be read as the whole truth.
    """
    out = Writer(FORMAT)
    out.number(len(facts))
    for fact in facts:
        _write_fact(out, fact)
    return out.finish()


def decode_facts(data: bytes) -> tuple[Fact, ...]:
    """Read facts; raises like `decode`."""
    source = Reader(data, FORMAT)
    facts = tuple(_read_fact(source) for _ in range(source.number()))
    source.finish()
    if encode_facts(facts) != data:
        raise CorruptData("not in canonical form")
    return facts


def _write_fact(out: Writer, fact: Fact) -> None:
    if isinstance(fact, CardsDrawn) and fact.cards is None:
        raise ValueError("a projected fact is not stored")
    if isinstance(fact, CardSentBack) and fact.card is None:
        raise ValueError("a projected fact is not stored")
    tag = _TAGS[type(fact)]
    out.number(tag)
    for name, (write, _) in zip(_NAMES[tag], _LAYOUT[tag][1], strict=True):
        write(out, getattr(fact, name))


def _read_fact(source: Reader) -> Fact:
    tag = source.number()
    if tag >= len(_LAYOUT):
        raise CorruptData("no such fact")
    kind, layout = _LAYOUT[tag]
    values: list[Any] = [read(source) for _, read in layout]
    return kind(*values)

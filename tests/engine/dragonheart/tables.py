"""Rule tables: rows that a game designer can read, dispute and extend.

given   a state in notation (`dragonhall_engine.dragonheart.notation`). What it leaves out:
        A is to move; hands have five and decks twenty cards that do not matter. `+4` stands for
        four such cards; they are dwarves worth 1. `-` is nothing. `pick T2`: the next random
        card of DH-5.3 is T2. `deal` instead of a state deals a match, `deal start B` with B
        to start.
when    moves of the seats to move, with ` / ` between them; `B: D1` is a move of seat B;
        `default` is the default move; empty: nothing happens.
then    what must hold afterwards, fields with `; ` between them (see `_THEN`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

import pytest

from dragonhall_engine import dragonheart
from dragonhall_engine.core.errors import IllegalMove
from dragonhall_engine.core.game import Setup
from dragonhall_engine.core.rng import Deal
from dragonhall_engine.dragonheart import Fact, State
from dragonhall_engine.dragonheart.cards import LABELS, value
from dragonhall_engine.dragonheart.notation import format_card, format_cards, parse_card
from dragonhall_engine.dragonheart.outcome import points

SEATS: Final = "AB"
_FILLER: Final = "D1"


@dataclass(frozen=True)
class Row:
    """One sentence of the rules, shown.

    Attributes:
        rule: the rule numbers it is about, separated by blanks.
        example: the number of the worked example of the rules page, if it is one.
    """

    rule: str
    sentence: str
    given: str
    when: str
    then: str
    example: int | None = None


@dataclass
class Played:
    """What came of a row: the states and everything that happened."""

    before: State
    after: State
    facts: list[Fact] = field(default_factory=list)
    refused: str = ""


def rows(table: list[Row]) -> pytest.MarkDecorator:
    """Return the decorator that runs a test for each row."""
    names = [f"{row.rule} {row.sentence}" for row in table]
    return pytest.mark.parametrize("row", table, ids=names)


def verify(row: Row) -> None:
    """Play a row and compare every field of its `then`.

    Raises:
        AssertionError: the row does not hold.
    """
    played = play(row)
    assert "refused" in row.then or not played.refused, played.refused
    for name, wanted in _fields(row.then):
        found = _look(played, name, wanted)
        assert found == wanted, f"{name}: wanted {wanted!r}, found {found!r}"


def play(row: Row) -> Played:
    """Carry out the moves of a row, up to the first one refused."""
    before = given(row.given)
    played = Played(before, before)
    for word in filter(None, (part.strip() for part in row.when.split(" / "))):
        seat, move = _move(played.after, word)
        try:
            played.after, facts = dragonheart.apply(played.after, seat, move)
            played.facts += facts
        except IllegalMove as error:
            played.refused = f"{error.violation.rule} {error.violation.code}"
            break
    return played


def given(text: str) -> State:
    """Read the `given` of a row."""
    if text.startswith("deal"):
        start = SEATS.index(text[-1]) if "start" in text else None
        return dragonheart.new_match(
            Setup("standard", 2, start), Deal(bytes(64), "rule-table", (b"", b""))
        )
    fields = {"A.hand": "+5", "B.hand": "+5", "A.deck": "+20", "B.deck": "+20"}
    fields |= dict(_fields(text))
    pick = fields.pop("pick", None)
    line = "; ".join(f"{name} {_spelt(cards)}" for name, cards in fields.items())
    state = dragonheart.parse_state(line)
    if pick is not None:
        state.root = _root_that_picks(state, parse_card(pick))
    return state


def _fields(text: str) -> Iterator[tuple[str, str]]:
    for part in text.split(";"):
        name, _, rest = part.strip().partition(" ")
        yield name, rest.strip()


def _spelt(cards: str) -> str:
    words = [w for w in cards.split() if w != "-"]
    return " ".join(" ".join([_FILLER] * int(w[1:])) if w[0] == "+" else w for w in words)


def _root_that_picks(state: State, card: int) -> bytes:
    assert state.dragon is not None
    hand = state.hands[state.dragon]
    label = f"lost-dragon:{state.sent_back}"
    roots = (number.to_bytes(2, "big") for number in range(1000))
    return next(r for r in roots if hand[LABELS.stream(r, label).below(len(hand))] == card)


def _move(state: State, text: str) -> tuple[int, dragonheart.Move]:
    if text == "default":
        return state.to_move, dragonheart.default_moves(state)[0]
    name, colon, rest = text.partition(":")
    seat = SEATS.index(name) if colon else state.to_move
    text = rest.strip() if colon else text
    return seat, dragonheart.Move(()) if text == "nothing" else dragonheart.parse_move(text)


def _look(played: Played, name: str, wanted: str) -> str:
    """Return what a field of `then` is in truth, written as the row writes it."""
    seat_name, dot, part = name.partition(".")
    if dot and part in _OF_SEAT:
        return _OF_SEAT[part](played, SEATS.index(seat_name), wanted)
    if name in _THEN:
        return _THEN[name](played, wanted)
    return _in_notation(played.after, name) or "-"


def _in_notation(state: State, name: str) -> str:
    return dict(_fields(dragonheart.format_state(state))).get(name, "")


def _legal(played: Played, _: str) -> str:
    state = played.after
    moves = dragonheart.legal_moves(state, state.to_move)
    return ", ".join(map(dragonheart.format_move, moves))


def _event(played: Played, wanted: str) -> str:
    lines = [dragonheart.format_fact(fact) for fact in played.facts]
    return wanted if wanted in lines else "; ".join(lines)


def _no_event(played: Played, wanted: str) -> str:
    found = [f for f in played.facts if wanted in dragonheart.format_fact(f)]
    return "it happened" if found else wanted


def _refused(played: Played, _: str) -> str:
    assert played.after == played.before
    return played.refused


def _wins(played: Played, _: str) -> str:
    outcome = dragonheart.outcome(played.after)
    assert outcome is not None, "the match runs"
    return " ".join(SEATS[seat] for seat in outcome.winners)


def _state(played: Played, _: str) -> str:
    if played.after.over:
        return "over"
    return "final turn" if played.after.triggers else "running"


def _cards_of(played: Played, seat: int, wanted: str) -> str:
    codes = sorted(played.after.hands[seat] + played.after.decks[seat])
    return f"{len(codes)} worth {sum(map(value, codes))}"


def _count_or_cards(codes: list[int], wanted: str) -> str:
    if wanted.isdecimal():
        return str(len(codes))
    return format_cards(codes) or "-"


def _sees(reader: int | None) -> Callable[[Played, str], str]:
    def look(played: Played, wanted: str) -> str:
        line = dragonheart.format_view(dragonheart.view(played.after, reader))
        return wanted if wanted in line.split("; ") else line

    return look


def _told(reader: int | None) -> Callable[[Played, str], str]:
    def look(played: Played, wanted: str) -> str:
        facts = [dragonheart.project(fact, reader) for fact in played.facts]
        return _event(Played(played.before, played.after, facts), wanted)

    return look


def _gained(played: Played, seat: int, _: str) -> str:
    before, after = played.before.piles[seat], played.after.piles[seat]
    return f"+{sum(map(value, after)) - sum(map(value, before))}"


_OF_SEAT: Final[dict[str, Callable[[Played, int, str], str]]] = {
    "hand": lambda played, seat, wanted: _count_or_cards(played.after.hands[seat], wanted),
    "deck": lambda played, seat, wanted: _count_or_cards(played.after.decks[seat][::-1], wanted),
    "top": lambda played, seat, _: format_card(played.after.decks[seat][-1]),
    "pile": _gained,
    "points": lambda played, seat, _: str(points(played.after, seat)),
    "cards": _cards_of,
    "sees": lambda played, seat, wanted: _sees(seat)(played, wanted),
    "told": lambda played, seat, wanted: _told(seat)(played, wanted),
}
"""Fields such as `A.hand`: cards, or how many; `A.pile +7`: points added; `A.cards 50 worth 81`."""

_THEN: Final[dict[str, Callable[[Played, str], str]]] = {
    "refused": _refused,
    "event": _event,
    "no_event": _no_event,
    "legal": _legal,
    "wins": _wins,
    "match": _state,
    "sees": _sees(None),
    "told": _told(None),
    "sailings": lambda played, _: str(played.after.sailings),
}
"""Further fields; all others are those of the state's notation, `-` for nothing."""

"""Rule tables: rows that a game designer can read, dispute and extend.

given   a state in notation (`dragonhall_engine.dragonkeepers.notation_state`). What it leaves out:
        the published edition, two seats, A at the step PLAY of its turn, hands and rows empty,
        the whole supply, and two decks of cards that do not matter. `need 3 G` makes the pages
        show 3 and G. `deal source; seats 3; start B` deals a match instead.
when    moves of the seats to move, with ` / ` between them; `B: pass` is a move of seat B;
        `default` is the default move; `… x 3` is a move made three times; empty: nothing happens.
then    what must hold afterwards, fields with `; ` between them (see `_THEN`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

import pytest

from dragonhall_engine import dragonkeepers
from dragonhall_engine.core.errors import IllegalMove
from dragonhall_engine.core.game import Setup
from dragonhall_engine.core.rng import Deal
from dragonhall_engine.dragonkeepers import Fact, State
from dragonhall_engine.dragonkeepers.cards import COLOUR_LETTERS, EDITIONS, FRONT
from dragonhall_engine.dragonkeepers.notation import format_cards

SEATS: Final = "ABCD"
_DEFAULTS: Final = {
    "step": "play",
    "L1": "R|2",
    "R1": "R>W",
    "left": "W|1 W|5 W|5 W|5 W|5",
    "right": "W>R W>B W>B W>B W>B",
    "shadows": "11",
    "crystals": "10",
    "eggs": "9",
    "crests": "3",
    "pieces": "1x8 4x8 6x5 8x4 10x8 12x4 16x5 20x3",
    "pearls": "3 9 4 8 3 3 3 4 4 4 8 8 8 9 9",
}
_TOPS: Final = {"R": "B>R", "W": "B>W", "B": "W>B", "G": "W>G"}
"""A card whose back shows a colour."""


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
    if row.given.startswith("deal"):
        played.facts += dragonkeepers.opening(before)
    for word in _moves(row.when):
        seat, move = _move(played.after, word)
        try:
            played.after, facts = dragonkeepers.apply(played.after, seat, move)
            played.facts += facts
        except IllegalMove as error:
            played.refused = f"{error.violation.rule} {error.violation.code}"
            break
    return played


def given(text: str) -> State:
    """Read the `given` of a row."""
    edition, seats, fields = "published", "2", dict(_DEFAULTS)
    for name, value in _fields(text.removeprefix("deal ")):
        if name in EDITIONS:
            edition = name
        elif name == "seats":
            seats = value
        elif name == "need":
            fields |= _pages(*value.split())
        else:
            fields[name] = "" if value == "-" else value
    if text.startswith("deal "):
        return _dealt(edition, int(seats), fields.get("start"))
    if edition == "source":
        fields = {"L2": "R|2", "R2": "R>W"} | fields
    named = [f"{name} {value}" for name, value in fields.items() if value or name == "set_played"]
    return dragonkeepers.parse_state("; ".join([edition, f"seats {seats}", *named]))


def _pages(number: str, colour: str) -> dict[str, str]:
    left = {"left.booked": "S|6"} if number == "6" else {"left": f"W|{number} W|5 W|5 W|5"}
    return left | {"right": f"{_TOPS[colour]} W>B W>B W>B"}


def _dealt(edition: str, seats: int, start: str | None) -> State:
    setup = Setup(edition, seats, None if start is None else SEATS.index(start))
    return dragonkeepers.new_match(setup, Deal(bytes(64), "rule-table", (b"",) * seats))


def _fields(text: str) -> Iterator[tuple[str, str]]:
    for part in filter(None, map(str.strip, text.split(";"))):
        name, _, rest = part.partition(" ")
        yield name, rest.strip()


def _moves(text: str) -> Iterator[str]:
    for word in filter(None, map(str.strip, text.split(" / "))):
        move, _, times = word.partition(" x ")
        yield from [move] * int(times or 1)


def _move(state: State, text: str) -> tuple[int, dragonkeepers.Move]:
    if text == "default":
        return state.to_move, dragonkeepers.default_moves(state)[0]
    seat, colon, move = text.partition(": ")
    if colon:
        return SEATS.index(seat), dragonkeepers.parse_move(move)
    return state.to_move, dragonkeepers.parse_move(text)


# ---- what a row can look at ---------------------------------------------------------------------


def _look(played: Played, name: str, wanted: str) -> str:
    """Return what a field of `then` is in truth, written as the row writes it."""
    seat_name, dot, part = name.partition(".")
    if dot and part in _OF_SEAT:
        return _OF_SEAT[part](played, SEATS.index(seat_name), wanted)
    if name in _THEN:
        return _THEN[name](played, wanted)
    return dict(_fields(dragonkeepers.format_state(played.after))).get(name, "-")


def _legal(played: Played, _: str) -> str:
    if (seat := dragonkeepers.seat_to_move(played.after)) is None:
        return "-"
    moves = dragonkeepers.legal_moves(played.after, seat)
    return ", ".join(map(dragonkeepers.format_move, moves))


def _event(played: Played, wanted: str) -> str:
    lines = [dragonkeepers.format_fact(fact) for fact in played.facts]
    return wanted if wanted in lines else "; ".join(lines)


def _events(played: Played, wanted: str) -> str:
    """Look for events in this order and without others between them, ` > ` between two."""
    lines = " > ".join(dragonkeepers.format_fact(fact) for fact in played.facts)
    return wanted if wanted in lines else lines


def _no_event(played: Played, wanted: str) -> str:
    found = [f for f in played.facts if wanted in dragonkeepers.format_fact(f)]
    return "it happened" if found else wanted


def _refused(played: Played, _: str) -> str:
    return played.refused


def _ranks(played: Played, _: str) -> str:
    outcome = dragonkeepers.outcome(played.after)
    assert outcome is not None, "the match runs"
    return " ".join(str(result.rank) for result in outcome.seats)


def _scores(played: Played, _: str) -> str:
    return " ".join(str(score.total) for score in dragonkeepers.scores(played.after))


def _match(played: Played, _: str) -> str:
    if played.after.ending is not None:
        return "over"
    return "running" if played.after.trigger is None else "triggered"


def _need(played: Played, _: str) -> str:
    number, colour = played.after.requirement
    return f"{number} {COLOUR_LETTERS[colour]}"


def _cards(played: Played, _: str) -> str:
    """Count all cards there are."""
    state = played.after
    stacks = [stack for area in state.areas for stack in area.stacks]
    hands = [area.hand for area in state.areas]
    offer = [card for card in state.offer if card >= 0]
    lying = [*state.decks, *hands, *stacks, state.starters_out, offer]
    return str(sum(map(len, lying)) + state.shadows)


def _public(played: Played, _: str) -> str:
    move = dragonkeepers.public_pass(played.after)
    return "-" if move is None else dragonkeepers.format_move(move)


def _sees(reader: int | None) -> Callable[[Played, str], str]:
    def look(played: Played, wanted: str) -> str:
        line = dragonkeepers.format_view(dragonkeepers.view(played.after, reader))
        return wanted if wanted in line.split("; ") else line

    return look


def _told(reader: int | None) -> Callable[[Played, str], str]:
    def look(played: Played, wanted: str) -> str:
        facts = [dragonkeepers.project(fact, reader) for fact in played.facts]
        return _event(Played(played.before, played.after, facts), wanted)

    return look


def _fronts(played: Played, seat: int, _: str) -> str:
    area = played.after.areas[seat]
    letters = [COLOUR_LETTERS[c] + str(len(area.stacks[c])) for c in area.row]
    assert all(FRONT[card] in (c, 4) for c in area.row for card in area.stacks[c])
    return " ".join(letters) or "-"


_OF_SEAT: Final[dict[str, Callable[[Played, int, str], str]]] = {
    "cards": lambda played, seat, _: str(len(played.after.areas[seat].hand)),
    "stacks": _fronts,
    "completed": lambda played, seat, _: str(len(played.after.areas[seat].pieces) // 3),
    "sees": lambda played, seat, wanted: _sees(seat)(played, wanted),
    "told": lambda played, seat, wanted: _told(seat)(played, wanted),
}
"""`A.cards 3` in hand; `A.stacks R2 W1`: colours and sizes of the row; what a seat is told."""

_THEN: Final[dict[str, Callable[[Played, str], str]]] = {
    "refused": _refused,
    "event": _event,
    "events": _events,
    "no_event": _no_event,
    "legal": _legal,
    "public": _public,
    "ranks": _ranks,
    "scores": _scores,
    "match": _match,
    "need": _need,
    "cards": _cards,
    "deck_sizes": lambda played, _: " ".join(str(len(deck)) for deck in played.after.decks),
    "left_deck": lambda played, _: format_cards(played.after.decks[0][::-1]),
    "piece_count": lambda played, _: str(sum(played.after.pieces)),
    "pearl_count": lambda played, _: str(len(played.after.pearls)),
    "starter_counts": lambda played, _: " ".join(str(len(a.starters)) for a in played.after.areas),
    "out_count": lambda played, _: str(len(played.after.starters_out)),
    "sees": _sees(None),
    "told": _told(None),
}
"""Further fields; all others are those of the state's notation, `-` for nothing."""

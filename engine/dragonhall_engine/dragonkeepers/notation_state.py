"""States and views of Dragonkeepers as text, on one line each.

state   fields separated by `; `. The edition and `seats` come first. Fields that are empty, zero or
        as at the start are not written, and may be left out:

        published; seats 3; start B; round 2; quiet_rounds 1; set_played; active C; step follow;
        move A; taken 3; changed left right; L1 R|1; R1 G>W; left W|5 B|2; left.booked S|6;
        right …; right.booked …; starters_out R>B; shadows 11; crystals 9; eggs 9; crests 3;
        pieces 1x4 20x3; pearls 3 9; trigger amulets; ending amulets; A.hand R|1 S|6; A.starters …;
        A.row R|1 R>W, W|2; A.crystals 1; A.eggs 1; A.crest 16; A.pieces 1 4; A.pearls 3 9

        Decks are top first, without their booked cards, which lie on them and are top first too.
        `pearls` are in the order in which they will be drawn. `A.starters` are those of its hand
        that nobody else has seen. A row is written from left to right; a stack has the colour of
        its first card that is no shadow.
view    like a state, with a `?` for each hidden thing. A deck is what its page would show without
        booked cards, and its unseen cards in brackets: `left 4 (R|3 W|4 W|4)`. `A.known` are the
        hand cards that everybody has seen, `A.starters` the others.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from dragonhall_engine.core.errors import NotationError
from dragonhall_engine.dragonkeepers.cards import (
    COLOUR_LETTERS,
    EMPTY,
    ENDS,
    FRONT,
    PAGES,
    PEARLS,
    PIECE_VALUES,
    RIGHT,
    RULES,
    SEAT_LETTERS,
    SEATS,
    SHADOW,
    SLOT_NAMES,
)
from dragonhall_engine.dragonkeepers.notation import (
    format_card,
    format_cards,
    format_numbers,
    format_piles,
    index_of,
    parse_card,
    parse_cards,
)
from dragonhall_engine.dragonkeepers.state import NOBODY, Area, Ending, Phase, State
from dragonhall_engine.dragonkeepers.view import DeckView, SeatView, View

_Setter = Callable[[State, str], None]
_AreaSetter = Callable[[Area, str], None]

# ---- writing ------------------------------------------------------------------------------------


def format_state(state: State) -> str:
    """Return a state as one line; `parse_state` reads it back."""
    fields = [state.edition.name, f"seats {state.seats}", *_course_fields(state)]
    fields += _offer_fields(enumerate(state.offer))
    for page in PAGES:
        deck = state.decks[page][::-1]
        booked = state.booked[page]
        fields += _field(ENDS[page], format_cards(deck[booked:]))
        fields += _field(f"{ENDS[page]}.booked", format_cards(deck[:booked]))
    fields += _field("starters_out", format_cards(state.starters_out))
    fields += _supply_fields(state, state.crests)
    fields += _field("pearls", format_numbers(state.pearls[::-1]))
    fields += _ending_fields(state)
    for letter, area in zip(SEAT_LETTERS, state.areas, strict=False):
        fields += _area_fields(letter, area)
    return "; ".join(fields)


def format_view(view: View) -> str:
    """Return what a reader may know as one line."""
    reader = "spectator" if view.reader is None else f"reader {SEAT_LETTERS[view.reader]}"
    fields = [reader, view.edition, f"seats {len(view.seats)}", *_course_fields(view)]
    fields += _offer_fields(zip(RULES[view.edition].slots, view.offer, strict=True))
    for page, deck in enumerate(view.decks):
        fields += _deck_fields(page, deck)
    fields += _field("starters_out", format_cards(view.starters_out or ()))
    fields += _field("unseen_starters", format_cards(view.unseen_starters))
    fields += _supply_fields(view, len(view.crests))
    fields += _field("pearls", _known_or_hidden(view.pearls, view.pearl_count))
    fields += _ending_fields(view)
    for letter, seat in zip(SEAT_LETTERS, view.seats, strict=False):
        fields += _seat_fields(letter, seat)
    return "; ".join(fields)


def _course_fields(truth: State | View) -> Iterator[str]:
    yield f"start {SEAT_LETTERS[truth.start_seat]}"
    yield f"round {truth.round}"
    yield from _field("quiet_rounds", truth.quiet_rounds)
    if truth.set_played:
        yield "set_played"
    yield f"active {SEAT_LETTERS[truth.active]}"
    yield f"step {truth.phase.name.lower()}"
    if truth.to_move is not None and truth.to_move != NOBODY:
        yield f"move {SEAT_LETTERS[truth.to_move]}"
    yield from _field("taken", truth.taken)
    yield from _field("changed", " ".join(ENDS[page] for page in PAGES if truth.changed[page]))


def _offer_fields(slots: Iterable[tuple[int, int | None]]) -> Iterator[str]:
    for slot, card in slots:
        if card is not None and card != EMPTY:
            yield f"{SLOT_NAMES[slot]} {format_card(card)}"


def _deck_fields(page: int, deck: DeckView) -> Iterator[str]:
    shown = COLOUR_LETTERS[deck.unseen_shown] if page == RIGHT else deck.unseen_shown
    yield f"{ENDS[page]} {shown} ({format_cards(deck.unseen)})"
    yield from _field(f"{ENDS[page]}.booked", format_cards(deck.booked))
    yield from _field(f"{ENDS[page]}.order", format_cards(deck.order or ()))


def _seat_fields(letter: str, seat: SeatView) -> Iterator[str]:
    yield from _field(f"{letter}.known", format_cards(seat.known))
    names = None if seat.starters is None else map(format_card, seat.starters)
    yield from _field(f"{letter}.starters", _known_or_hidden(names, seat.unknown))
    yield from _owned_fields(letter, seat, ", ".join(format_cards(s.cards) for s in seat.row))
    yield from _field(f"{letter}.pearls", _known_or_hidden(seat.pearls, seat.pearl_count))


def _known_or_hidden(values: Iterable[object] | None, count: int) -> str:
    return " ".join("?" * count) if values is None else " ".join(map(str, values))


def _supply_fields(truth: State | View, crests: int) -> Iterator[str]:
    yield from _field("shadows", truth.shadows)
    yield from _field("crystals", truth.crystals)
    yield from _field("eggs", truth.eggs)
    yield from _field("crests", crests)
    yield from _field("pieces", format_piles(truth.pieces))


def _ending_fields(truth: State | View) -> Iterator[str]:
    yield from _field("trigger", "" if truth.trigger is None else truth.trigger.name.lower())
    yield from _field("ending", "" if truth.ending is None else truth.ending.name.lower())


def _area_fields(letter: str, area: Area) -> Iterator[str]:
    yield from _field(f"{letter}.hand", format_cards(area.hand))
    yield from _field(f"{letter}.starters", format_cards(area.starters))
    row = (format_cards(area.stacks[colour]) for colour in area.row)
    yield from _owned_fields(letter, area, ", ".join(row))
    yield from _field(f"{letter}.pearls", format_numbers(area.pearls))


def _owned_fields(letter: str, owner: Area | SeatView, row: str) -> Iterator[str]:
    yield from _field(f"{letter}.row", row)
    yield from _field(f"{letter}.crystals", owner.crystals)
    yield from _field(f"{letter}.eggs", owner.eggs)
    yield from _field(f"{letter}.crest", owner.crest)
    yield from _field(
        f"{letter}.pieces", format_numbers(PIECE_VALUES[pile] for pile in owner.pieces)
    )


def _field(name: str, value: str | int) -> list[str]:
    return [f"{name} {value}"] if value else []


# ---- reading ------------------------------------------------------------------------------------


def parse_state(text: str) -> State:
    """Read a state. Whether it can be reached is not looked at.

    Raises:
        NotationError: an unknown or repeated field, or a value that is none.
    """
    edition, seats, *parts = [part.strip() for part in [*text.split(";"), ""]]
    if edition not in RULES or seats not in [f"seats {n}" for n in SEATS]:
        raise NotationError("a state begins with its edition and number of seats")
    state = State(RULES[edition], [Area() for _ in range(int(seats[-1]))])
    setters = _setters(state.seats)
    for part in filter(None, parts):
        name, _, value = part.partition(" ")
        if name not in setters:
            raise NotationError("an unknown or repeated field")
        setters.pop(name)(state, value.strip())
    if "move" in setters:
        state.to_move = NOBODY if state.phase == Phase.OVER else state.active
    return state


def _setters(seats: int) -> dict[str, _Setter]:
    table = dict(_STATE_SETTERS)
    for seat in range(seats):
        for name, put in _AREA_SETTERS.items():
            table[f"{SEAT_LETTERS[seat]}.{name}"] = _for_seat(seat, put)
    return table


def _for_seat(seat: int, put: _AreaSetter) -> _Setter:
    return lambda state, text: put(state.areas[seat], text)


def _attribute(name: str, parse: Callable[[str], object]) -> Callable[[object, str], None]:
    return lambda owner, text: setattr(owner, name, parse(text))


def _seat_attribute(name: str) -> _Setter:
    def put(state: State, text: str) -> None:
        setattr(state, name, index_of(tuple(SEAT_LETTERS[: state.seats]), text))

    return put


def _put_changed(state: State, text: str) -> None:
    for word in text.split():
        state.changed[index_of(ENDS, word)] = True


def _slot_setter(slot: int) -> _Setter:
    def put(state: State, text: str) -> None:
        state.offer[slot] = parse_card(text)

    return put


def _deck_setter(page: int) -> _Setter:
    def put(state: State, text: str) -> None:
        state.decks[page][:0] = parse_cards(text)[::-1]

    return put


def _booked_setter(page: int) -> _Setter:
    def put(state: State, text: str) -> None:
        booked = parse_cards(text)[::-1]
        state.decks[page].extend(booked)
        state.booked[page] = len(booked)

    return put


def _put_supply_pieces(state: State, text: str) -> None:
    for word in text.split():
        value, _, count = word.partition("x")
        state.pieces[_pile(value)] = _number(count)


def _put_row(area: Area, text: str) -> None:
    for stack in text.split(","):
        cards = parse_cards(stack)
        colours = [FRONT[card] for card in cards if card != SHADOW]
        if not colours or colours[0] in area.row:
            raise NotationError("not a stack of a new colour")
        area.row.append(colours[0])
        area.stacks[colours[0]].extend(cards)


def _number(text: str) -> int:
    if not re.fullmatch("[0-9]{1,4}", text):
        raise NotationError("not a number")
    return int(text)


def _flag(text: str) -> bool:
    if text:
        raise NotationError("a flag has no value")
    return True


def _ending(text: str) -> Ending:
    return list(Ending)[index_of(tuple(ending.name.lower() for ending in Ending), text)]


def _phase(text: str) -> Phase:
    return list(Phase)[index_of(tuple(phase.name.lower() for phase in Phase), text)]


def _sorted_cards(text: str) -> list[int]:
    return sorted(parse_cards(text))


def _pearls(text: str) -> list[int]:
    values = [_number(word) for word in text.split()]
    if any(value not in PEARLS for value in values):
        raise NotationError("not a pearl")
    return values


def _pile(text: str) -> int:
    return index_of(tuple(map(str, PIECE_VALUES)), text)


_STATE_SETTERS: Final[dict[str, _Setter]] = {
    "start": _seat_attribute("start_seat"),
    "round": _attribute("round", _number),
    "quiet_rounds": _attribute("quiet_rounds", _number),
    "set_played": _attribute("set_played", _flag),
    "active": _seat_attribute("active"),
    "step": _attribute("phase", _phase),
    "move": _seat_attribute("to_move"),
    "taken": _attribute("taken", _number),
    "changed": _put_changed,
    **{name: _slot_setter(slot) for slot, name in enumerate(SLOT_NAMES)},
    **{ENDS[page]: _deck_setter(page) for page in PAGES},
    **{f"{ENDS[page]}.booked": _booked_setter(page) for page in PAGES},
    "starters_out": _attribute("starters_out", _sorted_cards),
    "shadows": _attribute("shadows", _number),
    "crystals": _attribute("crystals", _number),
    "eggs": _attribute("eggs", _number),
    "crests": _attribute("crests", _number),
    "pieces": _put_supply_pieces,
    "pearls": _attribute("pearls", lambda text: _pearls(text)[::-1]),
    "trigger": _attribute("trigger", _ending),
    "ending": _attribute("ending", _ending),
}

_AREA_SETTERS: Final[dict[str, _AreaSetter]] = {
    "hand": _attribute("hand", _sorted_cards),
    "starters": _attribute("starters", _sorted_cards),
    "row": _put_row,
    "crystals": _attribute("crystals", _number),
    "eggs": _attribute("eggs", _number),
    "crest": _attribute("crest", _number),
    "pieces": _attribute("pieces", lambda text: [_pile(word) for word in text.split()]),
    "pearls": _attribute("pearls", lambda text: sorted(_pearls(text))),
}

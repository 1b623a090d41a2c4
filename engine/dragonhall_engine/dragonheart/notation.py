"""Dragonheart as text. Every form is one line, and each is read by people and by tests.

card    letter and value: `D3`; a ship is `V`.
cards   separated by blanks: `D2 D3`. In a move any order is read, the canonical one is written.
move    cards, and `> space` where a pile is chosen: `K2 > troll`, `S1 S2 > petrified_dragon`.
seat    `A` is seat 0, `B` seat 1.
state   fields separated by `; `. Empty and zero fields are not written, and may be left out:

        move A; turn 7; A.hand D1 V; A.deck K1 C2; A.pile T3; A.knows_top; B.hand …;
        dwarf D1 D3; ship V; under_ship K1 K2; dragon A; sailings 1; sent_back 1;
        triggers ships deck; over; root 00ff…

        Decks are top first, spaces and `under_ship` bottom first. `move` is who moves, after the
        end who moved last.
view    like a state; of a hidden hand or deck the number of cards.
fact    a short sentence in the past tense; `?` stands for a hidden card.
"""

from collections.abc import Callable
from typing import Any, Final

from dragonhall_engine.core.errors import NotationError
from dragonhall_engine.core.game import Seat
from dragonhall_engine.dragonheart.cards import (
    CARD_CODES,
    LETTERS,
    Card,
    CardType,
    Trigger,
    card_type,
    value,
)
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
from dragonhall_engine.dragonheart.moves import Move
from dragonhall_engine.dragonheart.state import State
from dragonhall_engine.dragonheart.view import SeatView, View

_SEATS: Final = "AB"
_TARGET: Final = ">"

# ---- cards and moves ----------------------------------------------------------------------------


def _name(code: Card) -> str:
    type_ = card_type(code)
    return LETTERS[type_] if type_ == CardType.SHIP else f"{LETTERS[type_]}{value(code)}"


_NAMES: Final = tuple(map(_name, range(CARD_CODES)))
_CARDS: Final = {
    name: code
    for code, name in enumerate(_NAMES)
    if (card_type(code) == CardType.SHIP) == (value(code) == 0)  # ships alone are worth nothing
}


def format_card(code: Card) -> str:
    """Return `D3`, or `V` for a ship."""
    return _NAMES[code]


def format_cards(codes: tuple[Card, ...] | list[Card]) -> str:
    """Return cards separated by blanks, in the order given."""
    return " ".join([_NAMES[code] for code in codes])


def parse_card(text: str) -> Card:
    """Read a card.

    Raises:
        NotationError: the text is no card.
    """
    if text not in _CARDS:
        raise NotationError("not a card")
    return _CARDS[text]


def parse_cards(text: str) -> list[Card]:
    """Read cards separated by blanks, in the order given; raises like `parse_card`."""
    return [parse_card(word) for word in text.split()]


def format_move(move: Move) -> str:
    """Return a move, its cards in canonical order."""
    cards = format_cards(sorted(move.cards))
    return cards if move.target is None else f"{cards} {_TARGET} {space_name(move.target)}"


def parse_move(text: str) -> Move:
    """Read a move; legality is not looked at.

    Raises:
        NotationError: the text is no move.
    """
    cards, arrow, target = text.partition(_TARGET)
    played = tuple(sorted(parse_cards(cards)))
    if not played:
        raise NotationError("a move names at least one card")
    return Move(played, parse_space(target.strip()) if arrow else None)


def space_name(space: CardType) -> str:
    """Return the engine's name of a space, such as `fire_dragon`."""
    return space.name.lower()


def parse_space(text: str) -> CardType:
    """Read the name of a space.

    Raises:
        NotationError: no space has this name.
    """
    for space in CardType:
        if space_name(space) == text:
            return space
    raise NotationError("not a space")


# ---- states -------------------------------------------------------------------------------------


def format_state(state: State) -> str:
    """Return a state as one line; `parse_state` reads it back, root included."""
    fields = [f"move {_SEATS[state.to_move]}", f"turn {state.turn}"]
    for seat, name in enumerate(_SEATS):
        fields += _cards_field(f"{name}.hand", state.hands[seat])
        fields += _cards_field(f"{name}.deck", state.decks[seat][::-1])
        fields += _cards_field(f"{name}.pile", state.piles[seat])
        fields += [f"{name}.knows_top"] if state.knows_top[seat] else []
    fields += _public_fields(state)
    fields += [f"root {state.root.hex()}"] if state.root else []
    return "; ".join(fields)


def _public_fields(truth: State | View) -> list[str]:
    fields = []
    for space in CardType:
        fields += _cards_field(space_name(space), list(truth.board[space]))
    fields += _cards_field("under_ship", list(truth.under_ship))
    fields += [] if truth.dragon is None else [f"dragon {_SEATS[truth.dragon]}"]
    fields += [f"sailings {truth.sailings}"] if truth.sailings else []
    fields += [f"sent_back {truth.sent_back}"] if truth.sent_back else []
    fields += [f"triggers {_trigger_names(truth.triggers)}"] if truth.triggers else []
    fields += ["over"] if truth.over else []
    return fields


def _cards_field(name: str, codes: list[Card]) -> list[str]:
    return [f"{name} {format_cards(codes)}"] if codes else []


def _trigger_names(triggers: tuple[Trigger, ...]) -> str:
    return " ".join(trigger.name.lower() for trigger in triggers)


def parse_state(text: str) -> State:
    """Read a state; what is not named is empty or zero. Reachability is not looked at.

    Raises:
        NotationError: an unknown or repeated field, or a value that is none.
    """
    state = State(root=b"", start_seat=0)
    seen = set()
    for part in text.split(";"):
        name, _, rest = part.strip().partition(" ")
        if name in seen or name not in _FIELDS:
            raise NotationError("an unknown or repeated field")
        seen.add(name)
        _FIELDS[name](state, rest.strip())
    return state


_Setter = Callable[[State, str], None]


def _attribute(name: str, parse: Callable[[str], Any]) -> _Setter:
    return lambda state, text: setattr(state, name, parse(text))


def _element(name: str, index: int, parse: Callable[[str], Any]) -> _Setter:
    def put(state: State, text: str) -> None:
        getattr(state, name)[index] = parse(text)

    return put


def _parse_seat(text: str) -> Seat:
    if len(text) != 1 or text not in _SEATS:
        raise NotationError("not a seat")
    return _SEATS.index(text)


def _parse_number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 5):
        raise NotationError("not a number")
    return int(text)


def _parse_flag(text: str) -> bool:
    if text:
        raise NotationError("a flag has no value")
    return True


def _parse_triggers(text: str) -> tuple[Trigger, ...]:
    names = {trigger.name.lower(): trigger for trigger in Trigger}
    if any(word not in names for word in text.split()):
        raise NotationError("not a trigger")
    return tuple(names[word] for word in text.split())


def _parse_root(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise NotationError("not a root") from None


def _sorted_cards(text: str) -> list[Card]:
    return sorted(parse_cards(text))


def _parse_deck(text: str) -> list[Card]:
    return parse_cards(text)[::-1]


_FIELDS: Final[dict[str, _Setter]] = {
    "move": _attribute("to_move", _parse_seat),
    "turn": _attribute("turn", _parse_number),
    **{f"{_SEATS[i]}.hand": _element("hands", i, _sorted_cards) for i in (0, 1)},
    **{f"{_SEATS[i]}.deck": _element("decks", i, _parse_deck) for i in (0, 1)},
    **{f"{_SEATS[i]}.pile": _element("piles", i, _sorted_cards) for i in (0, 1)},
    **{f"{_SEATS[i]}.knows_top": _element("knows_top", i, _parse_flag) for i in (0, 1)},
    **{space_name(space): _element("board", space, parse_cards) for space in CardType},
    "under_ship": _attribute("under_ship", parse_cards),
    "dragon": _attribute("dragon", _parse_seat),
    "sailings": _attribute("sailings", _parse_number),
    "sent_back": _attribute("sent_back", _parse_number),
    "triggers": _attribute("triggers", _parse_triggers),
    "over": _attribute("over", _parse_flag),
    "root": _attribute("root", _parse_root),
}

# ---- views and facts ----------------------------------------------------------------------------


def format_view(view: View) -> str:
    """Return what a reader may know as one line."""
    fields = ["spectator" if view.reader is None else f"reader {_SEATS[view.reader]}"]
    fields += [] if view.to_move is None else [f"move {_SEATS[view.to_move]}"]
    fields += [f"turn {view.turn}"]
    for seat, public in enumerate(view.seats):
        fields += _seat_fields(view, seat, public)
    return "; ".join(fields + _public_fields(view))


def _seat_fields(view: View, seat: Seat, public: SeatView) -> list[str]:
    name, own = _SEATS[seat], seat == view.reader
    hand = format_cards(view.hand) if own and view.hand is not None else str(public.hand_count)
    fields = [f"{name}.hand {hand}", f"{name}.deck {public.deck_count}"]
    fields += _cards_field(f"{name}.pile", list(public.pile))
    if public.knows_top:
        top = format_card(view.known_top) if own and view.known_top is not None else "?"
        fields.append(f"{name}.knows_top {top}")
    return [*fields, f"{name}.points {public.points}"]


def format_fact(fact: Fact) -> str:
    """Return a fact, projected or whole, as one line."""
    match fact:
        case StartSeatChosen(seat):
            return f"{_SEATS[seat]} had the first turn"
        case CardsDrawn(seat, cards, count, left):
            drawn = " ".join("?" * count) if cards is None else format_cards(cards)
            return f"{_SEATS[seat]} drew {drawn}, {left} left"
        case CardsPlayed(seat, cards, target):
            return f"{_SEATS[seat]} played {format_move(Move(cards, target))}"
        case CardsTaken(seat, source, cards):
            where = "under_ship" if source == CardType.SHIP else space_name(source)
            return f"{_SEATS[seat]} took {format_cards(cards)} from {where}"
        case CardsMovedUnderShip(cards):
            return f"{format_cards(cards)} moved under the ship"
        case ShipsSailed(sailings):
            return f"the ships sailed, {sailings} times so far"
        case DragonTaken(seat, previous):
            owner = "" if previous is None else f" from {_SEATS[previous]}"
            return f"{_SEATS[seat]} took the Great Dragon{owner}"
        case CardSentBack(seat, sent):
            back = "?" if sent is None else format_card(sent)
            return f"{_SEATS[seat]} lost {back} to the top of its deck"
        case FinalTurnBegan(seat, triggers):
            return f"{_SEATS[seat]} had the final turn, because of {_trigger_names(triggers)}"
        case MatchScored(points, dragon):
            owner = "nobody" if dragon is None else _SEATS[dragon]
            return f"the match ended {':'.join(map(str, points))}, the Great Dragon with {owner}"

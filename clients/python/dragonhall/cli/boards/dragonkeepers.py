"""The table of Dragonkeepers: book, offer, supply, and what lies before each seat.

Cards are written in notation: `R|3` a red front with a 3 behind, `G>W` a green one with a white
dragon behind, `S|6` a shadow.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from dragonhall.bots.dragonkeepers.reading import read_view
from dragonhall.cli.boards.layout import WIDTH, Box, flow, grid, inner_width, justified
from dragonhall.cli.boards.table import Table
from dragonhall.v1 import game_pb2
from dragonhall_engine.dragonkeepers import DeckView, Phase, SeatView, View
from dragonhall_engine.dragonkeepers.cards import (
    AMULETS_TO_END,
    COLOUR_LETTERS,
    FREE_TAKES,
    PIECE_VALUES,
    PIECES_PER_AMULET,
    REWARDS,
    RULES,
    SLOT_NAMES,
)
from dragonhall_engine.dragonkeepers.notation import format_card

STYLES: Mapping[str, str] = {
    r"\bR(?:[|>]\w|×\d+)": "bright_red",
    r"\bW(?:[|>]\w|×\d+)": "bright_white",
    r"\bB(?:[|>]\w|×\d+)": "bright_blue",
    r"\bG(?:[|>]\w|×\d+)": "bright_green",
    r"\bS\|6": "magenta",
    r"THE END IS NEAR": "bold red",
}
"""Colours by pattern; without them nothing is lost."""

LEGEND = (
    "The table: R|3 is a red card with a 3 behind, G>W a green one with a white",
    "dragon behind, S|6 a shadow. In a row [R×3] are three red cards, (R×3) three",
    "that are closed for good. (1 4 .) are two pieces of an amulet. > must decide.",
)

_NAMES = ("red", "white", "blue", "green")


def draw(view: game_pb2.View, table: Table) -> list[str]:
    """Draw what the table's reader may know, in lines of at most 79 columns."""
    seen = read_view(view.dragonkeepers, table.reader)
    seats = [[_seat(seen, seat, table)] for seat in range(len(seen.seats))]
    rows = [_book(seen), _offer(seen), [_supply(seen)], *seats]
    return _lines(seen, rows, table)


def brief(view: game_pb2.View, table: Table) -> list[str]:
    """Draw what changes from one decision of a turn to the next."""
    seen = read_view(view.dragonkeepers, table.reader)
    return _lines(seen, [_book(seen), _offer(seen)], table)


def hints(view: game_pb2.View, table: Table, moves: Sequence[game_pb2.Move]) -> list[str]:
    """Return nothing: what a set brings stands above the book."""
    return [""] * len(moves)


def _lines(seen: View, rows: Sequence[Sequence[Box]], table: Table) -> list[str]:
    lines = [*_head(seen), *grid(rows), *_hand(seen, table)]
    return [line.rstrip() for line in lines]


# ---- what is to be done -------------------------------------------------------------------------


def _head(seen: View) -> list[str]:
    done = sum(seat.completed for seat in seen.seats)
    amulets = f"amulets {done} of {AMULETS_TO_END[len(seen.seats)]}"
    game = f" Dragonkeepers ({seen.edition}), round {seen.round}"
    return [justified(f"{game}: {_now(seen)}", amulets), f" {_wanted(seen)}"]


def _now(seen: View) -> str:
    if seen.to_move is None:
        return "over" if seen.ending is None else f"over, {_words(seen.ending.name)}"
    near = "" if seen.trigger is None else ", THE END IS NEAR"
    if seen.phase is Phase.TAKE:
        free = f" of {FREE_TAKES}" if seen.taken <= FREE_TAKES else ""
        return f"take cards, {seen.taken}{free} so far{near}"
    return f"{_PHASES[seen.phase]}{near}"


_PHASES = {Phase.BOOK: "change the book?", Phase.PLAY: "play a set?", Phase.FOLLOW: "follow?"}


def _words(name: str) -> str:
    return name.lower().replace("_", " ")


def _wanted(seen: View) -> str:
    """Say what the book asks for, and what it would bring now (DK-6)."""
    number, colour = seen.requirement
    cards = "card brings" if number == 1 else "cards bring"
    return f"{number} {_NAMES[colour]} {cards} {', '.join(_rewards(seen, number)) or 'nothing'}"


def _rewards(seen: View, number: int) -> list[str]:
    reward = REWARDS[number]
    left = [value for value, count in zip(PIECE_VALUES, seen.pieces, strict=True) if count]
    piece = [f"piece {left[-1] if reward.highest else left[0]}"] if left else []
    bonuses = (
        (reward.crystal and seen.crystals, "a crystal"),
        (reward.shadow and seen.shadows, "a shadow"),
        (reward.egg and seen.eggs, "a golden egg"),
    )
    return piece + [bonus for given, bonus in bonuses if given]


# ---- the middle of the table --------------------------------------------------------------------


def _book(seen: View) -> list[Box]:
    number, colour = seen.requirement
    pages = (f"Left page: {number}", f"Right page: {COLOUR_LETTERS[colour]}, {_NAMES[colour]}")
    return [
        Box(page, f"deck {deck.size}", _booked(deck, changed=changed))
        for page, deck, changed in zip(pages, seen.decks, seen.changed, strict=True)
    ]


def _booked(deck: DeckView, *, changed: bool) -> tuple[str, ...]:
    if not deck.booked:
        return ()
    label = "put on it this turn:" if changed else "put on it:"
    newest, *older = map(format_card, deck.booked)
    before = ["before:"] if changed and older else []
    return flow([label, newest, *before, *older], inner_width(2))


def _offer(seen: View) -> list[Box]:
    slots = RULES[seen.edition].slots
    return [
        Box(SLOT_NAMES[slot], "", ("empty" if card is None else format_card(card),))
        for slot, card in zip(slots, seen.offer, strict=True)
    ]


def _supply(seen: View) -> Box:
    piles = zip(PIECE_VALUES, seen.pieces, strict=True)
    pieces = ", ".join(f"{count}×{value}" for value, count in piles if count) or "none"
    crests = " ".join(map(str, seen.crests)) or "none"
    rest = (
        f"shadows {seen.shadows}, crystals {seen.crystals}, golden eggs {seen.eggs}, "
        f"pearls {seen.pearl_count}, crests {crests}"
    )
    return Box("Supply", "", (f"amulet pieces {pieces}", rest))


# ---- seats --------------------------------------------------------------------------------------


def _seat(seen: View, seat: int, table: Table) -> Box:
    public = seen.seats[seat]
    mark = "> " if seen.to_move == seat else ""
    turn = ", whose turn it is" if seen.active == seat != seen.to_move is not None else ""
    owns = f"crystals {public.crystals}, eggs {public.eggs}, crest {public.crest or 'none'}"
    lines = [f"row {_row(public)}", _amulets(public)]
    if seat != seen.reader:
        lines += flow(_known_hand(public), inner_width(1))
    return Box(f"{mark}{table.title(seat)}{turn}", owns, tuple(lines))


def _row(public: SeatView) -> str:
    last = len(public.row) - 1
    stacks = [f"{COLOUR_LETTERS[stack.colour]}×{len(stack.cards)}" for stack in public.row]
    texts = [f"({text})" if 0 < n < last else f"[{text}]" for n, text in enumerate(stacks)]
    return " ".join(texts) or "empty"


def _amulets(public: SeatView) -> str:
    values = [PIECE_VALUES[pile] for pile in public.pieces]
    rings = []
    for start in range(0, len(values), PIECES_PER_AMULET):
        ring = [str(value) for value in values[start : start + PIECES_PER_AMULET]]
        rings.append(f"({' '.join(ring + ['.'] * (PIECES_PER_AMULET - len(ring)))})")
    pieces = f"{' '.join(rings)} = {sum(values)}" if rings else "none"
    if public.pearls:
        return f"amulets {pieces}, pearls {' '.join(map(str, public.pearls))}"
    return f"amulets {pieces}, pearls {public.pearl_count}"


def _known_hand(public: SeatView) -> list[str]:
    """Say what everybody knows of a hand (DK-9)."""
    known = _grouped(public.known if public.hand is None else public.hand)
    hidden = public.unknown if public.hand is None else 0
    unknown = [f"{hidden} unknown"] if hidden else []
    return [f"hand {public.hand_count}:" if known or unknown else "hand 0", *known, *unknown]


def _grouped(cards: Iterable[int]) -> list[str]:
    counts = Counter(cards)
    names = {card: format_card(card) for card in sorted(counts)}
    return [f"{counts[card]}×{name}" if counts[card] > 1 else name for card, name in names.items()]


def _hand(seen: View, table: Table) -> list[str]:
    if table.reader is None:
        return []
    hand = seen.seats[table.reader].hand or ()
    label = f" Your hand ({len(hand)}): "
    first, *more = flow(_grouped(hand), WIDTH - len(label))
    return [label + first, *(" " * len(label) + line for line in more)]

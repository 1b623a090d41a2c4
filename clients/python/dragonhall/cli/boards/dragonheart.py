"""The board of Dragonheart: nine spaces, what lies under the ship, both players, one's hand.

Cards are written in notation, `D3` a dwarf of 3 points; an outline without a card is `[  ]`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from dragonhall.bots.dragonheart.reading import read_move, read_view
from dragonhall.cli.boards.layout import WIDTH, Box, fit, flow, grid, inner_width, justified
from dragonhall.cli.boards.table import Table
from dragonhall.v1 import game_pb2
from dragonhall_engine.core.rng import Stream
from dragonhall_engine.dragonheart import CardType, Move, State, Trigger, View, apply, resample
from dragonhall_engine.dragonheart.cards import BOARD, LAST_SAILING, LETTERS, Card, value
from dragonhall_engine.dragonheart.notation import format_card
from dragonhall_engine.dragonheart.outcome import points

STYLES: Mapping[str, str] = {
    r"\bD[1-4]\b": "bright_white",
    r"\bH[1-4]\b": "green",
    r"\bF[1-4]\b": "bright_red",
    r"\bC[1-4]\b": "yellow",
    r"\bT[1-4]\b": "bright_green",
    r"\bK[1-4]\b": "cyan",
    r"\bP[1-4]\b": "bright_black",
    r"\bS[1-4]\b": "bright_magenta",
    r"\bV\b": "bright_blue",
    r"Great Dragon|FINAL TURN": "bold red",
}
"""Colours by pattern; without them nothing is lost."""

LEGEND = (
    "The board: D3 is a dwarf of 3 points, [  ] a free place, =7 the points lying",
    "there; > who must move; `top H1` is the top card of a deck, `top ?` one that",
    "only the deck's owner knows; (+6) the points that a move takes at once.",
)

_SPACES: Mapping[CardType, tuple[str, str]] = {
    CardType.DWARF: ("Dwarf", "4th: take all four"),
    CardType.HUNTRESS: ("Huntress", "3rd: take all F"),
    CardType.FIRE_DRAGON: ("Fire Dragon", "each: take all C"),
    CardType.TREASURE: ("Treasure Chest", "for F and S to take"),
    CardType.TROLL: ("Troll", "each: take all S"),
    CardType.KNIGHT: ("Knight", "2nd: take all S or T"),
    CardType.PETRIFIED_DRAGON: ("Petrified Dragon", "for S: + Great Dragon"),
    CardType.SORCERESS: ("Sorceress", "each: take all P or C"),
    CardType.SHIP: ("Ship", "3rd: take all under it"),
}
"""Title and effect of each space (DH-3), in the order in which they are drawn."""

_A_ROW = 3


def draw(view: game_pb2.View, table: Table) -> list[str]:
    """Draw what the table's reader may know, in lines of at most 79 columns."""
    seen = read_view(view.dragonheart, table.reader)
    boxes = [_space(seen, type_) for type_ in _SPACES]
    rows = [boxes[n : n + _A_ROW] for n in range(0, len(boxes), _A_ROW)]
    lines = [_headline(seen), *grid([*rows, [_under_ship(seen)]])]
    for seat in range(len(seen.seats)):
        lines += _seat(seen, seat, table)
    return [line.rstrip() for line in [*lines, *_hand(seen)]]


brief = draw
"""A turn is one decision."""


def hints(view: game_pb2.View, table: Table, moves: Sequence[game_pb2.Move]) -> list[str]:
    """Return how many points each move of the reader takes at once, such as `+7`, or nothing.

    What a move takes lies open, so any state that fits the view tells it.
    """
    seen = read_view(view.dragonheart, table.reader)
    assert seen.reader is not None
    state = resample(seen, Stream(b"", "hints"))
    return [_gain(state, seen.reader, read_move(move.dragonheart)) for move in moves]


def _gain(state: State, seat: int, move: Move) -> str:
    after, _ = apply(state, seat, move)
    more = points(after, seat) - points(state, seat)
    return f"+{more}" if more else ""


def _headline(seen: View) -> str:
    sailed = f"ships sailed {seen.sailings} of {LAST_SAILING}"
    if seen.over:
        return justified(f" Dragonheart, over after turn {seen.turn}", sailed)
    reasons = [_REASONS[trigger] for trigger in seen.triggers]
    final = f": FINAL TURN, {' and '.join(reasons)}" if reasons else ""
    return justified(f" Dragonheart, turn {seen.turn}{final}", sailed)


_REASONS = {Trigger.SHIPS: "nine ships are played", Trigger.DECK: "a deck is empty"}


def _space(seen: View, type_: CardType) -> Box:
    name, effect = _SPACES[type_]
    cards, outlines = seen.board[type_], BOARD[type_].outlines
    if outlines is None:
        lines = flow([format_card(card) for card in cards], inner_width(_A_ROW))
    else:
        places = [f"[{format_card(card):<2}]" for card in cards] + ["[  ]"] * (
            outlines - len(cards)
        )
        lines = (" ".join(places),)
    return Box(f"{LETTERS[type_]} {name}", _worth(cards), (*lines, effect))


def _under_ship(seen: View) -> Box:
    cards = seen.under_ship
    words = flow([format_card(card) for card in cards] or ["nothing"], inner_width(1))
    return Box("Under the ship", _worth(cards), words)


def _worth(cards: Iterable[Card]) -> str:
    total = sum(map(value, cards))
    return f"={total}" if total else ""


def _seat(seen: View, seat: int, table: Table) -> list[str]:
    public = seen.seats[seat]
    mark = ">" if seen.to_move == seat else " "
    name = fit(f"{mark}{table.title(seat)}", 30)
    dragon = "Great Dragon" if seen.dragon == seat else ""
    counts = f"hand {public.hand_count}  deck {public.deck_count:<2}"
    points = f"{public.points} points"
    first, *more = flow(_grouped(public.pile), WIDTH - len(_PILE))
    pile = [_PILE + first, *(" " * len(_PILE) + line for line in more)]
    return [justified(f"{name} {dragon:<13} {counts}{_top(seen, seat)}", points), *pile]


_PILE = "  pile: "


def _top(seen: View, seat: int) -> str:
    """Say who knows the top of a deck (DH-5.3)."""
    if not seen.seats[seat].knows_top:
        return ""
    own = seat == seen.reader and seen.known_top is not None
    return f" top {format_card(seen.known_top)}" if own and seen.known_top else " top ?"


def _grouped(cards: Iterable[Card]) -> list[str]:
    counts = Counter(cards)
    names = {card: format_card(card) for card in sorted(counts)}
    words = [f"{counts[card]}×{name}" if counts[card] > 1 else name for card, name in names.items()]
    return words or ["nothing"]


def _hand(seen: View) -> list[str]:
    if seen.hand is None:
        return []
    return [f" Your hand: {' '.join(f'[{format_card(card)}]' for card in seen.hand)}"]

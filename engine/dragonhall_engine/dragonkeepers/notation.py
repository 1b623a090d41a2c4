"""Dragonkeepers as text: cards, moves and facts. States and views are in `notation_state`.

card    `R|3` front red, back number 3; `G>W` front green, back white; `S|6` a shadow.
move    `take L1`, `take R1 with crystal`, `end take`, `book left R|3`, `end book`,
        `play B|1 B|2 S|6 left`, `pass`. Cards of a set in any order are read.
seat    `A` is seat 0, `B` seat 1, and so on.
fact    a short sentence in the past tense; `?` stands for what is hidden.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from dragonhall_engine.core.errors import NotationError
from dragonhall_engine.dragonkeepers.cards import (
    CARD_BY_NAME,
    CARD_NAMES,
    COLOUR_LETTERS,
    ENDS,
    PIECE_VALUES,
    RIGHT,
    SEAT_LETTERS,
    SLOT_NAMES,
    SLOT_PAGE,
)
from dragonhall_engine.dragonkeepers.facts import (
    AmuletCompleted,
    BookEnded,
    CardBooked,
    CardTaken,
    CrestTaken,
    CrystalGained,
    CrystalSpent,
    EggGained,
    EndTriggered,
    Fact,
    GainFact,
    MatchEnded,
    Passed,
    PearlDrawn,
    PieceTaken,
    RoundEnded,
    SeatFact,
    SeatRevealed,
    SeatScored,
    SetPlayed,
    ShadowGained,
    SlotRefilled,
    StartersDealt,
    SupplyRevealed,
    TableLaid,
    TakeEnded,
    TurnBegan,
)
from dragonhall_engine.dragonkeepers.moves import Book, EndBook, EndTake, Move, Pass, Play, Take

_HIDDEN: Final = "?"

# ---- cards and moves ----------------------------------------------------------------------------


def format_card(card: int) -> str:
    """Return `R|3`, `G>W` or `S|6`."""
    return CARD_NAMES[card]


def parse_card(text: str) -> int:
    """Read a card.

    Raises:
        NotationError: the text is no card of the game.
    """
    if text not in CARD_BY_NAME:
        raise NotationError("not a card")
    return CARD_BY_NAME[text]


def format_cards(cards: Iterable[int]) -> str:
    """Return cards separated by blanks, in the order given."""
    return " ".join(map(format_card, cards))


def parse_cards(text: str) -> list[int]:
    """Read cards separated by blanks, in the order given; raises like `parse_card`."""
    return [parse_card(word) for word in text.split()]


def format_move(move: Move) -> str:
    """Return a move in notation."""
    match move:
        case Take(slot, with_crystal):
            return f"take {SLOT_NAMES[slot]}{' with crystal' if with_crystal else ''}"
        case EndTake():
            return "end take"
        case Book(page, card):
            return f"book {ENDS[page]} {format_card(card)}"
        case EndBook():
            return "end book"
        case Play(cards, side):
            return f"play {format_cards(cards)}{'' if side is None else ' ' + ENDS[side]}"
        case Pass():
            return "pass"


def parse_move(text: str) -> Move:
    """Read a move in notation; legality is not looked at.

    Raises:
        NotationError: the text is no move.
    """
    match text.split():
        case ["take", slot]:
            return Take(index_of(SLOT_NAMES, slot))
        case ["take", slot, "with", "crystal"]:
            return Take(index_of(SLOT_NAMES, slot), with_crystal=True)
        case ["end", "take"]:
            return EndTake()
        case ["book", page, card]:
            return Book(index_of(ENDS, page), parse_card(card))
        case ["end", "book"]:
            return EndBook()
        case ["play", *cards, "left" | "right" as side] if cards:
            return Play(tuple(sorted(map(parse_card, cards))), ENDS.index(side))
        case ["play", *cards] if cards:
            return Play(tuple(sorted(map(parse_card, cards))))
        case ["pass"]:
            return Pass()
    raise NotationError("not a move")


def index_of(names: tuple[str, ...], text: str) -> int:
    """Read one of several names as its index.

    Raises:
        NotationError: it is none of them.
    """
    if text not in names:
        raise NotationError("not a name that is known here")
    return names.index(text)


def format_numbers(values: Iterable[int]) -> str:
    """Return numbers separated by blanks."""
    return " ".join(map(str, values))


def format_piles(counts: Sequence[int]) -> str:
    """Return the pieces of a supply by value, such as `4x3 20x1`; empty piles are left out."""
    piles = zip(PIECE_VALUES, counts, strict=True)
    return " ".join(f"{value}x{count}" for value, count in piles if count)


# ---- facts --------------------------------------------------------------------------------------


def format_fact(fact: Fact) -> str:
    """Return a fact, projected or whole, as one line."""
    match fact:
        case TableLaid(edition, seats, start, offer, number, colour, pieces):
            table = f"{edition} edition, {seats} seats, {SEAT_LETTERS[start]} starts"
            pages = f"the pages show {number} {COLOUR_LETTERS[colour]}"
            return f"{table}: offer {format_cards(offer)}, {pages}, pieces {format_piles(pieces)}"
        case SlotRefilled(slot, card, shown):
            page = SLOT_PAGE[slot]
            shows = COLOUR_LETTERS[shown] if page == RIGHT else shown
            return (
                f"{SLOT_NAMES[slot]} got {format_card(card)}, the {ENDS[page]} page shows {shows}"
            )
        case EndTriggered(ending):
            return f"the end was triggered by {ending.name.lower()}"
        case RoundEnded(round_, quiet):
            return f"round {round_} ended, {quiet} in a row without a set"
        case MatchEnded(ending):
            return f"the match ended by {ending.name.lower()}"
        case SupplyRevealed(left, right, starters, pearls):
            decks = f"left {format_cards(left)}, right {format_cards(right)}"
            rest = f"starters out {format_cards(starters)}, pearls {format_numbers(pearls)}"
            return f"nobody had seen: {decks}, {rest}"
        case _:
            return f"{SEAT_LETTERS[fact.seat]} {_deed(fact)}"


def _deed(fact: SeatFact) -> str:
    """What a seat did or revealed."""
    match fact:
        case TurnBegan(_, round_):
            return f"began its turn of round {round_}"
        case CardTaken(_, slot, card):
            return f"took {format_card(card)} from {SLOT_NAMES[slot]}"
        case CrystalSpent():
            return "spent a crystal"
        case TakeEnded():
            return "took no more"
        case CardBooked(_, page, card):
            return f"put {format_card(card)} on the {ENDS[page]} page"
        case BookEnded():
            return "changed no more pages"
        case SetPlayed(_, cards, colour, side):
            where = "" if side is None else f" at the {ENDS[side]} end"
            return f"played {format_cards(cards)} as {COLOUR_LETTERS[colour]}{where}"
        case Passed():
            return "passed"
        case AmuletCompleted(_, completed):
            return f"completed amulet {completed}"
        case SeatRevealed(_, starters, pearls):
            hidden = f"starters {format_cards(starters) or '-'}"
            return f"had {hidden}, pearls {format_numbers(pearls) or '-'}"
        case SeatScored(_, pieces, pearl_points, crest, eggs, played, total, row_cards):
            owned = f"pieces {pieces} + pearls {pearl_points} + crest {crest} + eggs {eggs}"
            return f"scored {owned} + played {played} = {total}, {row_cards} cards in the row"
        case _:
            return f"got {_gain(fact)}"


def _gain(fact: GainFact) -> str:
    match fact:
        case StartersDealt(_, count, cards):
            return f"starters {' '.join(_HIDDEN * count) if cards is None else format_cards(cards)}"
        case CrestTaken(_, value):
            return f"crest {value}"
        case PieceTaken(_, pile):
            return f"piece {PIECE_VALUES[pile]}"
        case PearlDrawn(_, value):
            return f"pearl {_HIDDEN if value is None else value}"
        case CrystalGained():
            return "a crystal"
        case ShadowGained():
            return "a shadow"
        case EggGained():
            return "a golden egg"

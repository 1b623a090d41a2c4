"""What a reader may know, built field by field (DK-9). A reader is a seat, or None: a spectator.

What everybody could know by counting is shown to everybody.
"""

from dataclasses import dataclass
from typing import Final

from dragonhall_engine.core.game import Seat
from dragonhall_engine.dragonkeepers.cards import (
    CRESTS,
    EMPTY,
    PAGES,
    PEARLS,
    PIECE_COPIES,
    PIECES_PER_AMULET,
    SHOWN,
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
    MatchEnded,
    Passed,
    PearlDrawn,
    PieceTaken,
    RoundEnded,
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
from dragonhall_engine.dragonkeepers.state import Area, Ending, Phase, State, require_seat


@dataclass(frozen=True, slots=True)
class Stack:
    """A stack of a row: the colour it counts as, and its cards as they came."""

    colour: int
    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SeatView:
    """What one reader may know about a seat. All fields but `starters` and `pearls` are public.

    Attributes:
        known: the cards of its hand that everybody has seen, ascending.
        unknown: how many further cards it holds; all of them are starters.
        starters: those further cards, ascending. The seat itself, and everybody after the end.
        row: its stacks from left to right.
        crystals, eggs: how many it owns.
        crest: value of its crest; 0 is none.
        pieces: its amulet pieces as piles (`cards.PIECE_VALUES`), in order of arrival.
        pearl_count: how many pearls it owns.
        pearls: their values, ascending. The seat itself, and everybody after the end.
    """

    known: tuple[int, ...]
    unknown: int
    starters: tuple[int, ...] | None
    row: tuple[Stack, ...]
    crystals: int
    eggs: int
    crest: int
    pieces: tuple[int, ...]
    pearl_count: int
    pearls: tuple[int, ...] | None

    @property
    def hand_count(self) -> int:
        """Cards in its hand."""
        return len(self.known) + self.unknown

    @property
    def hand(self) -> tuple[int, ...] | None:
        """Its whole hand, ascending, for whoever may know it."""
        return None if self.starters is None else tuple(sorted(self.known + self.starters))

    @property
    def completed(self) -> int:
        """How many amulets it has completed (DK-6.3)."""
        return len(self.pieces) // PIECES_PER_AMULET


@dataclass(frozen=True, slots=True)
class DeckView:
    """What one reader may know about a deck. All fields but `order` are public.

    Attributes:
        booked: the cards put on it by DK-4 and not yet turned up, top first.
        unseen: the cards below them, ascending: everybody can count what has not come.
        unseen_shown: what the back of the top card of those shows; the page shows it whenever
            nothing is booked.
        order: the cards of `unseen`, top first. Everybody, after the end.
    """

    booked: tuple[int, ...]
    unseen: tuple[int, ...]
    unseen_shown: int
    order: tuple[int, ...] | None

    @property
    def size(self) -> int:
        """Cards in the deck."""
        return len(self.booked) + len(self.unseen)

    @property
    def shown(self) -> int:
        """What the page shows: a number 1-6 on the left, a colour on the right."""
        return SHOWN[self.booked[0]] if self.booked else self.unseen_shown


@dataclass(frozen=True, slots=True)
class View:
    """What one reader may know. Fields that do not say more are public.

    Attributes:
        reader: the seat this view is for; None for a spectator.
        edition: name of the edition.
        start_seat: who had the first turn; rounds begin there.
        round: number of the running round, from 1.
        quiet_rounds: rounds in a row, just finished, without a set by anyone (DK-7.2).
        set_played: whether anyone has played a set in the running round.
        active: the seat whose turn it is; after the end, whose it was.
        phase: the part of its turn.
        to_move: the seat to decide; None after the end.
        taken: cards taken in this turn, 0-4; the fourth costs a crystal.
        changed: for the left and the right page, whether it was changed in this turn.
        offer: the card in each of the edition's slots, in canonical order; None is an empty one.
        decks: the left and the right deck.
        shadows, crystals, eggs: left in the supply.
        crests: values left in the supply, the next one first.
        pieces: amulet pieces left in the supply, for each pile of `cards.PIECE_VALUES`.
        pearl_count: pearls left in the supply.
        unseen_starters: starters that the reader cannot place, ascending: each is among the
            unknown cards of another seat, or has left the game. Everybody but the holder of a
            starter counts the same ones.
        starters_out: starters that left the game unseen, ascending. Everybody, after the end.
        pearls: values of the pearls in the supply, the next one first. Everybody, after the end.
        trigger: what triggered the end; None while nothing has.
        ending: what ended the match; None while it runs.
        seats: what the reader may know about each seat, in seat order.
    """

    reader: Seat | None
    edition: str
    start_seat: Seat
    round: int
    quiet_rounds: int
    set_played: bool
    active: Seat
    phase: Phase
    to_move: Seat | None
    taken: int
    changed: tuple[bool, ...]
    offer: tuple[int | None, ...]
    decks: tuple[DeckView, ...]
    shadows: int
    crystals: int
    eggs: int
    crests: tuple[int, ...]
    pieces: tuple[int, ...]
    pearl_count: int
    unseen_starters: tuple[int, ...]
    starters_out: tuple[int, ...] | None
    pearls: tuple[int, ...] | None
    trigger: Ending | None
    ending: Ending | None
    seats: tuple[SeatView, ...]

    @property
    def requirement(self) -> tuple[int, int]:
        """The number on the left page and the colour on the right page."""
        left, right = self.decks
        return left.shown, right.shown

    @property
    def removed_pieces(self) -> tuple[int, ...]:
        """Pieces that left before the game, for each pile: all less those ever open (DK-2.5)."""
        owned = [pile for seat in self.seats for pile in seat.pieces]
        return tuple(
            copies - self.pieces[pile] - owned.count(pile)
            for pile, copies in enumerate(PIECE_COPIES.values())
        )

    @property
    def unseen_pearls(self) -> tuple[int, ...]:
        """Values of all pearls that the reader does not see, ascending."""
        unseen = list(PEARLS)
        for values in (self.pearls, *(seat.pearls for seat in self.seats)):
            for value in values or ():
                unseen.remove(value)
        return tuple(unseen)


def view(state: State, reader: Seat | None) -> View:
    """Return what a reader may know.

    Raises:
        InvalidSeat: the match has no such seat.
    """
    if reader is not None:
        require_seat(state, reader)
    over = state.phase == Phase.OVER
    return View(
        reader=reader,
        edition=state.edition.name,
        start_seat=state.start_seat,
        round=state.round,
        quiet_rounds=state.quiet_rounds,
        set_played=state.set_played,
        active=state.active,
        phase=state.phase,
        to_move=None if over else state.to_move,
        taken=state.taken,
        changed=tuple(state.changed),
        offer=tuple(_slot(state.offer[slot]) for slot in state.edition.slots),
        decks=tuple(_deck_view(state, page, over=over) for page in PAGES),
        shadows=state.shadows,
        crystals=state.crystals,
        eggs=state.eggs,
        crests=CRESTS[len(CRESTS) - state.crests :],
        pieces=tuple(state.pieces),
        pearl_count=len(state.pearls),
        unseen_starters=() if over else _unseen_starters(state, reader),
        starters_out=tuple(state.starters_out) if over else None,
        pearls=tuple(reversed(state.pearls)) if over else None,
        trigger=state.trigger,
        ending=state.ending,
        seats=tuple(
            _seat_view(area, private=over or seat == reader)
            for seat, area in enumerate(state.areas)
        ),
    )


def _slot(card: int) -> int | None:
    return None if card == EMPTY else card


def _deck_view(state: State, page: int, *, over: bool) -> DeckView:
    deck = state.decks[page]
    booked_from = len(deck) - state.booked[page]
    unseen = deck[:booked_from]
    return DeckView(
        booked=tuple(reversed(deck[booked_from:])),
        unseen=tuple(sorted(unseen)),
        unseen_shown=SHOWN[unseen[-1]],
        order=tuple(reversed(unseen)) if over else None,
    )


def _seat_view(area: Area, *, private: bool) -> SeatView:
    return SeatView(
        known=_known(area),
        unknown=len(area.starters),
        starters=tuple(area.starters) if private else None,
        row=tuple(Stack(colour, tuple(area.stacks[colour])) for colour in area.row),
        crystals=area.crystals,
        eggs=area.eggs,
        crest=area.crest,
        pieces=tuple(area.pieces),
        pearl_count=len(area.pearls),
        pearls=tuple(area.pearls) if private else None,
    )


def _known(area: Area) -> tuple[int, ...]:
    """The hand without the starters nobody else has seen (DK-1.4)."""
    known = area.hand[:]
    for starter in area.starters:
        known.remove(starter)
    return tuple(known)


def _unseen_starters(state: State, reader: Seat | None) -> tuple[int, ...]:
    unseen = state.starters_out[:]
    for seat, area in enumerate(state.areas):
        if seat != reader:
            unseen += area.starters
    return tuple(sorted(unseen))


_PUBLIC: Final = (
    TableLaid,
    TurnBegan,
    CardTaken,
    CrystalSpent,
    SlotRefilled,
    TakeEnded,
    CardBooked,
    BookEnded,
    SetPlayed,
    Passed,
    CrestTaken,
    PieceTaken,
    AmuletCompleted,
    CrystalGained,
    ShadowGained,
    EggGained,
    EndTriggered,
    RoundEnded,
    MatchEnded,
    SeatRevealed,
    SupplyRevealed,
    SeatScored,
)


def project(fact: Fact, reader: Seat | None) -> Fact:
    """Return a fact as a reader may know it: hidden fields are None.

    Raises:
        TypeError: a kind of fact whose readers nobody has listed.
    """
    if isinstance(fact, _PUBLIC):
        return fact
    if isinstance(fact, StartersDealt):
        cards = fact.cards if reader == fact.seat else None
        return StartersDealt(fact.seat, fact.count, cards)
    if isinstance(fact, PearlDrawn):
        return PearlDrawn(fact.seat, fact.value if reader == fact.seat else None)
    raise TypeError(f"no readers are listed for {type(fact).__name__}")

"""The full truth of a match: small numbers and lists, changed in place by `step` alone."""

from dataclasses import dataclass, field
from enum import IntEnum, unique

from dragonhall_engine.core.errors import InvalidSeat
from dragonhall_engine.core.game import Seat
from dragonhall_engine.dragonkeepers.cards import EMPTY, PIECE_VALUES, SHOWN, SLOT_NAMES, Edition

NOBODY = -1
"""The seat to move after the end."""


@unique
class Phase(IntEnum):
    """The part of a turn that waits for a decision."""

    TAKE = 0
    BOOK = 1
    PLAY = 2
    FOLLOW = 3
    OVER = 4


@unique
class Ending(IntEnum):
    """What ends a match by its rules: DK-7.1 (a), (b), or DK-7.2."""

    AMULETS = 0
    EMPTY_OFFER = 1
    STALL = 2
    ROUND_LIMIT = 3


@dataclass(slots=True, repr=False)
class Area:
    """What lies in front of one seat. Its `repr` shows no hand.

    Attributes:
        hand: all its cards, ascending, so that the order of arrival tells nothing. Its owner.
        starters: those of its hand cards that no other seat has seen, ascending. Its owner.
        row: colours of its stacks from left to right. Everybody.
        stacks: the cards of each colour's stack as they came, by colour. Everybody.
        crystals, eggs: how many it owns. Everybody.
        crest: value of its crest; 0 is none. Everybody.
        pieces: its amulet pieces as piles (`cards.PIECE_VALUES`), in order of arrival; every three
            are a ring (DK-6.3). Everybody.
        pearls: values of its pearls, ascending. Its owner; the count is everybody's.
    """

    hand: list[int] = field(default_factory=list)
    starters: list[int] = field(default_factory=list)
    row: list[int] = field(default_factory=list)
    stacks: tuple[list[int], list[int], list[int], list[int]] = field(
        default_factory=lambda: ([], [], [], [])
    )
    crystals: int = 0
    eggs: int = 0
    crest: int = 0
    pieces: list[int] = field(default_factory=list)
    pearls: list[int] = field(default_factory=list)

    def copy(self) -> "Area":
        """Return an independent copy."""
        red, white, blue, green = self.stacks
        return Area(
            self.hand[:],
            self.starters[:],
            self.row[:],
            (red[:], white[:], blue[:], green[:]),
            self.crystals,
            self.eggs,
            self.crest,
            self.pieces[:],
            self.pearls[:],
        )


@dataclass(slots=True, repr=False)
class State:
    """A match, all of it: engine and store only, never a reader.

    The verbs treat a state as a value; only `step` and `advance` change one in place.
    All luck is drawn at the deal, so there is no key of streams to keep. Where a field does not
    say who may know it, everybody may.

    Attributes:
        edition: the switches of its rules.
        areas: what lies in front of each seat.
        start_seat: who had the first turn; rounds begin there.
        round: number of the running round, from 1.
        quiet_rounds: rounds in a row, just finished, without a set by anyone (DK-7.2).
        set_played: whether anyone has played a set in the running round.
        active: the seat whose turn it is.
        phase: the part of its turn.
        to_move: the seat to decide: `active`, a follower, or NOBODY after the end.
        taken: cards taken in this turn, 0-4; the fourth costs a crystal.
        changed: for each page, whether it was changed in this turn (DK-4.1).
        offer: a card or EMPTY for each of the four slots; slots an edition lacks stay EMPTY.
        decks: left and right deck, the top card last. Nobody; the sizes and the back of the top
            card are everybody's.
        booked: for each deck, how many of its top cards were put there by DK-4. Those cards and
            their order are everybody's, as is the back of the card just below them.
        starters_out: the starters that left the game unseen, ascending (DK-2.2). Nobody.
        shadows, crystals, eggs: left in the supply.
        crests: how many of `cards.CRESTS` are left; they go from the front.
        pieces: left in the supply, for each pile of `cards.PIECE_VALUES`.
        pearls: values of those left in the supply, the next one last. Nobody.
        trigger: what triggered the end; None while nothing has (DK-7.1).
        ending: what ended the match; None while it runs.
    """

    edition: Edition
    areas: list[Area]
    start_seat: Seat = 0
    round: int = 1
    quiet_rounds: int = 0
    set_played: bool = False
    active: Seat = 0
    phase: Phase = Phase.TAKE
    to_move: Seat = 0
    taken: int = 0
    changed: list[bool] = field(default_factory=lambda: [False, False])
    offer: list[int] = field(default_factory=lambda: [EMPTY] * len(SLOT_NAMES))
    decks: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))
    booked: list[int] = field(default_factory=lambda: [0, 0])
    starters_out: list[int] = field(default_factory=list)
    shadows: int = 0
    crystals: int = 0
    eggs: int = 0
    crests: int = 0
    pieces: list[int] = field(default_factory=lambda: [0] * len(PIECE_VALUES))
    pearls: list[int] = field(default_factory=list)
    trigger: Ending | None = None
    ending: Ending | None = None

    @property
    def seats(self) -> int:
        """How many seats the match has."""
        return len(self.areas)

    @property
    def requirement(self) -> tuple[int, int]:
        """The number on the left page and the colour on the right page."""
        left, right = self.decks
        return SHOWN[left[-1]], SHOWN[right[-1]]

    def __repr__(self) -> str:
        # A state may end up in a log or a traceback: its repr names nothing hidden.
        return f"<dragonkeepers state, round {self.round}, turn of seat {self.active}>"

    def copy(self) -> "State":
        """Return an independent copy."""
        left, right = self.decks
        return State(
            self.edition,
            [area.copy() for area in self.areas],
            self.start_seat,
            self.round,
            self.quiet_rounds,
            self.set_played,
            self.active,
            self.phase,
            self.to_move,
            self.taken,
            self.changed[:],
            self.offer[:],
            (left[:], right[:]),
            self.booked[:],
            self.starters_out[:],
            self.shadows,
            self.crystals,
            self.eggs,
            self.crests,
            self.pieces[:],
            self.pearls[:],
            self.trigger,
            self.ending,
        )


def copy(state: State) -> State:
    """Return an independent copy, for search."""
    return state.copy()


def require_seat(state: State, seat: Seat) -> None:
    """Raise `InvalidSeat` if the match has no such seat."""
    if not 0 <= seat < len(state.areas):
        raise InvalidSeat("the match has no such seat")

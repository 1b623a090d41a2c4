"""The full truth of a match, on a compact board of small ints."""

from dragonhall_engine.core.game import Seat
from dragonhall_engine.dragonheart.cards import Card, CardType, Trigger


class State:
    """Everything about a match; engine and store only, never a reader.

    The verbs treat a state as a value; only `step` and `advance` change one in place.

    Attributes:
        root: the key of all random streams; nobody knows it before the end.
        to_move: whose turn it is; after the end, who moved last.
        turn: 1-based number of the turn under way; after the end, of the last one. Public.
        hands: per seat, in canonical order, so that the order of drawing leaks nothing. The
            seat alone knows its own; counts are public.
        decks: per seat, the top card *last*. Nobody knows the order; counts are public.
        knows_top: per seat, whether it knows the top card of its deck (DH-5.3). The flag is
            public, the card is known to that seat alone.
        piles: per seat, the cards taken, in canonical order. Public.
        board: per type, the stack on its space, bottom first. Public.
        under_ship: the cards under the ship, bottom first. Public.
        dragon: who owns the Great Dragon, or None. Public.
        sailings: how often three ships have sailed, 0-4. Public.
        sent_back: how many cards DH-5.3 has really sent back. Public.
        triggers: what began the final turn; empty before it. Public.
        over: whether the match has ended. Public.
    """

    __slots__ = (
        "board",
        "decks",
        "dragon",
        "hands",
        "knows_top",
        "over",
        "piles",
        "root",
        "sailings",
        "sent_back",
        "to_move",
        "triggers",
        "turn",
        "under_ship",
    )

    def __init__(self, root: bytes, start_seat: Seat) -> None:
        """Set up an empty board and empty hands and decks (DH-2.2)."""
        self.root = root
        self.to_move = start_seat
        self.turn = 1
        self.hands: list[list[Card]] = [[], []]
        self.decks: list[list[Card]] = [[], []]
        self.knows_top = [False, False]
        self.piles: list[list[Card]] = [[], []]
        self.board: list[list[Card]] = [[] for _ in CardType]
        self.under_ship: list[Card] = []
        self.dragon: Seat | None = None
        self.sailings = 0
        self.sent_back = 0
        self.triggers: tuple[Trigger, ...] = ()
        self.over = False

    @property
    def start_seat(self) -> Seat:
        """Who had the first turn."""
        return (self.to_move + self.turn - 1) % 2

    def copy(self) -> "State":
        """Return an independent copy."""
        twin = State.__new__(State)
        twin.root = self.root
        twin.to_move = self.to_move
        twin.turn = self.turn
        twin.hands = [hand[:] for hand in self.hands]
        twin.decks = [deck[:] for deck in self.decks]
        twin.knows_top = self.knows_top[:]
        twin.piles = [pile[:] for pile in self.piles]
        twin.board = [stack[:] for stack in self.board]
        twin.under_ship = self.under_ship[:]
        twin.dragon = self.dragon
        twin.sailings = self.sailings
        twin.sent_back = self.sent_back
        twin.triggers = self.triggers
        twin.over = self.over
        return twin

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in State.__slots__)

    __hash__ = None  # type: ignore[assignment]  # mutable

    def __repr__(self) -> str:
        # A state may end up in a log or a traceback: its repr names nothing hidden.
        return f"<dragonheart state, turn {self.turn}>"


def copy(state: State) -> State:
    """Return an independent copy, for search."""
    return state.copy()

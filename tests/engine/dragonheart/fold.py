"""What a client does: keep a view up to date from the facts it is told, and from nothing else."""

from collections import Counter
from collections.abc import Iterable

from dragonhall_engine.dragonheart import Fact, SeatView, Trigger, View
from dragonhall_engine.dragonheart.cards import DECK, DRAGON_POINTS, CardType, card_type, value
from dragonhall_engine.dragonheart.facts import (
    CardsDrawn,
    CardSentBack,
    CardsMovedUnderShip,
    CardsPlayed,
    CardsTaken,
    DragonTaken,
    FinalTurnBegan,
    MatchScored,
    ShipsSailed,
    StartSeatChosen,
)


class FoldedView:
    """The view of one reader, from facts projected for it."""

    def __init__(self, reader: int | None) -> None:
        """Begin before the opening."""
        self.reader = reader
        self.start = 0
        self.turn = 1
        self.over = False
        self.hand: Counter[int] = Counter()
        self.known_top: int | None = None
        self.hand_count = [0, 0]
        self.deck_count = [len(DECK), len(DECK)]
        self.knows_top = [False, False]
        self.piles: list[list[int]] = [[], []]
        self.unseen = [Counter(DECK), Counter(DECK)]
        self.board: list[list[int]] = [[] for _ in CardType]
        self.under_ship: list[int] = []
        self.dragon: int | None = None
        self.sailings = self.sent_back = 0
        self.triggers: tuple[Trigger, ...] = ()

    def opening(self, facts: Iterable[Fact]) -> None:
        """Take in the facts of the deal."""
        for fact in facts:
            self._take_in(fact)

    def move(self, facts: Iterable[Fact]) -> None:
        """Take in the facts of one move; the next turn begins unless the match ended."""
        for fact in facts:
            self._take_in(fact)
        self.turn += not self.over

    def _take_in(self, fact: Fact) -> None:
        match fact:
            case StartSeatChosen(seat):
                self.start = seat
            case CardsDrawn(seat, cards, count, left):
                self._drawn(seat, cards, count, left)
            case CardsPlayed(seat, cards, _):
                self._played(seat, cards)
            case CardsTaken(seat, source, cards):
                self.piles[seat] += cards
                (self.under_ship if source == CardType.SHIP else self.board[source]).clear()
            case CardsMovedUnderShip(cards):
                self.under_ship += cards
                self.board[card_type(cards[0])].clear()
            case ShipsSailed(sailings):
                self.sailings = sailings
                self.board[CardType.SHIP].clear()
            case DragonTaken(seat, _):
                self.dragon = seat
            case CardSentBack(seat, card):
                self._sent_back(seat, card)
            case FinalTurnBegan(_, triggers):
                self.triggers = triggers
            case MatchScored():
                self.over = True

    def _drawn(self, seat: int, cards: tuple[int, ...] | None, count: int, left: int) -> None:
        self.hand_count[seat] += count
        self.deck_count[seat] = left
        self.knows_top[seat] = False
        if seat == self.reader and cards is not None:
            self.hand.update(cards)
            self.known_top = None

    def _played(self, seat: int, cards: tuple[int, ...]) -> None:
        self.hand_count[seat] -= len(cards)
        self.unseen[seat].subtract(cards)
        self.board[card_type(cards[0])] += cards
        if seat == self.reader:
            self.hand.subtract(cards)

    def _sent_back(self, seat: int, card: int | None) -> None:
        self.hand_count[seat] -= 1
        self.deck_count[seat] += 1
        self.knows_top[seat] = True
        self.sent_back += 1
        if seat == self.reader and card is not None:
            self.hand[card] -= 1
            self.known_top = card

    def view(self) -> View:
        """Return the view as the engine writes it."""
        return View(
            reader=self.reader,
            hand=None if self.reader is None else tuple(sorted(self.hand.elements())),
            known_top=self.known_top,
            start_seat=self.start,
            to_move=None if self.over else (self.start + self.turn - 1) % 2,
            turn=self.turn,
            seats=(self._seat(0), self._seat(1)),
            board=tuple(map(tuple, self.board)),
            under_ship=tuple(self.under_ship),
            dragon=self.dragon,
            sailings=self.sailings,
            sent_back=self.sent_back,
            triggers=self.triggers,
            over=self.over,
        )

    def _seat(self, seat: int) -> SeatView:
        pile = tuple(sorted(self.piles[seat]))
        return SeatView(
            hand_count=self.hand_count[seat],
            deck_count=self.deck_count[seat],
            knows_top=self.knows_top[seat],
            pile=pile,
            points=sum(map(value, pile)) + (DRAGON_POINTS if self.dragon == seat else 0),
            unseen=tuple(sorted(self.unseen[seat].elements())),
        )

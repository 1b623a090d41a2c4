"""What a client does: keep a view up to date from the facts it is told, and from nothing else."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from dragonhall_engine.dragonkeepers import (
    DeckView,
    Ending,
    Fact,
    Phase,
    SeatView,
    Stack,
    View,
    cards,
    facts,
)
from dragonhall_engine.dragonkeepers.cards import (
    CRESTS,
    DECKS,
    LEFT,
    PEARLS,
    RULES,
    SHADOW,
    SHADOWS,
    SHOWN,
    SLOT_PAGE,
    STARTERS,
)


@dataclass
class _Deck:
    booked: list[int]  # top first
    unseen: list[int]
    unseen_shown: int
    order: tuple[int, ...] | None = None


@dataclass
class _Seat:
    known: list[int] = field(default_factory=list)
    unknown: int = 0
    starters: list[int] | None = None
    row: list[Stack] = field(default_factory=list)
    crystals: int = 0
    eggs: int = 0
    crest: int = 0
    pieces: list[int] = field(default_factory=list)
    pearl_count: int = 0
    pearls: list[int] | None = None

    def leaves(self, card: int) -> bool:
        """Let a card leave the hand; say whether it was one that others had not seen (DK-1.4)."""
        if card in self.known:
            self.known.remove(card)
            return False
        self.unknown -= 1
        if self.starters is not None:
            self.starters.remove(card)
        return True

    def view(self) -> SeatView:
        return SeatView(
            tuple(sorted(self.known)),
            self.unknown,
            None if self.starters is None else tuple(self.starters),
            tuple(self.row),
            self.crystals,
            self.eggs,
            self.crest,
            tuple(self.pieces),
            self.pearl_count,
            None if self.pearls is None else tuple(sorted(self.pearls)),
        )


class FoldedView:
    """The view of one reader, from facts projected for it."""

    def __init__(self, reader: int | None) -> None:
        """Begin before the opening."""
        self.reader = reader
        self.round, self.quiet_rounds, self.set_played = 1, 0, False
        self.phase = Phase.TAKE
        self.taken, self.changed = 0, [False, False]
        self.shadows, self.crystals, self.eggs = SHADOWS, cards.CRYSTALS, cards.EGGS
        self.crests = list(CRESTS)
        self.pearl_count = len(PEARLS)
        self.unseen_starters = sorted(STARTERS)
        self.starters_out: tuple[int, ...] | None = None
        self.pearls: tuple[int, ...] | None = None
        self.trigger: Ending | None = None
        self.ending: Ending | None = None

    def take_in(self, told: Iterable[Fact]) -> None:
        """Take in the facts of the deal or of one move."""
        for fact in told:
            self._HANDLERS[type(fact)](self, fact)

    def view(self) -> View:
        """Return the view as the engine writes it."""
        return View(
            reader=self.reader,
            edition=self.edition,
            start_seat=self.start_seat,
            round=self.round,
            quiet_rounds=self.quiet_rounds,
            set_played=self.set_played,
            active=self.active,
            phase=self.phase,
            to_move=None if self.phase == Phase.OVER else self.to_move,
            taken=self.taken,
            changed=tuple(self.changed),
            offer=tuple(self.offer[slot] for slot in RULES[self.edition].slots),
            decks=tuple(
                DeckView(tuple(d.booked), tuple(d.unseen), d.unseen_shown, d.order)
                for d in self.decks
            ),
            shadows=self.shadows,
            crystals=self.crystals,
            eggs=self.eggs,
            crests=tuple(self.crests),
            pieces=tuple(self.pieces),
            pearl_count=self.pearl_count,
            unseen_starters=() if self.phase == Phase.OVER else tuple(self.unseen_starters),
            starters_out=self.starters_out,
            pearls=self.pearls,
            trigger=self.trigger,
            ending=self.ending,
            seats=tuple(seat.view() for seat in self.seats),
        )

    def _table_laid(self, fact: facts.TableLaid) -> None:
        self.edition = fact.edition
        self.start_seat = self.active = self.to_move = fact.start_seat
        self.pieces = list(fact.pieces)
        self.seats = [_Seat() for _ in range(fact.seats)]
        if self.reader is not None:
            self.seats[self.reader].starters = []
            self.seats[self.reader].pearls = []
        shown = (fact.number, fact.colour)
        self.decks = [_Deck([], list(DECKS[page]), shown[page]) for page in cards.PAGES]
        self.offer: dict[int, int | None] = {}
        for slot, card in zip(RULES[fact.edition].slots, fact.offer, strict=True):
            self.offer[slot] = card
            self.decks[SLOT_PAGE[slot]].unseen.remove(card)

    def _starters_dealt(self, fact: facts.StartersDealt) -> None:
        seat = self.seats[fact.seat]
        seat.unknown = fact.count
        if fact.cards is not None:
            seat.starters = list(fact.cards)
            for card in fact.cards:
                self.unseen_starters.remove(card)

    def _turn_began(self, fact: facts.TurnBegan) -> None:
        self.active = self.to_move = fact.seat
        self.round = fact.round
        self.phase = Phase.TAKE
        self.taken, self.changed = 0, [False, False]

    def _card_taken(self, fact: facts.CardTaken) -> None:
        self.offer[fact.slot] = None
        self.taken += 1
        self.seats[fact.seat].known.append(fact.card)

    def _crystal_spent(self, fact: facts.CrystalSpent) -> None:
        self.seats[fact.seat].crystals -= 1
        self.crystals += 1

    def _slot_refilled(self, fact: facts.SlotRefilled) -> None:
        deck = self.decks[SLOT_PAGE[fact.slot]]
        self.offer[fact.slot] = fact.card
        if deck.booked:
            assert deck.booked.pop(0) == fact.card
        else:
            deck.unseen.remove(fact.card)
            deck.unseen_shown = fact.shown
        assert fact.shown == (SHOWN[deck.booked[0]] if deck.booked else deck.unseen_shown)

    def _take_ended(self, _: facts.TakeEnded) -> None:
        self.phase = Phase.BOOK

    def _card_booked(self, fact: facts.CardBooked) -> None:
        self._leaves_hand(fact.seat, fact.card)
        self.decks[fact.page].booked.insert(0, fact.card)
        self.changed[fact.page] = True

    def _book_ended(self, _: facts.BookEnded) -> None:
        self.phase = Phase.PLAY

    def _set_played(self, fact: facts.SetPlayed) -> None:
        row = self.seats[fact.seat].row
        for card in fact.cards:
            self._leaves_hand(fact.seat, card)
        colours = [stack.colour for stack in row]
        if fact.colour in colours:
            at = colours.index(fact.colour)
            row[at] = Stack(fact.colour, row[at].cards + fact.cards)
        else:
            row.insert(0 if fact.side == LEFT else len(row), Stack(fact.colour, fact.cards))
        self.set_played = True
        self._decided()

    def _passed(self, _: facts.Passed) -> None:
        self._decided()

    def _decided(self) -> None:
        """The next seat follows; whether the turn has ended is told by the facts after this."""
        self.phase = Phase.FOLLOW
        self.to_move = (self.to_move + 1) % len(self.seats)

    def _leaves_hand(self, seat: int, card: int) -> None:
        if self.seats[seat].leaves(card) and seat != self.reader:
            self.unseen_starters.remove(card)

    def _crest_taken(self, fact: facts.CrestTaken) -> None:
        self.crests.remove(fact.value)
        self.seats[fact.seat].crest = fact.value

    def _piece_taken(self, fact: facts.PieceTaken) -> None:
        self.pieces[fact.pile] -= 1
        self.seats[fact.seat].pieces.append(fact.pile)

    def _amulet_completed(self, fact: facts.AmuletCompleted) -> None:
        assert self.seats[fact.seat].view().completed == fact.completed

    def _pearl_drawn(self, fact: facts.PearlDrawn) -> None:
        seat = self.seats[fact.seat]
        self.pearl_count -= 1
        seat.pearl_count += 1
        if fact.value is not None and seat.pearls is not None:
            seat.pearls.append(fact.value)

    def _crystal_gained(self, fact: facts.CrystalGained) -> None:
        self.crystals -= 1
        self.seats[fact.seat].crystals += 1

    def _shadow_gained(self, fact: facts.ShadowGained) -> None:
        self.shadows -= 1
        self.seats[fact.seat].known.append(SHADOW)

    def _egg_gained(self, fact: facts.EggGained) -> None:
        self.eggs -= 1
        self.seats[fact.seat].eggs += 1

    def _end_triggered(self, fact: facts.EndTriggered) -> None:
        self.trigger = fact.ending

    def _round_ended(self, fact: facts.RoundEnded) -> None:
        assert self.round == fact.round
        self.quiet_rounds = fact.quiet_rounds
        self.set_played = False

    def _match_ended(self, fact: facts.MatchEnded) -> None:
        self.ending = fact.ending
        self.phase = Phase.OVER

    def _seat_revealed(self, fact: facts.SeatRevealed) -> None:
        self.seats[fact.seat].starters = list(fact.starters)
        self.seats[fact.seat].pearls = list(fact.pearls)

    def _supply_revealed(self, fact: facts.SupplyRevealed) -> None:
        self.decks[0].order, self.decks[1].order = fact.left, fact.right
        self.starters_out = fact.starters
        self.pearls = fact.pearls

    def _seat_scored(self, _: facts.SeatScored) -> None:
        """Points are the outcome's, not the view's."""

    _HANDLERS: Final[dict[type, Callable[..., None]]] = {
        facts.TableLaid: _table_laid,
        facts.StartersDealt: _starters_dealt,
        facts.TurnBegan: _turn_began,
        facts.CardTaken: _card_taken,
        facts.CrystalSpent: _crystal_spent,
        facts.SlotRefilled: _slot_refilled,
        facts.TakeEnded: _take_ended,
        facts.CardBooked: _card_booked,
        facts.BookEnded: _book_ended,
        facts.SetPlayed: _set_played,
        facts.Passed: _passed,
        facts.CrestTaken: _crest_taken,
        facts.PieceTaken: _piece_taken,
        facts.AmuletCompleted: _amulet_completed,
        facts.PearlDrawn: _pearl_drawn,
        facts.CrystalGained: _crystal_gained,
        facts.ShadowGained: _shadow_gained,
        facts.EggGained: _egg_gained,
        facts.EndTriggered: _end_triggered,
        facts.RoundEnded: _round_ended,
        facts.MatchEnded: _match_ended,
        facts.SeatRevealed: _seat_revealed,
        facts.SupplyRevealed: _supply_revealed,
        facts.SeatScored: _seat_scored,
    }

"""What things are worth, in points, to the seats of a view.

Everything is public or the reader's own; the unknown cards of other hands count as useless.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from dragonhall_engine.dragonkeepers import SeatView, View
from dragonhall_engine.dragonkeepers.cards import (
    AMULETS_TO_END,
    COLOURS,
    CRESTS,
    EGG_POINTS,
    FRONT,
    LEFT,
    PIECE_VALUES,
    PIECES_PER_AMULET,
    REWARDS,
    RULES,
    SHADOW,
    VALUE,
)


@dataclass(frozen=True, slots=True)
class Weights:
    """How much a thing is worth beside its own points.

    Attributes:
        card, shadow, crystal: one of them, while there is time to use it.
        closed: a card of a colour whose stack is closed; its back still fits the book.
        pair: a card for each other one of its colour in the hand.
        egg: one golden egg, with the chance of having the most (DK-8.2).
        piece: a third of a pearl, on top of the piece's value.
        crest: for each number of colours in a row, the share of the next crest that they earn.
        stack: an open stack; closing it loses that, and `stuck` for each card of its colour.
        played: the share of a card's value (DK-8.3) that it has while it is in the hand.
        follow: the share of the others' best follow that counts against a requirement.
        early: how much the page counts after a take that is not the last: it will turn again.
        spend: how many cards a seat can spend in one of its turns and the follows after it.
    """

    card: float = 2.5
    shadow: float = 3.5
    crystal: float = 2.5
    closed: float = 1.0
    pair: float = 0.1
    egg: float = 5.0
    piece: float = 2.0
    crest: tuple[float, ...] = (0.0, 0.1, 0.35, 0.8, 1.0)
    stack: float = 2.0
    stuck: float = 0.8
    played: float = 0.5
    follow: float = 0.7
    early: float = 0.4
    spend: float = 5.0


class Holding:
    """A seat's cards by colour, and where it can play them.

    Attributes:
        reals: cards of each colour; the shadows come last.
        row: colours of its stacks.
        open: for each colour, whether it has an open stack or none yet (DK-5.4).
    """

    def __init__(self, cards: Iterable[int], row: tuple[int, ...]) -> None:
        self.reals = [0] * (len(COLOURS) + 1)
        for card in cards:
            self.reals[FRONT[card]] += 1
        self.row = row
        self.open = [colour not in row[1:-1] for colour in COLOURS]

    @property
    def shadows(self) -> int:
        """Shadows among its cards."""
        return self.reals[-1]

    def add(self, card: int, count: int = 1) -> None:
        """Count a card more, or one less for -1."""
        self.reals[FRONT[card]] += count


class Worth:
    """What a view's reader needs to compare moves; made once for each decision."""

    def __init__(self, view: View, weights: Weights) -> None:
        assert view.reader is not None
        self.view = view
        self.weights = weights
        self.scores_played = RULES[view.edition].scores_played
        self.me = view.seats[view.reader]
        self.mine = _holding(self.me)
        self.others = [_holding(s) for n, s in enumerate(view.seats) if n != view.reader]
        self.time = self._time(self.me)
        self._pieces = [PIECE_VALUES[pile] for pile, count in enumerate(view.pieces) if count]
        self._rewards = {size: self._reward(size) for size in REWARDS}
        self._follows: dict[tuple[int, int], float] = {}
        self._crest = view.crests[0] if view.crests else 0

    @property
    def crystal(self) -> float:
        """What a crystal is worth: it only pays for cards."""
        return self.weights.crystal * self.time

    def _time(self, seat: SeatView) -> float:
        """Say which share of its hand a seat can still spend: 1 early in a match, 0 at its end."""
        seats = len(self.view.seats)
        to_go = AMULETS_TO_END[seats] - sum(other.completed for other in self.view.seats)
        loose = sum(len(other.pieces) % PIECES_PER_AMULET for other in self.view.seats)
        turns = max(0, to_go * PIECES_PER_AMULET - loose / 2) / seats
        if self.view.trigger is not None:
            turns = 0.0
        return min(1.0, self.weights.spend * turns / max(1, seat.hand_count))

    def _reward(self, size: int) -> float:
        """Return what the reward of a set is worth, without a crest (DK-6)."""
        reward, view, weights = REWARDS[size], self.view, self.weights
        worth = 0.0
        if self._pieces:
            worth += (self._pieces[-1] if reward.highest else self._pieces[0]) + weights.piece
        if reward.crystal and view.crystals:
            worth += self.crystal
        if reward.shadow and view.shadows:
            worth += weights.shadow * self.time
        if reward.egg and view.eggs:
            worth += max(weights.egg, EGG_POINTS)
        return worth

    def card(self, card: int, holding: Holding) -> float:
        """Return what a card is worth in a hand."""
        weights, front = self.weights, FRONT[card]
        if card == SHADOW:
            return weights.shadow * self.time
        if not holding.open[front]:
            return weights.closed * self.time
        worth = weights.card + weights.pair * holding.reals[front]
        if self.scores_played:
            worth += weights.played * VALUE[card]
        return worth * self.time

    def opening(self, holding: Holding, colour: int, side: int | None) -> float:
        """Return what it is worth to begin a stack at an end of the row, or 0 for an old one."""
        row, weights = holding.row, self.weights
        if colour in row:
            return 0.0
        worth = self._crest * (weights.crest[len(row) + 1] - weights.crest[len(row)])
        if len(row) > 1:
            inner = row[0] if side == LEFT else row[-1]
            worth -= (weights.stack + weights.stuck * holding.reals[inner]) * self.time
        return worth

    def set(self, cards: tuple[int, ...], side: int | None) -> float:
        """Return what it is worth to the reader to play a set of the required colour."""
        number, colour = self.view.requirement
        worth = self._rewards[number] + self.opening(self.mine, colour, side)
        for card in cards:
            worth -= self.card(card, self.mine)
            if self.scores_played:
                worth += VALUE[card]
        return worth

    def best_set(self, holding: Holding, number: int, colour: int) -> float:
        """Return about what a requirement is worth to a seat: 0 if it cannot or should not play."""
        reals = min(number, holding.reals[colour])
        shadows = number - reals
        if not reals or shadows > holding.shadows or not holding.open[colour]:
            return 0.0
        weights = self.weights
        cost = (
            weights.card + weights.pair * reals
        ) * self.time - _MEAN_PLAYED * self._played_gain()
        worth = self._rewards[number] - reals * cost - shadows * weights.shadow * self.time
        sides = (0, 1) if len(holding.row) > 1 else (None,)
        worth += max(self.opening(holding, colour, side) for side in sides)
        return max(0.0, worth)

    def _played_gain(self) -> float:
        """Return the share of a card's value that playing it brings."""
        return 1 - self.weights.played * self.time if self.scores_played else 0.0

    def prospect(self, holding: Holding, number: int, colour: int) -> float:
        """Return what a requirement is worth to the reader, less what it gives the others."""
        own = self.best_set(holding, number, colour)
        return own - self.weights.follow * self._best_follow(number, colour)

    def _best_follow(self, number: int, colour: int) -> float:
        asked = number, colour
        if asked not in self._follows:
            self._follows[asked] = max(self.best_set(other, *asked) for other in self.others)
        return self._follows[asked]


_MEAN_PLAYED = 2.5
"""Mean value of a number card and a colour card (DK-1.7)."""
assert len(Weights().crest) == len(COLOURS) + 1
assert CRESTS[0] == max(CRESTS)


def _holding(seat: SeatView) -> Holding:
    """Count what the reader knows of a hand."""
    cards = seat.known if seat.hand is None else seat.hand
    return Holding(cards, tuple(stack.colour for stack in seat.row))

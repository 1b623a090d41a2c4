"""What things are worth in a full state, in points: what `worth.py` does for a view, at speed."""

from collections.abc import Sequence
from typing import Final

from dragonhall.bots.dragonkeepers.worth import Weights
from dragonhall_engine.core.game import Seat
from dragonhall_engine.dragonkeepers import State
from dragonhall_engine.dragonkeepers.cards import (
    AMULETS_TO_END,
    CRESTS,
    FRONT,
    LEFT,
    PIECE_VALUES,
    PIECES_PER_AMULET,
    REWARDS,
    RIGHT,
    SHADOW_FRONT,
    VALUE,
)
from dragonhall_engine.dragonkeepers.state import Area


class Prices:
    """Prices in one state, which must not change meanwhile.

    Attributes:
        counts: for each seat its cards by front, shadows last.
        times: for each seat the share of its hand that it can still spend: 1 early, 0 at the end.
    """

    __slots__ = ("_crest", "_left", "counts", "state", "times", "weights")

    def __init__(self, state: State, weights: Weights) -> None:
        self.state = state
        self.weights = weights
        self.counts = [_count(area.hand) for area in state.areas]
        self.times = _times(state, weights.spend)
        self._crest = CRESTS[len(CRESTS) - state.crests] if state.crests else 0
        self._left = [value for value, left in zip(PIECE_VALUES, state.pieces, strict=True) if left]

    def fronts(self, seat: Seat) -> list[float]:
        """Return what a card in a seat's hand is worth by its front, without its own value."""
        weights, time = self.weights, self.times[seat]
        row = self.state.areas[seat].row
        prices = [(weights.card + weights.pair * count) * time for count in self.counts[seat]]
        for colour in row[1:-1]:
            prices[colour] = weights.closed * time
        prices[SHADOW_FRONT] = weights.shadow * time
        return prices

    def kept(self, seat: Seat) -> float:
        """Return the share of its own value that a card has in a seat's hand."""
        return self.weights.played * self.times[seat] if self.state.edition.scores_played else 0.0

    def reward(self, number: int, seat: Seat) -> float:
        """Return what the reward of a set is worth, without a crest (DK-6)."""
        state, weights, time = self.state, self.weights, self.times[seat]
        reward, worth = REWARDS[number], 0.0
        if self._left:
            worth += (self._left[-1] if reward.highest else self._left[0]) + weights.piece
        if reward.crystal and state.crystals:
            worth += weights.crystal * time
        if reward.shadow and state.shadows:
            worth += weights.shadow * time
        if reward.egg and state.eggs:
            worth += weights.egg
        return worth

    def opening(self, seat: Seat, colour: int, side: int | None) -> float:
        """Return what it is worth to begin a stack at an end of the row; 0 for an old one."""
        row, weights = self.state.areas[seat].row, self.weights
        if colour in row:
            return 0.0
        worth = self._crest * (weights.crest[len(row) + 1] - weights.crest[len(row)])
        if len(row) > 1:
            inner = row[0] if side == LEFT else row[-1]
            worth -= (weights.stack + weights.stuck * self.counts[seat][inner]) * self.times[seat]
        return worth

    def best_set(self, seat: Seat, number: int, colour: int) -> float:
        """Return about what a requirement is worth to a seat: 0 if it cannot or should not play."""
        counts, row = self.counts[seat], self.state.areas[seat].row
        reals = min(number, counts[colour])
        shadows = number - reals
        if not reals or shadows > counts[SHADOW_FRONT] or colour in row[1:-1]:
            return 0.0
        weights, time = self.weights, self.times[seat]
        cost = (weights.card + weights.pair * reals) * time
        if self.state.edition.scores_played:
            cost -= _MEAN_VALUE * (1.0 - self.kept(seat))
        worth = self.reward(number, seat) - reals * cost - shadows * weights.shadow * time
        if colour not in row:
            worth += max(self.opening(seat, colour, LEFT), self.opening(seat, colour, RIGHT))
        return max(0.0, worth)

    def best_follow(self, seat: Seat, number: int, colour: int) -> float:
        """Return the most that a requirement is worth to any other seat."""
        others = (other for other in range(len(self.counts)) if other != seat)
        return max(self.best_set(other, number, colour) for other in others)

    def standing(self, seat: Seat) -> float:
        """Return the points that a seat has and may still make of what it holds."""
        area, weights, time = self.state.areas[seat], self.weights, self.times[seat]
        worth = _scored(area, played=self.state.edition.scores_played)
        worth += weights.piece * (len(area.pieces) % PIECES_PER_AMULET)
        worth += weights.egg * area.eggs + weights.crystal * time * area.crystals
        fronts, kept = self.fronts(seat), self.kept(seat)
        for front, count in enumerate(self.counts[seat]):
            worth += count * fronts[front]
        if kept:
            worth += kept * sum([VALUE[card] for card in area.hand])
        if not area.crest:
            worth += self._crest * weights.crest[len(area.row)]
        return worth - max(0, len(area.row) - 2) * weights.stack * time


_MEAN_VALUE: Final = 2.5
"""Mean value of a number card and a colour card (DK-1.7)."""


def _count(hand: Sequence[int]) -> list[int]:
    counts = [0] * (SHADOW_FRONT + 1)
    for card in hand:
        counts[FRONT[card]] += 1
    return counts


def _times(state: State, spend: float) -> list[float]:
    if state.trigger is not None:
        return [0.0] * len(state.areas)
    seats = len(state.areas)
    to_go, loose = AMULETS_TO_END[seats], 0
    for area in state.areas:
        rings, rest = divmod(len(area.pieces), PIECES_PER_AMULET)
        to_go -= rings
        loose += rest
    turns = max(0.0, to_go * PIECES_PER_AMULET - loose / 2) / seats
    return [min(1.0, spend * turns / max(1, len(area.hand))) for area in state.areas]


def _scored(area: Area, *, played: bool) -> float:
    points = sum([PIECE_VALUES[pile] for pile in area.pieces]) + sum(area.pearls) + area.crest
    if played:
        points += sum([VALUE[card] for stack in area.stacks for card in stack])
    return float(points)

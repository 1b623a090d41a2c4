"""How the search plays Dragonkeepers on, and what a state is worth."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from dragonhall.bots.dragonkeepers.prices import Prices
from dragonhall.bots.dragonkeepers.worth import Weights
from dragonhall.bots.ismcts.luck import Luck
from dragonhall.bots.ismcts.policy import shares
from dragonhall_engine.dragonkeepers import (
    Book,
    EndBook,
    Move,
    Phase,
    Play,
    State,
    Take,
    advance,
    legal_moves,
)
from dragonhall_engine.dragonkeepers.cards import FRONT, LEFT, PAGES, RIGHT, SHOWN, VALUE
from dragonhall_engine.dragonkeepers.outcome import scores


@dataclass(frozen=True, slots=True)
class DragonkeepersPolicy:
    """Implements `ismcts.policy.Policy`: the turn under way is played on greedily, then judged.

    Attributes:
        exploration: the constant of UCB1.
        widening: n moves of a place are compared once it has been visited n**2 / widening times.
            Hands are large: without it most iterations would go to moves that greed knows as bad.
        turns: how many further turns a roll-out plays.
        mistakes: how often, 0-1, a roll-out plays just anything.
        points: by so many points a seat must lead for 2.7 times the chance of another.
        weights: what things are worth.
    """

    exploration: float = 0.12
    widening: float = 0.25
    turns: int = 0
    mistakes: float = 0.1
    points: float = 10.0
    weights: Weights = field(default_factory=Weights)

    def pick(self, state: State, moves: Sequence[Move], luck: Luck) -> Move:
        """Return about the best move of the step, sometimes another one."""
        if len(moves) == 1:
            return moves[0]
        if luck.random() < self.mistakes:
            return moves[luck.below(len(moves))]
        prices = Prices(state, self.weights)
        if state.phase == Phase.TAKE:
            return _take(prices, moves, luck)
        if state.phase == Phase.BOOK:
            return _book(prices, moves)
        return _play(prices, moves)

    def rewards(self, state: State, luck: Luck) -> Sequence[float]:
        """Play to the end of a turn, then share the win out by what each seat has and may get."""
        turn, left = (state.round, state.active), self.turns
        while state.phase != Phase.OVER:
            if (state.round, state.active) != turn:
                if not left:
                    break
                turn, left = (state.round, state.active), left - 1
            moves = legal_moves(state, state.to_move)
            advance(state, self.pick(state, moves, luck))
        if state.phase == Phase.OVER:
            ended = [score.total + score.row_cards / 128 for score in scores(state)]
            return shares(ended, self.points)
        prices = Prices(state, self.weights)
        return shares([prices.standing(seat) for seat in range(len(state.areas))], self.points)


def _take(prices: Prices, moves: Sequence[Move], luck: Luck) -> Move:
    """Return the take of the best card; what it turns up is left to chance."""
    state, seat = prices.state, prices.state.to_move
    fronts, kept = prices.fronts(seat), prices.kept(seat)
    crystal = prices.weights.crystal * prices.times[seat]
    best, most = moves[0], -1.0
    for move in moves:
        worth = 0.0
        if isinstance(move, Take):
            card = state.offer[move.slot]
            worth = fronts[FRONT[card]] + kept * VALUE[card] + luck.random()
            worth -= crystal if move.with_crystal else 0.0
        if worth > most:
            best, most = move, worth
    return best


def _book(prices: Prices, moves: Sequence[Move]) -> Move:
    """Return the move that begins, or is all of, the best plan for both pages."""
    seat, follow = prices.state.to_move, prices.weights.follow
    fronts, kept = prices.fronts(seat), prices.kept(seat)
    counts = prices.counts[seat]
    lefts, rights = (_options(prices, moves, page, fronts, kept) for page in PAGES)
    ending = moves[-1] if isinstance(moves[-1], EndBook) else None
    best, most = moves[-1], float("-inf")
    for left, number, left_cost in lefts:
        for right, colour, right_cost in rights:
            first = left or right or ending
            if first is None:
                continue
            for booked in (left, right):
                if booked:
                    counts[FRONT[booked.card]] -= 1
            worth = prices.best_set(seat, number, colour) - left_cost - right_cost
            for booked in (left, right):
                if booked:
                    counts[FRONT[booked.card]] += 1
            if worth > most:
                worth -= follow * prices.best_follow(seat, number, colour)
            if worth > most:
                best, most = first, worth
    return best


Option = tuple[Book | None, int, float]
"""A card to book on a page or none, what the page shows then, and what the card is worth."""


def _options(
    prices: Prices, moves: Sequence[Move], page: int, fronts: Sequence[float], kept: float
) -> list[Option]:
    """Return no card, and for all that the page could show the cheapest card that shows it."""
    shown = prices.state.requirement[page]
    cheapest: dict[int, Option] = {}
    for move in moves:
        if isinstance(move, Book) and move.page == page:
            card = move.card
            cost = fronts[FRONT[card]] + kept * VALUE[card]
            known = cheapest.get(SHOWN[card])
            if SHOWN[card] != shown and (known is None or cost < known[2]):
                cheapest[SHOWN[card]] = (move, SHOWN[card], cost)
    return [(None, shown, 0.0), *cheapest.values()]


def _play(prices: Prices, moves: Sequence[Move]) -> Move:
    """Return the set that brings most, or to pass if each costs more than it brings."""
    state, seat = prices.state, prices.state.to_move
    number, colour = state.requirement
    fronts, kept = prices.fronts(seat), prices.kept(seat)
    gained = 1.0 if state.edition.scores_played else 0.0
    reward = prices.reward(number, seat)
    at_end = {side: reward + prices.opening(seat, colour, side) for side in (LEFT, RIGHT, None)}
    best, most = moves[-1], float("-inf")
    for move in moves:
        worth = 0.0
        if isinstance(move, Play):
            worth = at_end[move.side]
            for card in move.cards:
                worth += (gained - kept) * VALUE[card] - fronts[FRONT[card]]
        if worth > most:
            best, most = move, worth
    return best

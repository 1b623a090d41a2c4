"""Single-observer information-set Monte Carlo tree search (SO-ISMCTS).

After P. I. Cowling, E. J. Powley and D. Whitehouse, "Information Set Monte Carlo Tree Search",
IEEE Transactions on Computational Intelligence and AI in Games 4 (2), 2012, pages 120-143.

One tree holds what the searching seat can tell apart; both games tell every move to everybody, so
its edges are moves. Each iteration draws a full state that agrees with the seat's view, walks down
the tree by moves that are legal in it, adds a node, plays on by the game's policy and adds what
came out to every node on the way. Each seat is taken to maximise its own reward (max^n).

How often a move could be chosen depends on the states drawn, so a node counts how often it was
*available*, and UCB1 takes that count for the number of trials. Where a game has many moves, its
policy lets a place have few at first and more with every visit (progressive widening).
"""

from collections.abc import Sequence
from math import log, sqrt
from typing import Any, Generic, TypeVar

from dragonhall.bots.ismcts.limits import Limit
from dragonhall.bots.ismcts.luck import Luck
from dragonhall.bots.ismcts.policy import Policy
from dragonhall_engine.core.game import Game, Seat

S = TypeVar("S")
M = TypeVar("M")
V = TypeVar("V")


class Node:
    """What is known of a move at a place of the tree.

    Attributes:
        children: what has been tried next.
        visits: how often the move was chosen.
        available: how often it could have been.
        total: the rewards that followed it, of the seat that makes it.
    """

    __slots__ = ("available", "children", "total", "visits")

    def __init__(self) -> None:
        self.children: dict[Any, Node] = {}
        self.visits = 0
        self.available = 1
        self.total = 0.0


class Search(Generic[S, M, V]):
    """Searches a game: S its state, M its move, V its view. Keeps nothing between choices."""

    def __init__(self, game: Game[S, M, Any, V], policy: Policy[S, M]) -> None:
        self._game = game
        self._policy = policy

    def choose(self, view: V, moves: Sequence[M], limit: Limit, luck: Luck) -> int:
        """Return the index of the move that was tried most often.

        Args:
            view: what the seat to move knows.
            moves: its legal moves, at least one; a single one is not thought about.
            limit: when to stop.
            luck: what the drawn states and the roll-outs depend on.
        """
        if len(moves) == 1:
            return 0
        root = Node()
        for _ in limit():
            self._iterate(root, self._game.resample(view, luck), luck)
        tried = [root.children.get(move) for move in moves]
        return max(range(len(moves)), key=lambda n: _merit(tried[n]))

    def _iterate(self, root: Node, state: S, luck: Luck) -> None:
        path = self._descend(root, state, luck)
        rewards = self._policy.rewards(state, luck)
        root.visits += 1
        for node, seat in path:
            node.visits += 1
            node.total += rewards[seat]

    def _descend(self, node: Node, state: S, luck: Luck) -> list[tuple[Node, Seat]]:
        """Walk to a move that was not tried before, or to the end; return who came where."""
        game, policy = self._game, self._policy
        path: list[tuple[Node, Seat]] = []
        while (seat := game.seat_to_move(state)) is not None:
            moves = game.legal_moves(state, seat)
            known = node.children
            tried = [(move, known[move]) for move in moves if move in known]
            for _, child in tried:
                child.available += 1
            expands = len(tried) < len(moves) and self._may_widen(node, len(tried))
            if expands:
                move = policy.pick(state, [move for move in moves if move not in known], luck)
                node = known[move] = Node()
            else:
                move, node = _most_urgent(tried, policy.exploration)
            path.append((node, seat))
            game.advance(state, move)
            if expands:
                break
        return path

    def _may_widen(self, node: Node, tried: int) -> bool:
        return not tried or tried**2 <= self._policy.widening * node.visits


def _most_urgent(tried: Sequence[tuple[M, Node]], exploration: float) -> tuple[M, Node]:
    """Return what has the highest UCB1, with availability for the number of trials."""
    best, highest = tried[0], -1.0
    for each in tried:
        node = each[1]
        urgency = node.total / node.visits + exploration * sqrt(log(node.available) / node.visits)
        if urgency > highest:
            best, highest = each, urgency
    return best


def _merit(node: Node | None) -> tuple[int, float]:
    return (node.visits, node.total) if node else (0, 0.0)

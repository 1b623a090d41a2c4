"""Bots against each other in this process: `python -m tests.clients.arena --help`.

Every deal is played once with each rotation of the bots over the seats, so that no bot gains from
a deal or a seat. Views become protos only for a bot that knows nothing else.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from dragonhall.bots.registry import make_bot
from dragonhall_engine.core.game import Game, Setup
from dragonhall_engine.core.rng import Deal
from dragonhall_engine.registry import GAMES
from dragonhall_service.api.mapping.games import move_to_proto, view_to_proto

Player = Callable[[Any, Sequence[Any]], int]
"""Returns the index of a move, from the engine's view and moves."""


@dataclass(frozen=True, slots=True)
class Table:
    """What is played: a game, one of its editions, and the bots by name, one a seat."""

    game: Game[Any, Any, Any, Any]
    edition: str
    bots: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """How the first bot did in one match.

    Attributes:
        share: 1 for a win, 1/n for a place shared with n - 1 others, else 0.
        lead: its points less the best of the others'.
        choices: how often it had more than one legal move.
        thought: the CPU time of all its choices, in seconds.
    """

    share: float
    lead: int
    choices: int
    thought: float


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its 95 % interval."""

    mean: float
    half: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.mean - self.half:.3f}, {self.mean + self.half:.3f}]"


def player(table: Table, name: str, seed: int) -> Player:
    """Return a bot that plays from the engine's values."""
    bot = make_bot(table.game.NAME, name, seed)
    best = getattr(bot, "best", None)
    if best is not None:
        return best  # type: ignore[no-any-return]
    return lambda view, moves: bot.choose(
        view_to_proto(table.game, view), [move_to_proto(table.game, move) for move in moves]
    )


def play(table: Table, number: int) -> Result:
    """Play match `number`; it depends on nothing else if the bots are repeatable."""
    game, seats = table.game, len(table.bots)
    deal, turned = divmod(number, seats)
    players = [player(table, table.bots[(seat - turned) % seats], number) for seat in range(seats)]
    state = game.new_match(Setup(table.edition, seats), _deal(deal, seats))
    choices, thought = 0, 0.0
    while (seat := game.seat_to_move(state)) is not None:
        moves = game.legal_moves(state, seat)
        index = 0
        if len(moves) > 1:
            view, begun = game.view(state, seat), time.thread_time()
            index = players[seat](view, moves)
            if seat == turned:
                choices, thought = choices + 1, thought + time.thread_time() - begun
        game.advance(state, moves[index])
    share, lead = _result(game, state, turned)
    return Result(share, lead, choices, thought)


def matches(table: Table, numbers: Sequence[int]) -> Iterator[Result]:
    """Play matches one after the other."""
    return (play(table, number) for number in numbers)


def interval(values: Sequence[float], block: int) -> Interval:
    """Return mean and interval; matches of one deal, `block` of them, count as one observation."""
    means = [fmean(values[at : at + block]) for at in range(0, len(values), block)]
    half = 1.96 * stdev(means) / sqrt(len(means)) if len(means) > 1 else 1.0
    return Interval(fmean(means), half)


def _deal(number: int, seats: int) -> Deal:
    return Deal(number.to_bytes(64, "big"), "arena", (b"",) * seats)


def _result(game: Game[Any, Any, Any, Any], state: Any, seat: int) -> tuple[float, int]:
    outcome = game.outcome(state)
    assert outcome is not None
    points = [result.score for result in outcome.seats]
    winners = outcome.winners
    best_other = max(points[:seat] + points[seat + 1 :])
    return (seat in winners) / len(winners), points[seat] - best_other


def report(table: Table, results: Sequence[Result]) -> str:
    """Return one line: who played whom, the first bot's share of wins, lead and CPU a choice."""
    seats = len(table.bots)
    wins = interval([result.share for result in results], seats)
    lead = interval([float(result.lead) for result in results], seats)
    thought, choices = sum(r.thought for r in results), sum(r.choices for r in results)
    return (
        f"{table.game.NAME} {table.edition}, {table.bots[0]} against {', '.join(table.bots[1:])}:"
        f" wins {wins}, lead {lead}, {len(results)} matches,"
        f" {1000 * thought / choices:.1f} ms of CPU a choice"
    )


def main() -> None:
    """Play what the command line asks for and print what came out."""
    parser = argparse.ArgumentParser(description="Bots against each other in this process.")
    parser.add_argument("--game", default="dragonheart", choices=sorted(GAMES))
    parser.add_argument("--edition", default=None, help="the game's default if left out")
    parser.add_argument("--bots", default="ismcts,greedy", help="one a seat; the first is judged")
    parser.add_argument("--matches", type=int, default=400)
    parser.add_argument("--first", type=int, default=0, help="number of the first match")
    parser.add_argument("--every", type=int, default=40, help="report after so many matches")
    asked = parser.parse_args()
    game = GAMES[asked.game]
    table = Table(game, asked.edition or game.EDITIONS[0], tuple(asked.bots.split(",")))
    results: list[Result] = []
    for result in matches(table, range(asked.first, asked.first + asked.matches)):
        results.append(result)
        if len(results) % asked.every == 0 or len(results) == asked.matches:
            print(report(table, results), flush=True)


if __name__ == "__main__":
    main()

"""The engine: random play and the verbs that bots live on, per game and setup, beside RLCard."""

import gc
import json
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from dragonhall_engine.core.game import Game, Seat, Setup
from dragonhall_engine.core.rng import SEED_BYTES, Deal
from dragonhall_engine.registry import GAMES
from tests.bench.figures import Bound, Report, Row, Samples, ratio

AnyGame = Game[Any, Any, Any, Any]

HOW = (
    "Per second of processor time of one process. A playout deals a match and plays it at random "
    "to its end; moves are `legal_moves`, a random choice and `advance`; apply checks a move and "
    "tells its facts; the other verbs act on positions of random matches."
)
PEER = Path(__file__).with_name("rlcard_peer.py")
RLCARD = "RLCard gin-rummy"
FASTER = Bound(8, at_least=True)
PROMISED = ("dragonheart", "environment", "playouts")
"""What `FASTER` is asked of; a playout of Dragonkeepers has many times the moves of gin rummy."""
_GAMES_OF_POSITIONS = 10
_POSITIONS = 200


class Dice:
    """A `Chance` as a bot would bring it."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def below(self, n: int) -> int:
        return int(self._random.random() * n)

    def shuffle(self, items: list[int]) -> None:
        self._random.shuffle(items)


@dataclass(frozen=True)
class Position:
    """A state in a random match, and the move that was made there."""

    state: Any
    seat: Seat
    move: Any


class Subject:
    """One game in one setup."""

    def __init__(self, game: AnyGame, setup: Setup) -> None:
        self._game = game
        self._setup = setup
        self._random = Random(7)
        self._dice = Dice(7)
        self._deals = 0
        self.name = " ".join([game.NAME, *self._which()])
        dealt = [self._deal() for _ in range(_GAMES_OF_POSITIONS)]
        self._dealt = [game.copy(state) for state in dealt]
        positions = [position for state in dealt for position in self._play(state)]
        self._positions = positions[:: 1 + len(positions) // _POSITIONS]

    def _which(self) -> Iterator[str]:
        if len(self._game.EDITIONS) > 1:
            yield self._setup.edition
        if len(self._game.SEATS) > 1:
            yield f"{self._setup.seats} seats"

    def measures(self) -> dict[str, Callable[[], int]]:
        """Name the measures; each does a batch and returns how many operations it was."""
        game, positions = self._game, self._positions
        states = [position.state for position in positions]
        encoded = [game.encode(state) for state in states]
        views = [game.view(position.state, position.seat) for position in positions]
        return {
            "playouts": self._playout,
            "moves": self._moves,
            "apply": lambda: _each(lambda p: game.apply(p.state, p.seat, p.move), positions),
            "clone": lambda: _each(game.copy, states),
            "view": lambda: _each(lambda p: game.view(p.state, p.seat), positions),
            "resample": lambda: _each(lambda view: game.resample(view, self._dice), views),
            "encode": lambda: _each(game.encode, states),
            "decode": lambda: _each(game.decode, encoded),
        }

    def _deal(self) -> Any:
        self._deals += 1
        seed = Random(self._deals).randbytes(SEED_BYTES)
        deal = Deal(seed, f"deal-{self._deals}", (b"",) * self._setup.seats)
        return self._game.new_match(self._setup, deal)

    def _play(self, state: Any) -> Iterator[Position]:
        game = self._game
        while (seat := game.seat_to_move(state)) is not None:
            move = self._random.choice(game.legal_moves(state, seat))
            yield Position(game.copy(state), seat, move)
            game.advance(state, move)

    def _playout(self) -> int:
        self._finish(self._deal())
        return 1

    def _moves(self) -> int:
        return sum(self._finish(self._game.copy(state)) for state in self._dealt)

    def _finish(self, state: Any) -> int:
        game, random = self._game, self._random.random
        seat_to_move, legal_moves, advance = game.seat_to_move, game.legal_moves, game.advance
        made = 0
        while (seat := seat_to_move(state)) is not None:
            moves = legal_moves(state, seat)
            advance(state, moves[int(random() * len(moves))])
            made += 1
        return made


def _each(verb: Callable[[Any], object], items: Sequence[Any]) -> int:
    for item in items:
        verb(item)
    return len(items)


def subjects() -> list[Subject]:
    """List every game in every edition and number of seats."""
    return [
        Subject(game, Setup(edition, seats))
        for game in GAMES.values()
        for edition in game.EDITIONS
        for seats in game.SEATS
    ]


def rate(batch: Callable[[], int], seconds: float) -> float:
    """Return operations per second of processor time, from at least so many seconds of them."""
    done, begun = 0, time.process_time()
    while (spent := time.process_time() - begun) < seconds:
        done += batch()
    return done / spent


def measure(repetitions: int, seconds: float, peer: str | None) -> Report:
    """Measure everything in turn, again and again.

    Args:
        seconds: of processor time for each measure in each repetition.
        peer: the Python that has RLCard; None leaves the peer out.
    """
    samples, games = Samples(), subjects()
    batches = {f"{s.name}: {name}": do for s in games for name, do in s.measures().items()}
    for batch in batches.values():
        batch()  # to fill caches
    gc.collect()  # of the positions played to no use, not while something is measured
    for _ in range(repetitions):
        for name, batch in batches.items():
            samples.add(name, "/s", rate(batch, seconds))
        for name, found in _peer(peer, 5 * seconds).items():
            for verb, value in found.items():
                samples.add(f"{RLCARD}, {name}: {verb}", "/s", value)
    compared = [row for s in games for row in _compared(samples, s.name)] if peer else []
    return Report("engine", HOW, repetitions, [*samples.rows(), *compared])


def _peer(python: str | None, seconds: float) -> dict[str, dict[str, float]]:
    if python is None:
        return {}
    told = subprocess.run(
        [python, PEER, str(seconds)], check=True, stdout=subprocess.PIPE, text=True
    )
    found: dict[str, dict[str, float]] = json.loads(told.stdout)
    return found


def _compared(samples: Samples, subject: str) -> Iterator[Row]:
    for kind in ("environment", "bare game"):
        for verb in ("playouts", "moves"):
            ours = samples.row(f"{subject}: {verb}", "/s")
            theirs = samples.row(f"{RLCARD}, {kind}: {verb}", "/s")
            promised = (subject, kind, verb) == PROMISED
            bound = FASTER if promised else None
            yield ratio(f"{subject} ÷ {RLCARD}, {kind}: {verb}", ours, theirs, bound)

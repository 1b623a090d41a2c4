"""A replay is a fold over `apply`: setup + deal + moves give every state of a match."""

from collections.abc import Iterable, Iterator
from typing import Any

from dragonhall_engine.core.game import Game, Seat, Setup
from dragonhall_engine.core.rng import Deal


def replay(
    game: Game[Any, Any, Any, Any], setup: Setup, deal: Deal, moves: Iterable[tuple[Seat, Any]]
) -> Iterator[Any]:
    """Yield the dealt state, then the state after each move.

    Raises:
        IllegalMove: a move breaks a rule; the states before it have been yielded.
        InvalidSetup: the setup cannot be dealt.
    """
    state = game.new_match(setup, deal)
    yield state
    for seat, move in moves:
        state, _ = game.apply(state, seat, move)
        yield state

"""The search plays Dragonkeepers: repeatable, honest, and not blind, at every step of a turn."""

import random
from collections.abc import Iterator

import pytest

from dragonhall.bots.dragonkeepers.searching import dragonkeepers_search
from dragonhall.bots.ismcts.bot import IsmctsBot
from dragonhall_engine import dragonkeepers
from dragonhall_engine.dragonkeepers import Move, Phase, State
from dragonhall_service.api.mapping.games import move_to_proto, view_to_proto
from tests.budget import cases
from tests.clients.arena import Table, interval, matches
from tests.engine.dragonkeepers.matches import SETUPS, decisions
from tests.engine.dragonkeepers.tables import given
from tests.engine.dragonkeepers.two_worlds import pair

STEPS = (Phase.TAKE, Phase.BOOK, Phase.PLAY, Phase.FOLLOW)
_LAST = "published; trigger amulets"


def bot(seed: int = 1, limit: str = "30") -> IsmctsBot:
    return dragonkeepers_search(seed, limit)


def chosen(state: State, seed: int = 1, limit: str = "30") -> Move:
    """Return what the bot does in a state that it sees as the seat to move."""
    moves = dragonkeepers.legal_moves(state, state.to_move)
    return moves[bot(seed, limit).best(dragonkeepers.view(state, state.to_move), moves)]


def choices() -> Iterator[State]:
    """Yield for each setup and step some states of random matches that leave a choice."""
    for setup in range(len(SETUPS)):
        found = [decision.before for decision in decisions(setup + len(SETUPS))]
        real = [s for s in found if len(dragonkeepers.legal_moves(s, s.to_move)) > 1]
        for step in STEPS:
            fitting = [state for state in real if state.phase == step]
            yield from random.Random(setup).sample(
                fitting, min(len(fitting), cases(ci=2, sweep=20))
            )


def test_it_moves_legally_and_again_the_same_from_the_protos_at_every_step() -> None:
    seen = set()
    for state in choices():
        seat = state.to_move
        view, moves = dragonkeepers.view(state, seat), dragonkeepers.legal_moves(state, seat)
        protos = [move_to_proto(dragonkeepers, move) for move in moves]
        index = bot().choose(view_to_proto(dragonkeepers, view), protos)
        assert moves[index] == chosen(state)
        assert dragonkeepers.check(state, seat, moves[index]) is None
        seen.add((state.seats, state.edition.name, state.phase))
    assert len(seen) == len(SETUPS) * len(STEPS)


def test_it_cannot_tell_two_worlds_apart() -> None:
    for number, state in enumerate(choices()):
        twin = pair(state, state.to_move, number).twin
        assert chosen(state, number, "12") == chosen(twin, number, "12")


@pytest.mark.parametrize(
    ("why", "position", "best"),
    [
        (
            "the last decision of the match: a piece wins it",
            f"{_LAST}; step follow; active B; move A; need 1 R; A.hand R|1; A.pieces 6; B.pieces 6",
            "play R|1",
        ),
        (
            "a six for the book and six cards to play: the highest piece wins it",
            f"{_LAST}; step book; need 2 W; eggs -; B.pieces 6 6; A.hand"
            " W|1 W|1 W|2 W|2 W|3 S|6 S|6",
            "book left S|6",
        ),
    ],
)
def test_it_finds_the_best_move(why: str, position: str, best: str) -> None:
    state = given(position)
    found = {dragonkeepers.format_move(chosen(state, seed, "200")) for seed in range(3)}
    assert found == {best}, why


@pytest.mark.parametrize("seats", [2, 4])
def test_it_beats_chance(seats: int) -> None:
    table = Table(dragonkeepers, "source", ("ismcts:5", *["random"] * (seats - 1)))
    count = cases(ci=4, sweep=100)
    won = interval([result.share for result in matches(table, range(count))], seats)
    assert won.mean == 1.0, str(won)

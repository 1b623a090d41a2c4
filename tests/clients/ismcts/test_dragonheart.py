"""The search plays Dragonheart: repeatable, honest, and not blind."""

import random
from collections.abc import Sequence
from typing import Any

import pytest

from dragonhall.bots.dragonheart.searching import dragonheart_search
from dragonhall.bots.ismcts.bot import IsmctsBot
from dragonhall.bots.ismcts.limits import iterations
from dragonhall.bots.ismcts.luck import Luck
from dragonhall.bots.ismcts.search import Search
from dragonhall_engine import dragonheart
from dragonhall_engine.dragonheart import Move, State
from dragonhall_service.api.mapping.games import move_to_proto, view_to_proto
from tests.budget import cases
from tests.clients.arena import Table, interval, matches
from tests.engine.dragonheart.matches import LONGEST_MATCH, reached, turns
from tests.engine.dragonheart.two_worlds import other_world


def bot(seed: int = 1, limit: str = "60") -> IsmctsBot:
    return dragonheart_search(seed, limit)


def chosen(state: State, seed: int = 1, limit: str = "60") -> Move:
    """Return what the bot does in a state that it sees as the seat to move."""
    moves = dragonheart.legal_moves(state, state.to_move)
    return moves[bot(seed, limit).best(dragonheart.view(state, state.to_move), moves)]


def running(number: int) -> State:
    """Return a state of a random match that is not over."""
    steps = random.Random(number).randrange(LONGEST_MATCH)
    *_, turn = (turn for turn, _ in zip(turns(number), range(1 + steps), strict=False))
    return turn.before


def test_the_same_seed_and_view_give_the_same_move_whatever_came_between() -> None:
    state, other = reached(3, 10), reached(4, 10)
    asked = bot()
    view, moves = (
        dragonheart.view(state, state.to_move),
        dragonheart.legal_moves(state, state.to_move),
    )
    first = asked.best(view, moves)
    asked.best(
        dragonheart.view(other, other.to_move), dragonheart.legal_moves(other, other.to_move)
    )
    assert asked.best(view, moves) == bot().best(view, moves) == first


def test_another_seed_may_choose_otherwise() -> None:
    assert len({chosen(reached(3, 10), seed, "2") for seed in range(30)}) > 1


def test_it_cannot_tell_two_worlds_apart() -> None:
    for number in range(cases(ci=25, sweep=500)):
        state = running(number)
        twin = other_world(state, state.to_move, number)
        assert chosen(state, number, "20") == chosen(twin, number, "20")


def test_it_moves_legally_from_the_protos_at_every_turn() -> None:
    asked = bot(limit="3")
    for turn in turns(11):
        state, seat = turn.before, turn.before.to_move
        moves = dragonheart.legal_moves(state, seat)
        protos = [move_to_proto(dragonheart, move) for move in moves]
        view = dragonheart.view(state, seat)
        index = asked.choose(view_to_proto(dragonheart, view), protos)
        assert index == asked.best(view, moves)
        assert dragonheart.check(state, seat, moves[index]) is None


class Forbidden:
    """A game and a policy that nobody may ask."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"asked for {name}")


def test_one_legal_move_is_not_thought_about() -> None:
    search: Search[Any, Any, Any] = Search(Forbidden(), Forbidden())
    assert search.choose(None, ["the only one"], iterations(10**9), Luck("")) == 0


REST = "A.deck D1 D1 D1 D1 D1 D1; B.hand D1 D1 D1 D1 D1; B.deck D1 D1 D1 D1 D1 D1"


@pytest.mark.parametrize(
    ("why", "given", "best"),
    [
        (
            "the last turn: only points count",
            f"triggers ships; treasure C4 C4 C3; petrified_dragon P2; A.hand D1 F2 S1 V; {REST}",
            ["F2", "S1 > treasure"],
        ),
        (
            "the last turn: six points and the dragon, not eight",
            f"triggers ships; dragon B; A.pile C4; B.pile D3 D3 D3 C3; treasure C4 C4;"
            f" petrified_dragon P2 P2 P2; A.hand D1 C4 K1 H1 S1; {REST}",
            ["S1 > petrified_dragon"],
        ),
        (
            "the opponent holds nothing but fire dragons: no chest may lie there",
            "treasure C4 C4; A.hand C4 D1 D1 S1 V; A.deck D1 D1 D1 D1 D1 D1 D1;"
            " B.hand F2 F2 F2 F2 F2; B.deck F3 F3 F3 F3 F3 F3 F3",
            ["S1"],
        ),
    ],
)
def test_it_finds_the_best_move(why: str, given: str, best: Sequence[str]) -> None:
    state = dragonheart.parse_state(given)
    found = [dragonheart.format_move(chosen(state, seed, "100")) for seed in range(3)]
    assert set(found) <= set(best), why


def test_it_beats_greedy() -> None:
    table = Table(dragonheart, "standard", ("ismcts:25", "greedy"))
    count = cases(ci=10, sweep=400)
    won = interval([result.share for result in matches(table, range(count))], 2)
    assert won.mean >= 0.65, str(won)

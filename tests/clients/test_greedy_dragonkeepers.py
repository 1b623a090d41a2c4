"""Greed beats chance, and the bot plays from the protos as from the engine's view."""

import random

import pytest

from dragonhall.bots.dragonkeepers.greedy import GreedyBot, best
from dragonhall.bots.dragonkeepers.reading import read_move
from dragonhall_engine import dragonkeepers
from dragonhall_engine.core.game import Setup
from dragonhall_service.api.mapping.games import move_to_proto, view_to_proto
from tests.budget import cases
from tests.engine.dragonkeepers.matches import SETUPS, deal

MATCHES = cases(ci=12, sweep=200)


def share(setup: Setup, number: int, greedy_seat: int) -> float:
    """Play greedy against random in all other seats: its share of the victory."""
    state, chance = dragonkeepers.new_match(setup, deal(number, setup.seats)), random.Random(number)
    while (seat := dragonkeepers.seat_to_move(state)) is not None:
        moves = dragonkeepers.legal_moves(state, seat)
        if seat == greedy_seat:
            index = best(dragonkeepers.view(state, seat), moves)
        else:
            index = chance.randrange(len(moves))
        dragonkeepers.advance(state, moves[index])
    outcome = dragonkeepers.outcome(state)
    assert outcome is not None
    return (greedy_seat in outcome.winners) / len(outcome.winners)


@pytest.mark.parametrize("setup", SETUPS, ids=lambda setup: f"{setup.edition}-{setup.seats}")
def test_greedy_beats_random_in_90_of_100_matches(setup: Setup) -> None:
    won = sum(share(setup, number, number % setup.seats) for number in range(MATCHES))
    assert won >= 0.9 * MATCHES, f"{won} of {MATCHES}"


@pytest.mark.parametrize("setup", SETUPS, ids=lambda setup: f"{setup.edition}-{setup.seats}")
def test_the_bot_plays_from_the_protos_as_from_the_engines_view(setup: Setup) -> None:
    state, chance = dragonkeepers.new_match(setup, deal(1, setup.seats)), random.Random(1)
    while (seat := dragonkeepers.seat_to_move(state)) is not None:
        moves = dragonkeepers.legal_moves(state, seat)
        view = dragonkeepers.view(state, seat)
        index = best(view, moves)
        protos = [move_to_proto(dragonkeepers, move) for move in moves]
        assert [read_move(proto.dragonkeepers) for proto in protos] == list(moves)
        assert GreedyBot().choose(view_to_proto(dragonkeepers, view), protos) == index
        dragonkeepers.advance(state, moves[index] if chance.random() < 0.8 else moves[-1])

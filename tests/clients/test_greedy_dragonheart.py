"""Greed beats chance, and the bot plays from the protos as from the engine's view."""

import random

from dragonhall.bots.dragonheart.greedy import GreedyBot, best
from dragonhall.bots.dragonheart.reading import read_move, read_view
from dragonhall_engine import dragonheart
from dragonhall_engine.core.game import Setup
from dragonhall_engine.core.rng import Deal
from dragonhall_service.api.mapping.games import move_to_proto, view_to_proto
from tests.budget import cases

MATCHES = cases(ci=400, sweep=4000)


def deal(number: int) -> dragonheart.State:
    seed = number.to_bytes(64, "big")
    return dragonheart.new_match(Setup("standard", 2), Deal(seed, "greedy", (b"", b"")))


def winner(number: int, greedy_seat: int) -> float:
    """Play greedy against random: 1 if greedy wins, 0.5 for a draw."""
    state, chance = deal(number), random.Random(number)
    while (seat := dragonheart.seat_to_move(state)) is not None:
        moves = dragonheart.legal_moves(state, seat)
        greedy = seat == greedy_seat
        view = dragonheart.view(state, seat)
        index = best(view, moves) if greedy else chance.randrange(len(moves))
        dragonheart.advance(state, moves[index])
    outcome = dragonheart.outcome(state)
    assert outcome is not None
    return 0.5 if len(outcome.winners) == 2 else float(outcome.winners == (greedy_seat,))


def test_greedy_beats_random_in_85_of_100_matches() -> None:
    won = sum(winner(number, number % 2) for number in range(MATCHES))
    assert won >= 0.85 * MATCHES, f"{won} of {MATCHES}"


def test_what_is_read_from_the_protos_is_the_engines_own() -> None:
    state, chance = deal(1), random.Random(1)
    while (seat := dragonheart.seat_to_move(state)) is not None:
        moves = dragonheart.legal_moves(state, seat)
        for reader in (0, 1, None):
            view = dragonheart.view(state, reader)
            assert read_view(view_to_proto(dragonheart, view).dragonheart, reader) == view
        protos = [move_to_proto(dragonheart, move) for move in moves]
        assert [read_move(proto.dragonheart) for proto in protos] == list(moves)
        view = dragonheart.view(state, seat)
        assert GreedyBot().choose(view_to_proto(dragonheart, view), protos) == best(view, moves)
        dragonheart.advance(state, chance.choice(moves))

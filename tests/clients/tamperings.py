"""What a cheat could change in a finished match, and what is told of it."""

from collections.abc import Callable

from dragonhall.cli.replaying import Finished
from dragonhall.v1 import dragonheart_pb2, dragonkeepers_pb2, match_pb2


def seed_bit(seen: Finished) -> None:
    seed = bytearray(seen.replay.seed)
    seed[63] ^= 1
    seen.replay.seed = bytes(seed)


def short_seed(seen: Finished) -> None:
    seen.replay.seed = seen.replay.seed[:32]


def commitment(seen: Finished) -> None:
    seen.replay.match.deal.commitment = bytes(64)


def deal_id(seen: Finished) -> None:
    seen.replay.match.deal.deal_id += "x"


def ruleset(seen: Finished) -> None:
    seen.replay.match.deal.ruleset = "dragonheart/2"


def contribution(seen: Finished) -> None:
    seen.replay.match.seats[1].contribution = b"Bp"


def long_contribution(seen: Finished) -> None:
    seen.replay.match.seats[1].contribution = bytes(65)


def no_game(seen: Finished) -> None:
    seen.replay.match.options.ClearField("setup")


def third_seat(seen: Finished) -> None:
    seen.replay.match.seats.add(seat=2)


def start_seat(seen: Finished) -> None:
    seen.replay.match.options.start_seat = 1


def no_such_start_seat(seen: Finished) -> None:
    seen.replay.match.options.start_seat = 2


def other_cards(seen: Finished) -> None:
    """A card that a seat cannot hold for the fourth time."""
    move = seen.replay.moves[10].move
    move.CopyFrom(type(move)(notation="F4 F4", dragonheart=two_fires()))


def two_fires() -> dragonheart_pb2.DragonheartMove:
    card = dragonheart_pb2.DragonheartCard(
        type=dragonheart_pb2.DRAGONHEART_CARD_TYPE_FIRE_DRAGON, value=4
    )
    return dragonheart_pb2.DragonheartMove(cards=[card, card])


def typed_form(seen: Finished) -> None:
    seen.replay.moves[10].move.dragonheart.CopyFrom(two_fires())


def bad_notation(seen: Finished) -> None:
    seen.replay.moves[10].move.notation = "X9"


def other_seat(seen: Finished) -> None:
    seen.replay.moves[10].seat ^= 1


def no_such_seat(seen: Finished) -> None:
    seen.replay.moves[10].seat = 7


def dropped_move(seen: Finished) -> None:
    del seen.replay.moves[10]


def dropped_end(seen: Finished) -> None:
    del seen.replay.moves[-1]


def renumbered_end(seen: Finished) -> None:
    del seen.replay.moves[-1]
    seen.replay.match.version -= 1


def doubled_move(seen: Finished) -> None:
    seen.replay.moves.append(seen.replay.moves[-1])


def score(seen: Finished) -> None:
    seen.replay.match.outcome.results[1].score += 1


def winner(seen: Finished) -> None:
    for result in seen.replay.match.outcome.results:
        result.rank = 3 - result.rank


def missing_result(seen: Finished) -> None:
    del seen.replay.match.outcome.results[1]


def swapped_results(seen: Finished) -> None:
    """Each seat is said to have got what the other one did."""
    for result in seen.replay.match.outcome.results:
        result.seat ^= 1


def no_such_result(seen: Finished) -> None:
    seen.replay.match.outcome.results[1].seat = 9


def swapped_names(seen: Finished) -> None:
    for seat in seen.replay.match.seats:
        seat.seat ^= 1


def logged_outcome(seen: Finished) -> None:
    seen.events[-1].outcome.results[1].score += 1


def early_outcome(seen: Finished) -> None:
    seen.events[3].outcome.CopyFrom(seen.events[-1].outcome)


def told_card(seen: Finished) -> None:
    """The reader was told of another card than it drew."""
    drawn = seen.events[4].move_made.facts[-1].dragonheart.cards_drawn
    drawn.cards[0].value = 5


def told_of_another(seen: Finished) -> None:
    """The reader was told what it may not know."""
    facts = seen.events[5].move_made.facts
    facts[-1].dragonheart.cards_drawn.cards.add(type=1, value=1)


def logged_move(seen: Finished) -> None:
    seen.events[4].move_made.move.notation = "D1"


def other_cause(seen: Finished) -> None:
    seen.replay.match.outcome.cause = match_pb2.OUTCOME_CAUSE_RESIGNED


def no_results(seen: Finished) -> None:
    del seen.replay.match.outcome.results[:]


def timed_out(seen: Finished) -> None:
    """The server is said to have decided what is not the default move."""
    seen.replay.moves[10].reason = match_pb2.MOVE_REASON_TIMED_OUT


def passed(seen: Finished) -> None:
    seen.replay.moves[10].reason = match_pb2.MOVE_REASON_AUTO_PASS


def gone(seen: Finished) -> None:
    seen.replay.moves[10].reason = match_pb2.MOVE_REASON_SEAT_LEFT


def decided(seen: Finished) -> None:
    """Who decided is in the log too."""
    seen.replay.moves[10].reason = match_pb2.MOVE_REASON_UNSPECIFIED


def left_too(seen: Finished) -> None:
    seen.replay.leaves.add(version=seen.replay.match.version + 1, seat=1, cause=2)


def leave_cause(seen: Finished) -> None:
    seen.replay.leaves[0].cause = match_pb2.OUTCOME_CAUSE_TIMED_OUT


def leave_how(seen: Finished) -> None:
    seen.replay.leaves[0].cause = match_pb2.OUTCOME_CAUSE_COMPLETED


def leave_seat(seen: Finished) -> None:
    seen.replay.leaves[0].seat ^= 1


def leave_early(seen: Finished) -> None:
    seen.replay.leaves[0].version -= 1
    seen.replay.moves[-1].version += 1


def nobody_left(seen: Finished) -> None:
    del seen.replay.leaves[:]
    seen.replay.match.version -= 1


def moves_by(kept: Finished, reason: match_pb2.MoveReason.ValueType) -> list[int]:
    return [n for n, move in enumerate(kept.replay.moves) if move.reason == reason]


def left_for_good(kept: Finished) -> None:
    moved = moves_by(kept, match_pb2.MOVE_REASON_PLAYER)[-1]
    kept.replay.moves[moved].reason = match_pb2.MOVE_REASON_SEAT_LEFT


def back_again(kept: Finished) -> None:
    """A seat that has left is said to have decided itself."""
    moved = moves_by(kept, match_pb2.MOVE_REASON_SEAT_LEFT)[0]
    kept.replay.moves[moved].reason = match_pb2.MOVE_REASON_PLAYER


def own_pass(kept: Finished) -> None:
    passed = moves_by(kept, match_pb2.MOVE_REASON_AUTO_PASS)[0]
    kept.replay.moves[passed].reason = match_pb2.MOVE_REASON_PLAYER


def passes_not_agreed(kept: Finished) -> None:
    assert moves_by(kept, match_pb2.MOVE_REASON_AUTO_PASS)
    kept.replay.match.options.auto_pass = False


def stranger_left(kept: Finished) -> None:
    kept.replay.leaves[0].seat = 3


def left_twice(kept: Finished) -> None:
    kept.replay.leaves.add().CopyFrom(kept.replay.leaves[0])
    kept.replay.leaves[1].version = kept.replay.moves[-1].version
    kept.replay.moves[-1].version += 1


def other_setup(kept: Finished) -> None:
    setup = kept.replay.match.options.setup.dragonkeepers
    setup.edition = dragonkeepers_pb2.DRAGONKEEPERS_EDITION_PUBLISHED


Tampering = tuple[Callable[[Finished], None], str]

TAMPERINGS: list[Tampering] = [
    (seed_bit, "do not give the commitment"),
    (short_seed, "a seed has 64 bytes"),
    (commitment, "do not give the commitment"),
    (deal_id, "do not give the commitment"),
    (ruleset, "bound to other rules"),
    (contribution, "version "),
    (long_contribution, "at most 64 bytes"),
    (no_game, "name a game"),
    (third_seat, "2 seats, the match has 3"),
    (start_seat, "NOT_YOUR_TURN"),
    (no_such_start_seat, "cannot be dealt"),
    (other_cards, "version 15, seat 0: DH-4.9 NOT_IN_HAND"),
    (typed_form, "its typed form is F4 F4"),
    (bad_notation, "not a card"),
    (other_seat, "NOT_YOUR_TURN"),
    (no_such_seat, "version 15, seat 7"),
    (dropped_move, "version 15 is missing"),
    (dropped_end, "the match has version "),
    (renumbered_end, "the match is not over"),
    (doubled_move, "is missing: "),
    (score, "seat, rank, score and cause are (1, "),
    (winner, "seat, rank, score and cause are (0, "),
    (missing_result, "seat, rank, score and cause are (1, "),
    (swapped_results, "seat, rank, score and cause are (0, "),
    (no_such_result, "seat, rank, score and cause are (1, "),
    (swapped_names, "the seats are not in order"),
    (logged_outcome, "the log tells of another outcome"),
    (early_outcome, "version 4: the log tells of another outcome"),
    (told_card, "version 5: the log tells something else"),
    (told_of_another, "version 6: the log tells something else"),
    (logged_move, "version 5: the log tells something else"),
    (other_cause, "the match ended otherwise: completed"),
    (no_results, "a match that was called off has no moves"),
    (timed_out, "is not the server's to decide"),
    (passed, "is not the server's to decide"),
    (gone, "version 15, seat 0: it had not left"),
    (decided, "version 15: the log tells something else"),
    (left_too, "the match was over before"),
]
"""Of a match of two seats that was played to its end."""

LEAVINGS: list[Tampering] = [
    (leave_cause, "the match ended otherwise: timed_out"),
    (leave_how, "it cannot leave so"),
    (leave_seat, "seat, rank, score and cause are (0, "),
    (leave_early, "the match was over before"),
    (nobody_left, "after the last move the match is not over"),
    (score, "seat, rank, score and cause are (1, "),
    (contribution, "version "),
]
"""Of a match whose 12 moves a resignation follows."""

KEEPINGS: list[Tampering] = [
    (left_for_good, "had not left"),
    (back_again, "had left"),
    (own_pass, "the log tells something else"),
    (passes_not_agreed, "is not the server's to decide"),
    (stranger_left, "it cannot leave so"),
    (left_twice, "it cannot leave so"),
    (other_setup, "bound to other rules: dragonkeepers-source/1"),
    (seed_bit, "do not give the commitment"),
    (score, "seat, rank, score and cause are (1, "),
]
"""Of a match of Dragonkeepers that a seat left."""

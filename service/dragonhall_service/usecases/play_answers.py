"""What an answer to a turn means, and what an illegal one costs."""

from contextlib import suppress

from dragonhall_service.credentials import Caller
from dragonhall_service.ports import Ports, RequestKey, StorageUnavailable
from dragonhall_service.usecases.ending import forfeit
from dragonhall_service.usecases.moving import MoveInput
from dragonhall_service.usecases.play_items import Answer, Turn
from dragonhall_service.usecases.reading import entries_of, see
from dragonhall_service.usecases.refusals import FieldInvalid, Reason, Refusal, conflict


def request_of(answer: Answer) -> str:
    """Return the request_id of an answer: one a turn, so that it counts once."""
    return f"play-{answer.version}"


async def meant(ports: Ports, caller: Caller, answer: Answer, turn: Turn | None) -> MoveInput:
    """Return the move of an answer; a place in the list of a turn that has passed is a repeat's.

    Args:
        turn: the one of that match that is open on this stream.

    Raises:
        Refusal: MATCH_NOT_FOUND, VERSION_CONFLICT, FIELD_INVALID.
    """
    if answer.move is not None:
        return answer.move
    if turn is None or turn.record.version != answer.version:
        request = RequestKey(caller.actor, request_of(answer))
        seen = await see(ports, caller, answer.match_id, request)
        if seen.earlier is None:
            raise conflict(answer.version, seen.record.version)
        made = (await entries_of(ports, answer.match_id, seen.earlier))[0].entry
        return MoveInput(made.move or "", None, None)
    if answer.index is None or answer.index >= len(turn.moves):
        raise FieldInvalid("move", f"the turn has moves 0 to {len(turn.moves) - 1}")
    return MoveInput("", None, turn.moves[answer.index])


async def punish(ports: Ports, caller: Caller, answer: Answer, refusal: Refusal) -> None:
    """Let a seat that answers its turn with no legal move leave the match."""
    if refusal.reason in (Reason.ILLEGAL_MOVE, Reason.FIELD_INVALID):
        with suppress(Refusal, StorageUnavailable):
            await forfeit(ports, caller, answer.match_id, answer.version)

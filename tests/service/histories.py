"""What must be true of the log of every match, whoever plays it."""

from dragonhall.sdk import Client
from dragonhall.v1 import match_pb2


async def check_history(client: Client, match_id: str) -> None:
    """Check that there is one event a version, and that each move is of the seat to move."""
    to_move, version = None, 0
    async for event in client.list_events(match_id):
        version += 1
        assert event.version == version, f"version {event.version} after {version - 1}"
        if event.WhichOneof("body") == "move_made":
            assert event.move_made.seat == to_move, f"seat {event.move_made.seat} at {version}"
        to_move = event.seat_to_move if event.HasField("seat_to_move") else None
    assert version == (await client.get_match(match_id)).match.version


def causes(match: match_pb2.Match) -> list[str]:
    """Name the causes of a match's seats; of the match alone if they have none."""
    outcome = match.outcome
    found = [result.cause for result in outcome.results] or [outcome.cause]
    return [match_pb2.OutcomeCause.Name(cause).removeprefix("OUTCOME_CAUSE_") for cause in found]

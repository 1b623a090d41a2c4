"""A player moves when it is its turn, looks again after a lost race, and stops at the end."""

from collections.abc import AsyncIterator, Sequence
from math import inf
from typing import Any, cast

import grpc
import pytest

from dragonhall.bots.player import play_seat
from dragonhall.sdk import Client, DragonhallError, IllegalMove, VersionConflict
from dragonhall.v1 import game_pb2, match_pb2
from dragonhall.v1 import match_service_pb2 as pb


class Table:
    """A client's face of a match in which the seats alternate from version 4 on."""

    def __init__(self, refusals: Sequence[DragonhallError] = ()) -> None:
        self.refusals = list(refusals)
        self.version = 0
        self.submitted: list[tuple[int, str]] = []

    async def watch(self, match_id: str, token: str) -> AsyncIterator[pb.WatchMatchResponse]:
        for self.version in range(4, 9):
            event = match_pb2.Event(version=self.version, seat_to_move=self.version % 2)
            yield pb.WatchMatchResponse(event=event)
        yield pb.WatchMatchResponse(event=match_pb2.Event(outcome=match_pb2.Outcome()))

    async def get_match(self, match_id: str, token: str) -> pb.GetMatchResponse:
        match = match_pb2.Match(version=self.version, seat_to_move=self.version % 2)
        return pb.GetMatchResponse(match=match, seat=0)

    async def legal_moves(self, match_id: str, token: str) -> pb.ListLegalMovesResponse:
        moves = [game_pb2.Move(notation="D1"), game_pb2.Move(notation="H1")]
        return pb.ListLegalMovesResponse(version=self.version, moves=moves)

    async def submit_move(
        self, match_id: str, token: str, expected_version: int, move: game_pb2.Move
    ) -> None:
        self.submitted.append((expected_version, move.notation))
        if self.refusals:
            raise self.refusals.pop(0)


class Last:
    """A bot that takes the last move."""

    def choose(
        self, view: game_pb2.View, moves: Sequence[game_pb2.Move], seconds: float = inf
    ) -> int:
        return len(moves) - 1


def refusal(kind: type[DragonhallError]) -> DragonhallError:
    return kind("AS_TOLD", grpc.StatusCode.ABORTED, "", {}, None)


async def play(table: Any) -> None:
    await play_seat(cast(Client, table), "m", "t", 0, Last())


async def test_a_player_moves_at_its_turns_with_the_version_it_saw() -> None:
    table = Table()
    await play(table)
    assert table.submitted == [(4, "H1"), (6, "H1"), (8, "H1")]


async def test_after_a_lost_race_it_looks_again() -> None:
    table = Table([refusal(VersionConflict)])
    await play(table)
    assert [version for version, _ in table.submitted] == [4, 6, 8]


async def test_another_refusal_is_not_hidden() -> None:
    with pytest.raises(IllegalMove):
        await play(Table([refusal(IllegalMove)]))

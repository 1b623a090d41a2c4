"""A finished match from a real server, for tests of what is done with one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from dragonhall.sdk import Client, new_token
from dragonhall.v1.match_service_pb2 import GetReplayResponse
from dragonhall_service.app import embedded_server
from tests.service.driver import options


@dataclass(frozen=True)
class Played:
    """A match that is over, and the server that has it."""

    target: str
    match_id: str
    tokens: tuple[str, str]
    replay: GetReplayResponse


@asynccontextmanager
async def played(*, public: bool = True, moves: int = 1000) -> AsyncIterator[Played]:
    """Play a match with contributions of the seats, always the last legal move.

    After so many moves the seat to move resigns; with none, the host aborts the match.
    """
    async with embedded_server() as target, Client(target) as client:
        tokens = (new_token(), new_token())
        host = new_token()
        created = await client.create_match(host, options(public=public))
        match_id = created.match_id
        for token, name in zip(tokens, ("Ada", "Bo"), strict=True):
            await client.join_match(match_id, token, player_name=name, contribution=name.encode())
        await _play(client, match_id, tokens, moves)
        if not moves:
            await client.abort_match(match_id, host)
        yield Played(target, match_id, tokens, await client.get_replay(match_id, tokens[0]))


async def _play(client: Client, match_id: str, tokens: tuple[str, str], moves: int) -> None:
    for left in reversed(range(moves)):
        match = (await client.get_match(match_id, tokens[0])).match
        if match.HasField("outcome"):
            return
        token = tokens[match.seat_to_move]
        legal = await client.legal_moves(match_id, token)
        await client.submit_move(match_id, token, legal.version, legal.moves[-1])
        if not left:
            await client.resign_match(match_id, tokens[1 - match.seat_to_move])

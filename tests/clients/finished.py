"""A finished match from a real server, for tests of what is done with one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from dragonhall.cli.choosing import choose_setup, find_game
from dragonhall.sdk import Client, new_token
from dragonhall.v1 import match_pb2
from dragonhall.v1.match_service_pb2 import GetReplayResponse
from dragonhall_service.app import embedded_server

NAMES = ("Ada", "Bo", "Cy", "Di")


@dataclass(frozen=True)
class Played:
    """A match that is over, and the server that has it."""

    target: str
    match_id: str
    tokens: tuple[str, ...]
    replay: GetReplayResponse


@asynccontextmanager
async def played(
    game: str = "dragonheart",
    seats: int = 2,
    *,
    public: bool = True,
    moves: int = 1000,
    leaver: int | None = None,
) -> AsyncIterator[Played]:
    """Play a match of a chosen deal, with contributions of the seats; seat 0 starts.

    After so many moves the seat that just moved resigns, and the others play on; with none, the
    host aborts the match. A leaver resigns before the first move.
    """
    async with embedded_server() as target, Client(target) as client:
        setup = choose_setup(await find_game(client, game), "", seats)
        seen = match_pb2.VISIBILITY_PUBLIC if public else match_pb2.VISIBILITY_PRIVATE
        options = match_pb2.MatchOptions(setup=setup, visibility=seen, start_seat=0)
        host, tokens = new_token(), tuple(new_token() for _ in range(seats))
        match = await client.create_match(host, options, seed=b"f" * 64, deal_id="finished")
        match_id = match.match_id
        for token, name in zip(tokens, NAMES, strict=False):
            await client.join_match(match_id, token, player_name=name, contribution=name.encode())
        if leaver is not None:
            await client.resign_match(match_id, tokens[leaver])
        if moves:
            await _play(client, match_id, tokens, moves)
        else:
            await client.abort_match(match_id, host)
        yield Played(target, match_id, tokens, await client.get_replay(match_id, tokens[0]))


async def _play(client: Client, match_id: str, tokens: tuple[str, ...], moves: int) -> None:
    """Play sets where that is possible, else the last legal move, such as a pass."""
    made = 0
    while not (match := (await client.get_match(match_id, tokens[0])).match).HasField("outcome"):
        token = tokens[match.seat_to_move]
        legal = await client.legal_moves(match_id, token)
        sets = [move for move in legal.moves if move.notation.startswith("play")]
        move = sets[0] if sets else legal.moves[-1]
        await client.submit_move(match_id, token, legal.version, move)
        made += 1
        if made == moves:
            await client.resign_match(match_id, token)

"""Matches made for a bench: dealt by the server, played out beforehand by the engine."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import grpc

from dragonhall.sdk import new_token
from dragonhall.v1 import match_pb2
from dragonhall.v1 import match_service_pb2 as pb
from dragonhall.v1 import match_service_pb2_grpc as rpc
from dragonhall_engine.core.game import Game, Setup
from dragonhall_engine.core.rng import SEED_BYTES, Deal
from dragonhall_engine.registry import GAMES
from dragonhall_service.api.mapping.games import MAPPINGS, move_to_proto

SUBMIT = "/dragonhall.v1.MatchService/SubmitMove"
WATCH = "/dragonhall.v1.MatchService/WatchMatch"
Metadata = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Call:
    """A request as bytes, so that the client's own work is the same for every server."""

    request: bytes
    metadata: Metadata = ()


@dataclass(frozen=True)
class Planned:
    """A running match and all its moves to come, each ready to be sent."""

    match_id: str
    version: int
    calls: Sequence[Call]


DRAGONHEART = "dragonheart", Setup("standard", 2, 0)


async def planned(
    channel: grpc.aio.Channel, number: int, what: tuple[str, Setup] = DRAGONHEART
) -> Planned:
    """Deal a public match and choose all its moves at random, from a number."""
    game, setup = GAMES[what[0]], what[1]
    seed = Random(number).randbytes(SEED_BYTES)
    host, *players = (new_token() for _ in range(1 + setup.seats))
    stub: Any = rpc.MatchServiceStub(channel)
    options = match_pb2.MatchOptions(
        setup=MAPPINGS[game.NAME].setup_to_proto(setup.edition, setup.seats),
        visibility=match_pb2.VISIBILITY_PUBLIC,
        start_seat=setup.start_seat,
    )
    create = pb.CreateMatchRequest(request_id=_name(), token=host, options=options, seed=seed)
    match = (await stub.CreateMatch(create)).match
    for token in players:
        join = pb.JoinMatchRequest(match_id=match.match_id, request_id=_name(), token=token)
        match = (await stub.JoinMatch(join)).match
    deal = Deal(seed, match.deal.deal_id, (b"",) * setup.seats)
    state = game.new_match(setup, deal)
    return Planned(match.match_id, match.version, _calls(game, state, match, players, number))


def _calls(
    game: Game[Any, Any, Any, Any],
    state: Any,
    match: match_pb2.Match,
    players: Sequence[str],
    number: int,
) -> list[Call]:
    random, calls, version = Random(number), [], match.version
    while (seat := game.seat_to_move(state)) is not None:
        move = random.choice(game.legal_moves(state, seat))
        request = pb.SubmitMoveRequest(
            match_id=match.match_id,
            request_id=_name(),
            expected_version=version,
            move=move_to_proto(game, move),  # both forms, as ListLegalMoves gives them
        )
        calls.append(Call(request.SerializeToString(), bearer(players[seat])))
        game.advance(state, move)
        version += 1 + _passed(game, state)
    return calls


def _passed(game: Game[Any, Any, Any, Any], state: Any) -> int:
    """Make the moves that the server makes by itself (the option `auto_pass`); say how many."""
    passed = 0
    while game.seat_to_move(state) is not None and (forced := game.public_pass(state)) is not None:
        game.advance(state, forced)
        passed += 1
    return passed


def bearer(token: str) -> Metadata:
    return (("authorization", f"Bearer {token}"),)


def _name() -> str:
    return secrets.token_hex(8)

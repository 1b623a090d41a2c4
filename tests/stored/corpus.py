"""A release's corpus: matches in the middle of everything, and what was known of them."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import Message

from dragonhall.bots.hosting import host_bot
from dragonhall.bots.random_bot import RandomBot
from dragonhall.sdk import Client, new_token
from dragonhall.v1 import match_service_pb2 as pb
from dragonhall_service.app import running_server
from dragonhall_service.config import Settings
from dragonhall_service.logs import configure_logs
from tests.service.driver import stub_of
from tests.stored import dump
from tests.stored.playing import BOTS, SITUATIONS, Seats, begin

FOLDER = Path(__file__).parent / "corpus"
GAMES = ("dragonheart", "dragonkeepers")


def told(message: Message) -> dict[str, Any]:
    """Return a message as JSON keeps it."""
    found: dict[str, Any] = json_format.MessageToDict(message)
    return found


@asynccontextmanager
async def serving(url: str) -> AsyncIterator[Client]:
    """Serve a store, and yield a client."""
    settings = Settings(
        redis_url=url, listen="127.0.0.1:0", drain_s=0, grace_s=1, log_level="error"
    )
    configure_logs(settings)
    async with running_server(settings) as server, Client(server.target) as client:
        yield client


@asynccontextmanager
async def hosted(client: Client, tokens: Mapping[str, str]) -> AsyncIterator[None]:
    """Let bots play while the context lasts."""
    playing = [
        asyncio.create_task(
            host_bot(client, name, token, GAMES, lambda game, seed: RandomBot(seed))
        )
        for name, token in tokens.items()
    ]
    try:
        while set(tokens) - {bot.name async for bot in client.list_bots() if bot.connected}:
            await asyncio.sleep(0.02)
        yield
    finally:
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)


async def write(url: str, raw: Any, release: str) -> dict[str, Any]:
    """Play all situations on an empty store, and return what is to be kept of them."""
    bots = {name: new_token() for name in BOTS}
    async with serving(url) as client:
        stub = stub_of(client._channel)
        async with hosted(client, bots):
            played = [(each, await begin(stub, each)) for each in SITUATIONS]
        matches = [
            await _known(stub, seats) | {"name": situation.name} for situation, seats in played
        ]
    seconds, micros = await raw.time()
    return {
        "release": release,
        "taken_ms": seconds * 1000 + micros // 1000,
        "times": dump.TIMES,
        "bots": bots,
        "matches": matches,
        "keys": await dump.take(raw),
    }


async def _known(stub: Any, seats: Seats) -> dict[str, Any]:
    """Return what players know of a match."""
    readers = {"": ""} | {str(seat): token for seat, token in enumerate(seats.tokens) if token}
    last = None
    if seats.last:
        seat, request, answer = seats.last
        last = {"seat": seat, "request": told(request), "answer": told(answer)}
    return {
        "match_id": seats.match_id,
        "host": seats.host,
        "tokens": seats.tokens,
        "resume_token": seats.resume_token,
        "last": last,
        "seen": {name: told(await seats.get(stub, token)) for name, token in readers.items()},
    }


def seats_of(match: Mapping[str, Any]) -> Seats:
    """Return the seats of a stored match, to play on."""
    seats = Seats(match["match_id"], match["host"], list(match["tokens"]))
    seats.resume_token = match["resume_token"]
    if last := match["last"]:
        request = json_format.ParseDict(last["request"], pb.SubmitMoveRequest())
        answer = json_format.ParseDict(last["answer"], pb.SubmitMoveResponse())
        seats = replace(seats, last=(last["seat"], request, answer))
    return seats


def save(corpus: Mapping[str, Any], file: Path) -> None:
    """Write a corpus; what is kept for ever is kept small."""
    file.write_bytes(gzip.compress(json.dumps(corpus, sort_keys=True).encode(), mtime=0))


def read(file: Path) -> dict[str, Any]:
    """Read a corpus."""
    corpus: dict[str, Any] = json.loads(gzip.decompress(file.read_bytes()))
    return corpus

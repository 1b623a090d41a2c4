"""Reaches a world through a channel, a server and a store."""

from dataclasses import replace
from typing import Any

import grpc
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from dragonhall.v1 import bot_service_pb2 as pb
from dragonhall.v1 import bot_service_pb2_grpc
from dragonhall_service.credentials import caller_of
from dragonhall_service.ports import Applied, BotRecord, Commit, Countdown, RequestKey
from dragonhall_service.store.access import plain
from dragonhall_service.store.bots import RedisBots
from dragonhall_service.store.matches import RedisMatches
from tests.contract.listening import Answer, Question
from tests.contract.worlds import TAG, TOKENS, World
from tests.service.driver import metadata, stub_of


class FixedIds:
    """Gives every version of every world the same tag."""

    def seed(self) -> bytes:
        raise NotImplementedError

    def tag(self) -> str:
        return TAG


class Wired:
    """Stores its world in place of the one before, and calls the server over its store."""

    def __init__(self, world: World, channel: Any, raw: Any) -> None:
        self._world = world
        self._channel = channel
        self._stub = stub_of(channel)
        self._raw = raw

    async def open(self) -> None:
        await self._raw.flushall()
        access = plain(self._raw, self._raw)
        store = RedisMatches(access, FixedIds(), 600)
        entries = tuple(logged.entry for logged in self._world.entries(1, 1_000))
        commit = Commit(
            record=replace(self._world.record, version=0, tag=""),
            entries=entries,
            request=RequestKey("actor", "all"),
            fingerprint="print",
            countdown=Countdown(3_600_000),
        )
        assert isinstance(await store.commit(commit), Applied)
        await access.aclose()

    async def ask(self, question: Question) -> Answer:
        call = getattr(self._stub, question.method)(
            question.request, metadata=metadata(question.token), timeout=20
        )
        try:
            if question.method != "WatchMatch":
                return (_without_chance(await call),)
            told: list[bytes] = []
            async for message in call:
                told.append(_without_chance(message))
                if len(told) == question.count:
                    break
            return tuple(told)
        except grpc.aio.AioRpcError as error:
            assert error.code() is not grpc.StatusCode.INTERNAL, error.details()
            trailers = repr(error.trailing_metadata())
            return (error.code().name.encode(), str(error.details()).encode(), trailers.encode())
        finally:
            call.cancel()

    async def turn(self, seat: int) -> bytes:
        """Return what the bot on a seat is asked that must move."""
        await self.open()
        access, match_id = plain(self._raw, self._raw), self._world.record.match_id
        bots = RedisBots(access)
        token_hash = caller_of(TOKENS[seat]).token_hash
        assert token_hash is not None
        await bots.register(BotRecord("reader", token_hash, (self._world.record.options.game,)))
        await bots.assign("reader", match_id)
        await access.aclose()
        stub: Any = bot_service_pb2_grpc.BotServiceStub(self._channel)
        call = stub.Play(metadata=metadata(TOKENS[seat]), timeout=20)
        await call.write(pb.PlayRequest(hello=pb.PlayHello(capacity=1)))
        while (message := await call.read()).WhichOneof("body") != "turn":
            pass
        call.cancel()
        return _without_chance(message)


def _without_chance(message: Any) -> bytes:
    """Serialise an answer without what the clock and the operating system's luck put there."""
    _clear(message)
    data: bytes = message.SerializeToString(deterministic=True)
    return data


def _clear(message: Message) -> None:
    for field, value in message.ListFields():
        if field.name == "resume_token":
            setattr(message, field.name, value.partition("-")[0] + "-" + "0" * len(TAG))
        elif field.message_type is not None:
            for inner in value if field.is_repeated else [value]:
                if isinstance(inner, Timestamp | Duration):
                    inner.Clear()
                else:
                    _clear(inner)

"""How reasons come about that the store and the server are the cause of."""

from collections.abc import Awaitable, Callable
from typing import Any

from dragonhall.v1 import bot_service_pb2_grpc
from dragonhall.v1 import match_service_pb2 as pb
from dragonhall_service.api import boundary, matches
from dragonhall_service.store.keys import Keys, keys_of
from dragonhall_service.usecases.gcra import Gcra
from tests.contract.provoking import At, provokes
from tests.service.driver import dealt, get, metadata, new_token, options, request_id


@provokes("STORAGE", "GetMatch", own_store=True, applied="no")
async def a_store_that_is_gone(at: At) -> None:
    table = await dealt(at.stub)
    await at.raw.shutdown(nosave=True)
    await get(at.stub, table)


@provokes("STORAGE", "WatchMatch", own_store=True, applied="no")
async def a_store_that_is_gone_when_a_watch_begins(at: At) -> None:
    table = await dealt(at.stub)
    await at.raw.shutdown(nosave=True)
    await at.stub.WatchMatch(pb.WatchMatchRequest(match_id=table.match_id)).read()


@provokes("STORAGE", "WatchMatch", own_store=True, applied="no")
async def a_store_that_goes_while_a_watch_lags(at: At) -> None:
    table = await dealt(at.stub)
    resumed = pb.WatchMatchRequest(match_id=table.match_id, resume_token=f"1-{'0' * 16}")
    watch = at.stub.WatchMatch(resumed)
    await watch.read()  # a reset: nobody knows that place
    await at.raw.shutdown(nosave=True)
    at.server.feeds._open[table.match_id]._tail = None  # what a slow reader asks the log for
    at.server.feeds._open[table.match_id].announce()
    await watch.read()


@provokes("STORAGE", "Play", own_store=True, applied="no")
async def a_store_that_is_gone_when_a_bot_comes(at: At) -> None:
    await at.raw.shutdown(nosave=True)
    stub: Any = bot_service_pb2_grpc.BotServiceStub(at.channel)
    await stub.Play(metadata=metadata(new_token())).read()


@provokes("STORAGE", "CreateMatch", own_store=True, applied="unknown")
async def a_store_that_does_not_answer(at: At) -> None:
    await at.raw.client_pause(3_000, all=False)
    await at.lobby()


@provokes("STORAGE", "SubmitMove", own_store=True, applied="no")
async def a_store_that_follows_another_one(at: At) -> None:
    table = await dealt(at.stub)
    await at.raw.config_set("replica-serve-stale-data", "yes")
    await at.raw.execute_command("REPLICAOF", "127.0.0.1", "1")
    await at.move(table)


@provokes("STORAGE", "SubmitMove", own_store=True, applied="no")
async def a_store_without_its_replicas(at: At) -> None:
    table = await dealt(at.stub)
    await at.raw.config_set("min-replicas-to-write", 1)
    await at.move(table)


@provokes("STORAGE", "JoinMatch", own_store=True, applied="no")
async def a_seat_in_a_full_store(at: At) -> None:
    table = await at.lobby()
    await _fill(at.raw)
    await at.join(table, new_token())


async def _fill(raw: Any) -> None:
    """Leave the store no room for anything more."""
    await raw.config_set("maxmemory", "1mb")


@provokes("STORAGE", "SubmitMove", own_store=True, applied="no")
async def a_move_into_a_full_store(at: At) -> None:
    table = await dealt(at.stub)
    await _fill(at.raw)
    await at.move(table)


@provokes("QUOTA", "CreateMatch", own_store=True)
async def a_match_for_a_full_store(at: At) -> None:
    await _fill(at.raw)
    await at.lobby()


@provokes("QUOTA", "CreateMatch", own_store=True)
async def a_match_of_a_bot_for_a_full_store(at: At) -> None:
    await at.register("tester")
    await _fill(at.raw)
    seat = pb.BotSeat(seat=0, bot="tester")
    await at.stub.CreateMatch(
        pb.CreateMatchRequest(request_id="a", token=new_token(), options=options(), bots=[seat])
    )


@provokes("QUOTA", "WatchMatch")
async def one_watch_too_many(at: At) -> None:
    table = await dealt(at.stub)
    request = pb.WatchMatchRequest(match_id=table.match_id)
    held = [at.stub.WatchMatch(request, metadata=table.seated(0)) for _ in range(2)]
    for call in held:
        await call.read()


@provokes("QUOTA", "GetMatch")
async def one_call_too_many(at: At) -> None:
    table = await dealt(at.stub)
    at.patch.setattr(Gcra, "opens", lambda self, key, now: now + 1)
    await get(at.stub, table)


async def _damaged(at: At, damage: Callable[[Keys], Awaitable[Any]]) -> None:
    table = await dealt(at.stub)
    await damage(keys_of(table.match_id))
    await get(at.stub, table)


@provokes("SCHEMA_TOO_NEW", "GetMatch")
async def a_record_of_a_newer_release(at: At) -> None:
    await _damaged(at, lambda keys: at.raw.hset(keys.match, "format", 99))


@provokes("CORRUPT", "GetMatch")
async def a_record_that_lacks_a_field(at: At) -> None:
    await _damaged(at, lambda keys: at.raw.hdel(keys.match, "fixed"))


@provokes("CORRUPT", "GetMatch")
async def a_state_that_is_none(at: At) -> None:
    await _damaged(at, lambda keys: at.raw.hset(keys.match, "state", b"\x01garbage"))


@provokes("DEADLINE_TOO_SHORT", "GetMatch")
async def less_time_than_a_call_needs(at: At) -> None:
    table = await dealt(at.stub)
    at.patch.setattr(boundary, "LEAST_TIME_S", 100)  # so that the client's own clock cannot win
    await at.stub.GetMatch(pb.GetMatchRequest(match_id=table.match_id), timeout=50)


@provokes("DRAINING", "Play", applied="no")
async def a_bot_on_a_stopping_server(at: At) -> None:
    token = new_token()
    await at.register(f"bot-{request_id()[:20]}", token=token)
    at.server.feeds.drain()
    stub: Any = bot_service_pb2_grpc.BotServiceStub(at.channel)
    await stub.Play(metadata=metadata(token)).read()


@provokes("DRAINING", "WatchMatch", applied="no")
async def a_watch_of_a_stopping_server(at: At) -> None:
    table = await dealt(at.stub)
    at.server.feeds.drain()
    await at.stub.WatchMatch(pb.WatchMatchRequest(match_id=table.match_id)).read()


@provokes("INTERNAL", "GetMatch", error_id=None)
async def a_bug(at: At) -> None:
    table = await dealt(at.stub)
    at.patch.setattr(matches, "view_of", lambda *arguments: 1 // 0)
    await get(at.stub, table)

"""The blocking client is the asyncio one, method for method, and holds up nobody."""

import asyncio
import gc
import inspect
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from dragonhall.sdk import Client as AsyncClient
from dragonhall.sdk import MatchNotFound, new_token
from dragonhall.sdk.blocking import Client
from dragonhall.v1 import match_pb2
from dragonhall.v1.bot_service_pb2 import PlayResponse
from dragonhall_service.app import embedded_server
from tests.service.driver import options

EXAMPLE = Path(__file__).parents[2].joinpath("README.md").read_text().split("```python\n")[2]


@pytest.fixture
async def target() -> AsyncIterator[str]:
    async with embedded_server() as target:
        yield target


def public(kind: type[Any]) -> dict[str, Any]:
    return {name: value for name, value in vars(kind).items() if not name.startswith("_")}


def parameters(method: Any) -> Any:
    return [*inspect.signature(method).parameters.values()]


def test_every_method_is_there_with_its_parameters_and_words() -> None:
    made, original = public(Client), public(AsyncClient)
    assert set(made) - {"close"} == set(original)
    for name, method in original.items():
        assert parameters(made[name]) == parameters(method), name
        assert inspect.getdoc(made[name]) == inspect.getdoc(method), name
    assert parameters(Client.__init__) == parameters(AsyncClient.__init__)


def seated(client: Client) -> tuple[str, list[str]]:
    tokens = [new_token(), new_token()]
    match_id = client.create_match(tokens[0], options()).match_id
    for token in tokens:
        client.join_match(match_id, token)
    return match_id, tokens


def play(client: Client, match_id: str, tokens: list[str]) -> None:
    while not (match := client.get_match(match_id).match).HasField("outcome"):
        listed = client.legal_moves(match_id, tokens[match.seat_to_move])
        move = listed.moves[0]
        client.submit_move(match_id, tokens[match.seat_to_move], listed.version, move)


def a_whole_match(target: str) -> None:
    with Client(target) as client, ThreadPoolExecutor() as threads:
        match_id, tokens = seated(client)
        watch = client.watch(match_id)
        first = next(watch)
        playing = threads.submit(play, client, match_id, tokens)
        seen = [message.event.version for message in watch if message.HasField("event")]
        playing.result()
        last = client.get_match(match_id).match.version
        assert seen == list(range(first.snapshot.match.version + 1, last + 1))
        assert [event.version for event in client.list_events(match_id)] == list(range(1, last + 1))
        assert match_id in [m.match_id for m in client.list_matches(match_pb2.MATCH_PHASE_OVER)]
        with pytest.raises(StopIteration):
            next(watch)


async def test_a_bot_may_call_the_client_when_it_is_told_something(target: str) -> None:
    def host() -> list[str]:
        ended, token, person = [], new_token(), new_token()
        with Client(target) as client, ThreadPoolExecutor() as threads:
            client.register_bot(token, "told", ["dragonheart"])
            match_id = client.create_match(new_token(), options(), bots={0: "told"}).match_id
            client.join_match(match_id, person)

            def tell(response: PlayResponse) -> None:
                if response.HasField("accepted"):
                    client.resign_match(match_id, person)
                if response.HasField("ended"):
                    ended.append(client.get_replay(match_id, token).match.match_id)
                    threads.submit(client.close)

            with pytest.raises(RuntimeError):
                client.play(token, lambda turn: 0, tell)
        return [match_id, *ended]

    async with asyncio.timeout(20):
        asked, *ended = await asyncio.to_thread(host)
    assert ended == [asked]


async def test_its_own_thread_is_refused_rather_than_stopped(target: str) -> None:
    def ask() -> None:
        with Client(target) as client:

            async def from_the_loop() -> None:
                client.get_server_info()

            with pytest.raises(RuntimeError, match="call from another"):
                client._home.run(from_the_loop())

    async with asyncio.timeout(20):
        await asyncio.to_thread(ask)


async def test_a_match_is_played_on_one_thread_and_watched_on_another(target: str) -> None:
    await asyncio.to_thread(a_whole_match, target)


def streams_are_left(target: str) -> None:
    with Client(target) as client, ThreadPoolExecutor() as threads:
        match_id, _ = seated(client)
        for message in client.watch(match_id):
            assert message.HasField("snapshot")
            break
        with client.watch(match_id) as watch:
            next(watch)
            waiting = threads.submit(list, watch)
            while watch._reading is None:
                pass
        assert waiting.result() == []
        assert list(watch) == []
        client.watch(match_id).close()
        del watch
        gc.collect()
        assert client.get_match(match_id).match.match_id == match_id


async def test_a_stream_may_be_left_at_any_time(target: str) -> None:
    await asyncio.to_thread(streams_are_left, target)


def errors_are_the_same(target: str) -> None:
    with Client(target) as client:
        with pytest.raises(MatchNotFound):
            client.get_match("a" * 26)
        with pytest.raises(MatchNotFound):
            next(client.watch("a" * 26))


async def test_errors_are_the_same_exceptions(target: str) -> None:
    await asyncio.to_thread(errors_are_the_same, target)


def ours() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "dragonhall-client"]


def a_client_is_closed(target: str) -> None:
    with Client(target) as client, ThreadPoolExecutor() as threads:
        match_id, _ = seated(client)
        watch = client.watch(match_id)
        next(watch)
        waiting = threads.submit(next, watch)
        while watch._reading is None:
            pass
        client.close()
        with pytest.raises(RuntimeError, match="closed by another thread"):
            waiting.result()
    client.close()
    watch.close()
    with pytest.raises(RuntimeError, match="the client is closed"):
        client.get_server_info()
    dropped = Client(target)
    dropped.get_server_info()
    del dropped
    gc.collect()
    assert ours() == []


async def test_a_closed_or_dropped_client_leaves_no_thread(target: str) -> None:
    await asyncio.to_thread(a_client_is_closed, target)


def run(code: str, target: str) -> "subprocess.CompletedProcess[str]":
    argv = [sys.executable, "-c", code, target]
    return subprocess.run(argv, capture_output=True, text=True, timeout=60)


FORGETFUL = """
import sys
from dragonhall.sdk.blocking import Client
from dragonhall.sdk import new_token
client = Client(sys.argv[1])
setup = client.list_games().games[0].editions[0].setup
match = client.create_match(new_token(), {"setup": setup, "visibility": 1})
watch = client.watch(match.match_id)
print(next(watch).snapshot.match.phase)
"""


async def test_a_program_that_forgets_to_close_ends(target: str) -> None:
    done = await asyncio.to_thread(run, FORGETFUL, target)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")
    failed = await asyncio.to_thread(run, FORGETFUL + "raise SystemExit(7)", target)
    assert (failed.returncode, failed.stderr) == (7, "")
    waiting = f"{FORGETFUL}import signal; signal.setitimer(signal.ITIMER_REAL, 0.2)\nnext(watch)"
    handler = "import signal; signal.signal(signal.SIGALRM, signal.default_int_handler)\n"
    broken = await asyncio.to_thread(run, handler + waiting, target)
    assert broken.stderr.splitlines()[-1] == "KeyboardInterrupt"


async def test_the_readmes_example_plays_a_match(target: str) -> None:
    done = await asyncio.to_thread(run, EXAMPLE.split("```")[0], target)
    assert done.returncode == 0, done.stderr
    assert "OUTCOME_CAUSE_COMPLETED" in done.stdout

"""What can go wrong around a tournament: each is said clearly, and what was played is kept."""

import asyncio
import resource
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from dragonhall.cli.tournaments import write_report
from dragonhall.sdk import Client, new_token
from dragonhall.tournament import processes, runner
from dragonhall.tournament.plan import BadPlan, Stopped, plan_from_dict
from dragonhall.tournament.results import Results
from dragonhall.tournament.runner import Progress, Server, run
from dragonhall.tournament.tables import report_lines
from dragonhall.v1 import bot_service_pb2 as pb
from dragonhall_engine import dragonheart
from dragonhall_service.app import embedded_server
from tests.certificates import Authority
from tests.clients.inside import command

STRANGER = "127.0.0.1:9"
NO_MOVE = 1_000
FAULTY = f"""
import asyncio, os
from dragonhall.sdk import Client


async def main(server, token):
    async with Client(server) as client:
        await client.play(token, lambda turn: {NO_MOVE} if turn.match.version > 9 else 0)


asyncio.run(main(os.environ["DRAGONHALL_BOT_SERVER"], os.environ["DRAGONHALL_BOT_TOKEN"]))
"""


def begun(out: Path, *entrants: str, **more: object) -> Results:
    results = Results(out)
    basis = {"game": "dragonheart", "edition": "", "seats": 2, "deals": 1, "seed": 1}
    results.begin(plan_from_dict(basis | {"entrants": list(entrants)} | more))
    return results


async def played(results: Results, target: str, key: str = "") -> Progress:
    """Play to the end; of errors of tasks that ran side by side the first comes out."""
    try:
        return await run(results, Server(target, key), lambda progress: None)
    except ExceptionGroup as group:
        error: Exception = group
        while isinstance(error, ExceptionGroup):
            error = error.exceptions[0]
        raise error from None


@asynccontextmanager
async def remote(target: str, *names: str) -> AsyncIterator[None]:
    """Play as bots that always take the first move."""
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(Client(target))
        for name in names:
            await client.register_bot(token := new_token(), name, ["dragonheart"])
            playing = asyncio.create_task(client.play(token, first_move))
            stack.callback(playing.cancel)
        yield


def first_move(turn: pb.PlayTurn) -> int:
    return 0


async def test_remote_bots_play_and_a_game_that_the_server_failed_is_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = begun(tmp_path, "a=remote", "b=remote")
    right, calls = dragonheart.apply, iter(range(1_000))

    def breaks_once(*given: Any) -> Any:
        if next(calls) == 5:
            raise RuntimeError("planted")
        return right(*given)

    monkeypatch.setattr(dragonheart, "apply", breaks_once)
    async with embedded_server() as target, remote(target, "a", "b"):
        ended = await played(results, target)
    failed = [record for record in ended.records if not record.counts]
    assert [record.cause for record in failed] == ["SERVER_FAULT"]
    again = next(
        record for record in ended.records if record.key == failed[0].key and record.counts
    )
    assert (failed[0].attempt, again.attempt) == (0, 1)
    summary, _ = write_report(tmp_path)
    told = "1 games were played again after a fault of the server or a stop of the run."
    assert told in report_lines(summary)
    assert [row.games for row in summary.standings] == [2, 2]


async def test_what_a_stopped_run_deserted_is_played_again(tmp_path: Path) -> None:
    results = begun(tmp_path, "random", "a=remote", move_limit_ms=4_000, concurrency=1)
    asked, goes_on = asyncio.Event(), threading.Event()
    loop, matches = asyncio.get_running_loop(), list[str]()

    def choose(turn: pb.PlayTurn) -> int:
        if turn.match.version > 6 and not goes_on.is_set():
            matches.append(turn.match.match_id)
            loop.call_soon_threadsafe(asked.set)
            goes_on.wait(30)
        return 0

    async with embedded_server(bot_grace_s=0.5) as target, Client(target) as client:
        await client.register_bot(token := new_token(), "a", ["dragonheart"])
        playing = asyncio.create_task(client.play(token, choose))
        stopped = asyncio.create_task(played(results, target))
        await asked.wait()
        stopped.cancel()
        await asyncio.wait({stopped})
        goes_on.set()  # its opponent has gone, and a foreign server lets it leave as crashed
        async with asyncio.timeout(30):
            async for _ in client.watch(matches[0], results.token("host")):
                pass
        ended = await played(results, target)
        playing.cancel()
    deserted = [record for record in ended.records if not record.counts]
    assert [(record.match_id, record.attempt) for record in deserted] == [(matches[0], 0)]
    assert "CRASHED" in deserted[0].causes
    assert max(deserted[0].thinking_ms) <= 2 * 4_000
    counted = [record for record in ended.records if record.counts]
    assert [record.key for record in counted] == ["0-0-0", "0-0-1"]
    assert {cause for record in counted for cause in record.causes} == {"COMPLETED"}


async def test_a_bot_that_never_connects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "BOTS_APPEAR_S", 0.3)
    results = begun(tmp_path, "a=remote", "b=remote")
    async with embedded_server() as target, remote(target, "a"):
        with pytest.raises(Stopped, match=r"^b did not connect within 0\.3 s$"):
            await played(results, target)


async def test_a_bot_whose_process_ends_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(processes, "MOST_QUICK_ENDS", 2)
    monkeypatch.setattr(processes, "RESTART_S", 0.0)
    results = begun(tmp_path, "a=remote", "b=cmd:sh -c 'echo no licence; exit 7'")
    async with embedded_server() as target, remote(target, "a"):
        with pytest.raises(Stopped, match="b does not stay alive: it ended with code 7, 2 times"):
            await played(results, target)
    assert "no licence" in capfd.readouterr().out


async def test_a_name_that_is_anothers_at_the_server(tmp_path: Path) -> None:
    results = begun(tmp_path, "greedy", "b=remote")
    async with embedded_server() as target, remote(target, "greedy", "b"):
        with pytest.raises(BadPlan, match=r"greedy is another's at .* as mine=greedy"):
            await played(results, target)


async def test_a_server_that_wants_a_key(tmp_path: Path) -> None:
    results = begun(tmp_path, "greedy", "random")
    async with embedded_server(registration_key="k") as target:
        told = await command("tournament", "resume", str(tmp_path), "--server", target, code=2)
        assert "registration key" in told
        key = ("--registration-key", "k")
        told = await command("tournament", "resume", str(tmp_path), "--server", target, *key)
    assert len(list(results.games())) == 2
    assert "2 games in " in told and " ms of CPU a game" in told


async def test_a_server_is_reached_over_tls(tmp_path: Path) -> None:
    files = Authority(tmp_path).issue("server")
    results = begun(tmp_path / "out", "random", "greedy")
    served = {"tls_cert": str(files.cert), "tls_key": str(files.key)}
    async with embedded_server(**served) as target:
        ended = await run(results, Server(target, tls=files.only_ca), lambda progress: None)
    assert ended.done == ended.size == 2


@pytest.mark.parametrize("given", ["localhost", STRANGER])
async def test_a_server_that_is_not_there_is_told_at_once(tmp_path: Path, given: str) -> None:
    line = ["tournament", "run", "--out", str(tmp_path / "out"), "--game", "dragonheart"]
    line += ["--bots", "random,greedy", "--deals", "1", "--server", given]
    code = 1 if given == STRANGER else 2
    assert "--server" in await command(*line, code=code)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("limit", ["inf", "nan"])
async def test_a_limit_that_is_no_number_of_seconds(tmp_path: Path, limit: str) -> None:
    line = ["tournament", "run", "--out", str(tmp_path / "out"), "--game", "dragonheart"]
    line += ["--bots", "random,greedy", "--deals", "1", "--move-limit", limit]
    assert "--move-limit is a number of seconds" in await command(*line, code=2)


async def test_two_at_once_do_not_play_one_tournament(tmp_path: Path) -> None:
    results = begun(tmp_path, "a=remote", "b=remote")
    with results.held(), pytest.raises(Stopped, match="is being played by another process"):
        await played(results, STRANGER)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"entrants": ["a=remote", "b=remote"]}, "name one with --server"),
        ({"edition": "party"}, "editions"),
        ({"game": "chess"}, "no game 'chess'"),
        ({"seats": 3}, "2 to 2 seats"),
        ({"entrants": ["greedy", "best"]}, "no bot 'best' plays dragonheart"),
        ({"entrants": ["greedy", "a=cmd:./nowhere"]}, "a: there is no command './nowhere'"),
        ({"entrants": ["greedy", "a=cmd:"]}, "a: name a command"),
        ({"entrants": ["greedy", "a=cmd:'sh"]}, "a: No closing quotation"),
    ],
)
async def test_what_only_a_server_can_tell_is_told_before_the_first_game(
    tmp_path: Path, more: dict[str, object], message: str
) -> None:
    results = begun(tmp_path, "greedy", "random", **more)
    async with embedded_server() as target:
        with pytest.raises(BadPlan, match=message):
            await played(results, "" if "--server" in message else target)
    assert list(results.games()) == []


async def test_commands_of_three_seats_and_the_first_illegal_move(tmp_path: Path) -> None:
    program = tmp_path / "faulty.py"
    program.write_text(FAULTY)
    bad = f"bad=cmd:{sys.executable} {program}"
    out = tmp_path / "out"
    results = begun(
        out, "greedy", "random", bad, game="dragonkeepers", seats=3, move_limit_ms=5_000
    )
    async with embedded_server() as target:
        ended = await played(results, target)
    assert [record.counts for record in ended.records] == [True] * 3
    for record in ended.records:
        seat = record.players.index("bad")
        assert (record.causes[seat], record.ranks[seat]) == ("ILLEGAL", 3)
        assert record.illegal.startswith("bad at version ")
        assert sum(record.moves_by_seat) < record.moves
    summary, _ = write_report(out)
    assert [row.name for row in summary.standings][2] == "bad"
    assert summary.standings[2].illegal.startswith("bad at version ")
    assert summary.standings[2].causes == {"ILLEGAL": 3}


@contextmanager
def no_file_larger_than(size: int) -> Any:
    """Let the system refuse to write further: what a full disk does, too."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


async def test_a_disk_that_takes_no_more_keeps_what_was_played(tmp_path: Path) -> None:
    results = begun(tmp_path, "a=remote", "b=remote", deals=3, concurrency=1)
    size = 200_000
    (tmp_path / "games.jsonl").write_text(" " * (size - 1_000) + "\n")
    async with embedded_server() as target, remote(target, "a", "b"):
        with no_file_larger_than(size), pytest.raises(Stopped, match="results cannot be written"):
            await played(results, target)
        kept = list(results.games())
        assert 0 < len(kept) < 6
        ended = await played(results, target)
    assert list(ended.records[: len(kept)]) == kept
    assert len({record.key for record in ended.records}) == len(ended.records) == 6

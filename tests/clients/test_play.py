"""A person plays in the terminal: what there is to see, to type, and how it ends."""

import asyncio
import contextlib
import io
import os
import re
import signal
import subprocess
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from dragonhall.bots.player import play_seat
from dragonhall.bots.random_bot import RandomBot
from dragonhall.cli.choosing import ClockChoice
from dragonhall.cli.keyboard import Keyboard
from dragonhall.cli.playing import Wish, play_match
from dragonhall.cli.screen import Screen
from dragonhall.cli.session import End, Session, chosen_move
from dragonhall.cli.timing import time_text
from dragonhall.sdk import Client, new_token
from dragonhall.v1 import game_pb2, match_pb2
from dragonhall_service.app import embedded_server
from dragonhall_service.usecases.admission import WATCHES_PER_SEAT
from tests.clients.inside import command, inside
from tests.clients.terminal import GAMES, at_terminal, golden_path, screenshots
from tests.clients.test_demo import RUN
from tests.service.driver import options

NO_CLOCK = ClockChoice(0, 0, "lose")
WISH = Wish("", "", "", "Ada", "dragonheart", "", ("greedy",), None, 0, 5, NO_CLOCK, None)


@pytest.fixture
async def target() -> AsyncIterator[str]:
    async with embedded_server() as target:
        yield target


class Script(Keyboard):
    """Types lines one after the other; after the last one the same for ever, if one is given."""

    def __init__(self, *lines: str, then: str | None = None) -> None:
        super().__init__()
        self._lines = list(lines)
        self._then = then

    async def line(self) -> str | None:
        return self._lines.pop(0) if self._lines else self._then


class Asleep(Keyboard):
    """Types nothing, until it is woken."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()
        self.woken = asyncio.Event()

    async def line(self) -> str | None:
        self.asked.set()
        await self.woken.wait()
        return None


# ---- at a real terminal -------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_a_match_looks_as_it_did(game: str) -> None:
    shown = screenshots(game)
    kept = {moment: golden_path(game, moment).read_text(encoding="utf-8") for moment in shown}
    assert shown == kept


@pytest.mark.parametrize("key", ["^C", "^D"])
def test_a_person_may_leave_by_a_key(key: str) -> None:
    screen, code = at_terminal(["play", "--seed", "1"], lambda screen: key)
    assert code == 130
    assert screen.splitlines()[-1].startswith("The match ran on a server of its own and is gone")
    assert "Traceback" not in screen


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_closed_terminal_leaves_no_store_behind(number: signal.Signals) -> None:
    argv = [*RUN, "play", "--seed", "1"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as played:
        assert played.stdout
        while not played.stdout.readline().startswith(" Your hand"):
            pass
        (store,) = Path(f"/proc/{played.pid}/task/{played.pid}/children").read_text().split()
        played.send_signal(number)
        assert played.wait(60) == 128 + number
    assert not Path(f"/proc/{store}").exists()


# ---- to the end, and back -----------------------------------------------------------------------


async def test_a_person_comes_back_and_the_bot_too(
    target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    wish = replace(WISH, server=target)
    assert await play_match(wish, Script("1", "1", "quit")) == 0
    told = capsys.readouterr().out
    assert told.count("B greedy: ") >= 2
    assert "Won by" not in told
    (again,) = re.findall(r"--match (\w+) --token (\S+)", told)
    back = replace(wish, match_id=again[0], token=again[1])
    assert await play_match(back, Script(then=None)) == 130
    assert re.findall(r"--match (\w+) --token (\S+)", capsys.readouterr().out) == [again]
    assert await play_match(back, Script(then="1")) == 0
    told = capsys.readouterr().out
    assert "Ada (you): " in told
    assert re.search(r"^Won by |^A draw", told, re.MULTILINE)
    assert f"dragonhall verify {again[0]} --server {target}" in told
    assert await play_match(back, Script()) == 0, "a match that is over is shown"


async def test_a_finished_match_is_saved_and_verified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "match.json"
    assert await play_match(replace(WISH, save=saved, seat=1, seed=None), Script(then="1")) == 0
    told = capsys.readouterr().out
    assert "B Ada (you): " in told
    assert "A greedy: " in told
    assert "the host chose the seed" not in await command("verify", str(saved))
    assert await play_match(replace(WISH, save=saved), Script("resign", "yes")) == 0
    assert "A Ada (you) leaves: resigned" in capsys.readouterr().out
    assert "0 moves and outcome; the host chose the seed" in await command("verify", str(saved))


async def test_a_person_joins_anothers_match(
    target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async with Client(target) as client:
        host = new_token()
        match_id = (await client.create_match(host, options())).match_id
        await client.join_match(match_id, host, player_name="Bo")
        friend = asyncio.create_task(play_seat(client, match_id, host, 0, RandomBot(1)))
        wish = replace(WISH, server=target, match_id=match_id)
        assert await play_match(wish, Script(then="1")) == 0
        await friend
    told = capsys.readouterr().out
    assert "A Bo: " in told
    assert "B Ada (you): " in told


async def test_an_open_seat_waits_for_somebody(
    target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    waiting = asyncio.create_task(
        play_match(replace(WISH, server=target, bots=("open",)), Script(then="1"))
    )
    told = ""
    while not (found := re.findall(r"--match (\w{26})", told)):
        await asyncio.wait({waiting}, timeout=0.01)
        told += capsys.readouterr().out
    joining = replace(WISH, server=target, match_id=found[0], name="Bo")
    assert await play_match(joining, Script(then="1")) == 0
    assert await waiting == 0


async def test_a_seat_that_is_played_elsewhere_is_left(
    target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async with Client(target) as client:
        token, keyboard = new_token(), Asleep()
        match_id = (await client.create_match(token, options())).match_id
        for own in (token, new_token()):
            await client.join_match(match_id, own, player_name="Ada")
        sitting = asyncio.create_task(Session(client, match_id, token, keyboard).play())
        await keyboard.asked.wait()
        others = [client.watch(match_id, token) for _ in range(WATCHES_PER_SEAT)]
        for other in others:
            await anext(other)
        assert await sitting is End.QUIT
    assert "at other terminals now" in capsys.readouterr().out


# ---- clocks -------------------------------------------------------------------------------------


def clock(action: match_pb2.ExpiryAction.ValueType) -> match_pb2.MatchOptions:
    given = options()
    given.clock.move_limit.FromMilliseconds(2000)
    given.clock.on_expiry = action
    return given


async def asleep(target: str, action: match_pb2.ExpiryAction.ValueType, until: int) -> End:
    """Sleep at the board of a match with a clock until so many events; then the input ends."""
    async with Client(target) as client:
        tokens = [new_token(), new_token()]
        match_id = (await client.create_match(tokens[0], clock(action))).match_id
        for token in tokens:
            await client.join_match(match_id, token, player_name="Ada")
        keyboard = Asleep()
        sitting = asyncio.create_task(Session(client, match_id, tokens[0], keyboard).play())
        async for message in client.watch(match_id):
            if message.event.version >= until:
                keyboard.woken.set()
                break
        return await sitting


async def test_losing_on_time_is_told_to_who_still_thinks(
    target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await asleep(target, match_pb2.EXPIRY_ACTION_LOSE, 1000) is End.OVER
    told = capsys.readouterr().out
    assert re.search(
        r"Your move \[0:0\d left\]> \nA Ada \(you\) leaves: timed out\nYour time is", told
    )
    assert "Won by B Ada." in told


async def test_a_move_by_the_clock_is_told(target: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert await asleep(target, match_pb2.EXPIRY_ACTION_DEFAULT_MOVE, 6) is End.INPUT_ENDED
    told = capsys.readouterr().out
    assert "Your time was up: the server moved for you." in told
    assert re.search(r"Your move \[0:0\d left\]> \nA Ada \(you\): ", told)


# ---- what is typed ------------------------------------------------------------------------------

MOVES = [game_pb2.Move(notation=text) for text in ("D1", "D1 D2", "S1 > treasure")]


@pytest.mark.parametrize(
    ("line", "notation"),
    [
        ("1", "D1"),
        ("3", "S1 > treasure"),
        ("d1 d2", "D1 D2"),
        ("s1>treasure", "S1 > treasure"),
        ("K1", "K1"),
        ("4", "4"),
    ],
)
def test_a_move_is_chosen_by_number_or_notation(line: str, notation: str) -> None:
    assert chosen_move(line, MOVES).notation == notation


async def test_lines_come_as_they_are_typed() -> None:
    ours, theirs = os.pipe()
    keyboard = Keyboard(ours)
    waiting = asyncio.create_task(keyboard.line())
    os.write(theirs, b"d1")
    await asyncio.wait({waiting}, timeout=0.01)
    assert not waiting.done()
    os.write(theirs, b" d2 \r\nmoves\n\nlast \xff")
    os.close(theirs)
    assert await waiting == "d1 d2"
    assert [await keyboard.line() for _ in range(4)] == ["moves", "", "last \ufffd", None]
    os.close(ours)


async def test_a_plain_file_may_be_typed(tmp_path: Path) -> None:
    (tmp_path / "lines").write_text("1\n2\n")
    with (tmp_path / "lines").open() as file:
        keyboard = Keyboard(file.fileno())
        assert [await keyboard.line() for _ in range(3)] == ["1", "2", None]


def test_news_do_not_write_into_a_prompt(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Screen({"D1": "red"})
    screen.prompt("Your move")
    screen.show(["D1 [bold]" + "x" * 200])
    screen.prompt("Your move")
    screen.typed("D1")
    screen.show(["told"])
    assert capsys.readouterr().out == f"Your move> \nD1 [bold]{'x' * 200}\nYour move> D1\ntold\n"


def test_a_terminal_shows_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        Screen({r"\bD1\b": "red"}).show(["D1 D2", "[bold]"])
    assert out.getvalue() == "\x1b[31mD1\x1b[0m D2\n[bold]\n"


def test_times_are_read_as_on_a_clock() -> None:
    assert [time_text(s) for s in (-1, 0.9, 59, 61, 3661)] == [
        "0:00", "0:00", "0:59", "1:01", "1:01:01"
    ]  # fmt: skip


# ---- mistakes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--match", "a" * 26], "--match needs the --server"),
        (["--token", "two words"], "--token is base64url"),
        (["--game", "chess"], "--game is one of dragonheart"),
        (["--edition", "first"], "--edition is one of standard"),
        (["--seats", "3"], "dragonheart has 2 to 2 seats, not 3"),
        (["--bot", "greedy,greedy"], "dragonheart has 2 to 2 seats, not 3"),
        (["--bot", "alice"], "no bot 'alice' plays dragonheart"),
        (["--seat", "2"], "--seat is 0 to 1"),
        (["--seat", "-1"], "Invalid value for '--seat'"),
        (["--on-expiry", "cry"], "--on-expiry is one of lose, default-move"),
        (["--move-limit", "-1"], "Invalid value for '--move-limit'"),
        (["--move-limit", "inf"], "--move-limit and --bank are 0 to"),
        (["--bank", "nan"], "Invalid value for '--bank'"),
        (["--save", "/nowhere/match.json"], "--save names a file in a folder that exists"),
        (["--save", "/"], "--save names a file in a folder that exists"),
        (["--name", "x" * 65], "player_name"),
        (["--seed", "9" * 99], "deal_id"),
        (["--server", "nowhere"], "--server is host:port"),
    ],
)
def test_a_mistake_is_one_clear_line(args: list[str], told: str) -> None:
    done = inside("play", *args)
    assert done.returncode == 2, done.stdout
    (line,) = done.stderr.splitlines()
    assert line.startswith("dragonhall: ")
    assert told in line


async def test_a_token_without_a_seat_is_told(target: str) -> None:
    host = new_token()
    async with Client(target) as client:
        match_id = (await client.create_match(host, options())).match_id
    args = ["play", "--server", target, "--match", match_id, "--token"]
    assert "--token holds no seat of this match" in await command(*args, host, code=2)
    assert "no such match" in await command(*args, new_token(), code=2)


def test_end_of_input_ends_the_match_cleanly() -> None:
    done = inside("play", "--seed", "2")
    assert (done.returncode, done.stderr) == (130, "")
    assert done.stdout.endswith("with --server it would be kept.\n")

"""A person at a terminal who holds a seat: hears what happens, sees the board, moves."""

import asyncio
import textwrap
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto

from dragonhall.cli.boards.layout import WIDTH, columns
from dragonhall.cli.boards.registry import board_lines, brief_lines, hints_of, legend_of, styles_of
from dragonhall.cli.boards.table import SEAT_LETTERS, Table, table_of
from dragonhall.cli.keyboard import Keyboard
from dragonhall.cli.screen import Screen
from dragonhall.cli.showing import event_lines, outcome_lines
from dragonhall.cli.timing import clock_line, seconds_left, time_text
from dragonhall.sdk import (
    Client,
    FieldInvalid,
    IllegalMove,
    MatchOver,
    NotYourTurn,
    SeatLeft,
    VersionConflict,
)
from dragonhall.v1 import game_pb2, match_pb2
from dragonhall.v1.match_service_pb2 import GetMatchResponse, WatchMatchResponse

HELP = (
    "Type the number of a move, or the move itself; Enter if there is just one; or",
    "  moves   list the moves again",
    "  board   draw the board again",
    "  rules   print the rules of the game",
    "  resign  give up the match",
    "  quit    leave the terminal; the match goes on",
    "  help    print this",
)


_LAST_EVENTS = 6
_VERSION_WIDTH = len("1234 ")


class End(Enum):
    """How a session ended."""

    OVER = auto()
    QUIT = auto()
    INPUT_ENDED = auto()


@dataclass(frozen=True, slots=True)
class _Turn:
    """What the person may do now, and until when (by the monotonic clock)."""

    version: int
    moves: Sequence[game_pb2.Move]
    hints: Sequence[str]
    due: float | None


@dataclass(frozen=True, slots=True)
class _Typed:
    """A line; None at the end of the input."""

    line: str | None


class Session:
    """One seat of one match, from now to its end or until the person leaves."""

    def __init__(self, client: Client, match_id: str, token: str, keyboard: Keyboard) -> None:
        """Play with the seat's token."""
        self._client = client
        self._match_id = match_id
        self._token = token
        self._keyboard = keyboard
        self._screen = Screen()
        self._inbox: asyncio.Queue[WatchMatchResponse | _Typed] = asyncio.Queue()
        self._asking: asyncio.Task[None] | None = None
        self._turn: _Turn | None = None
        self._game = ""
        self._seat = -1
        self._table = Table((), None)
        self._resigning = False
        self._moved = False  # the last thing that happened was the person's own move

    async def play(self) -> End:
        """Play on until the match is over, the person quits or the input ends.

        Raises:
            DragonhallError: the server refused something, or is gone.
        """
        await self._sit_down()
        async with asyncio.TaskGroup() as tasks:
            listening = tasks.create_task(self._listen())
            try:
                return await self._converse()
            finally:
                listening.cancel()
                if self._asking:
                    self._asking.cancel()

    async def _sit_down(self) -> None:
        seen = await self._look()
        self._seat = seen.seat
        self._game = seen.match.options.setup.WhichOneof("game") or ""
        self._screen = Screen(styles_of(self._game))
        place = SEAT_LETTERS[self._seat]
        self._screen.show([f"{self._game}: you are {place}. Type help for what you may type.", ""])

    async def _look(self) -> GetMatchResponse:
        seen = await self._client.get_match(self._match_id, self._token)
        self._table = table_of(seen.match.seats, seen.seat)
        return seen

    async def _listen(self) -> None:
        async for message in self._client.watch(self._match_id, self._token):
            self._inbox.put_nowait(message)

    async def _converse(self) -> End:
        while True:
            item = await self._inbox.get()
            if isinstance(item, _Typed):
                end = await self._obey(item.line)
            else:
                end = await self._hear(item)
            if end:
                return end

    # ---- news -----------------------------------------------------------------------------------

    async def _hear(self, message: WatchMatchResponse) -> End | None:
        body = message.WhichOneof("body")
        if body == "event":
            return await self._hear_event(message.event)
        if body == "superseded":
            self._screen.show(["This seat is played at other terminals now."])
            return End.QUIT
        if body in ("snapshot", "reset"):
            if body == "reset":
                self._screen.show(["The server had to go back; this is the match now:"])
            snapshot = message.reset.snapshot if body == "reset" else message.snapshot
            await self._tell_the_last(snapshot.match.version)
            return await self._go_on(snapshot.match, over=snapshot.match.HasField("outcome"))
        return None

    async def _hear_event(self, event: match_pb2.Event) -> End | None:
        if event.HasField("joined") or event.HasField("dealt"):
            await self._look()  # who sits at the table has changed
        self._screen.show(self._told(event))
        self._moved = event.HasField("move_made") and event.move_made.seat == self._seat
        return await self._go_on(event, over=event.HasField("outcome"))

    async def _tell_the_last(self, version: int) -> None:
        """Print what happened just before the person came."""
        after = max(0, version - _LAST_EVENTS)
        log = self._client.list_events(self._match_id, self._token, after_version=after)
        async for event in log:
            if event.version <= version:
                self._screen.show(self._told(event))

    def _told(self, event: match_pb2.Event) -> list[str]:
        """Return an event for a player: no version, and the move itself just once."""
        lines = [line[_VERSION_WIDTH:] for line in event_lines(event, self._table.title)]
        if event.HasField("move_made") and lines[1:]:
            repeats = lines[1].endswith(event.move_made.move.notation)
            lines = [lines[0], *lines[1 + repeats :]]
        late = _late(event, self._seat)
        return [part for line in [*lines, late] for part in _wrapped(line)]

    async def _go_on(self, now: match_pb2.Match | match_pb2.Event, *, over: bool) -> End | None:
        self._turn = None
        if over:
            seen = await self._look()
            board = board_lines(seen.view, self._table)
            self._screen.show(["", *board, "", *outcome_lines(seen.match, self._table.title)])
            return End.OVER
        if now.HasField("seat_to_move") and now.seat_to_move == self._seat:
            await self._begin_turn(now.version)
        return None

    async def _begin_turn(self, version: int) -> None:
        seen = await self._look()
        listed = await self._client.legal_moves(self._match_id, self._token)
        if not seen.match.version == listed.version == version:
            return  # the news of what came after is on its way
        left = seconds_left(seen.match)
        due = None if left is None else time.monotonic() + left
        hints = hints_of(seen.view, self._table, listed.moves)
        self._turn = _Turn(version, listed.moves, hints, due)
        self._resigning = False
        draw = brief_lines if self._moved else board_lines
        clock = clock_line(seen.match, self._table)
        self._screen.show(["", *draw(seen.view, self._table), *clock, *self._moves()])
        self._ask()

    def _moves(self) -> list[str]:
        if self._turn is None:
            return []
        wide = len(str(len(self._turn.moves)))
        rows = zip(self._turn.moves, self._turn.hints, strict=True)
        return columns(
            [
                f"{n:{wide}}) {move.notation}{f'  ({hint})' if hint else ''}"
                for n, (move, hint) in enumerate(rows, 1)
            ]
        )

    def _ask(self) -> None:
        question = "Resign? Type yes to do so" if self._resigning else self._question()
        due = self._turn.due if self._turn else None
        left = "" if due is None else f" [{time_text(due - time.monotonic())} left]"
        self._screen.prompt(f"{question}{left}")
        if self._asking is None:
            self._asking = asyncio.create_task(self._read())

    def _question(self) -> str:
        if self._turn and self._forced():
            return f"Your move (Enter: {self._turn.moves[0].notation})"
        return "Your move"

    async def _read(self) -> None:
        line = await self._keyboard.line()
        self._asking = None
        self._inbox.put_nowait(_Typed(line))

    # ---- what the person types ------------------------------------------------------------------

    async def _obey(self, line: str | None) -> End | None:
        self._screen.typed(line or "")
        if line is None:
            return End.INPUT_ENDED
        if line.lower() in ("quit", "exit"):
            return End.QUIT
        await self._answer(line)
        if self._turn:
            self._ask()
        return None

    async def _answer(self, line: str) -> None:
        word, resigning, self._resigning = line.lower(), self._resigning, False
        if resigning:
            await self._resign(word)
        elif word in ("help", "?") or not (word or self._forced()):
            self._screen.show([*HELP, *legend_of(self._game)])
        elif word == "moves":
            self._screen.show(self._moves() or ["Another seat must move."])
        elif word == "board":
            self._screen.show(board_lines((await self._look()).view, self._table))
        elif word == "rules":
            await self._show_rules()
        elif word == "resign":
            self._resigning = True
        elif self._turn is None:
            self._screen.show(["It is not your turn."])
        else:
            await self._move(line or "1", self._turn)

    def _forced(self) -> bool:
        return self._turn is not None and len(self._turn.moves) == 1

    async def _show_rules(self) -> None:
        game = await self._client.get_game(self._game)
        self._screen.show(game.text.rules.splitlines())

    async def _resign(self, word: str) -> None:
        if word != "yes":
            self._screen.show(["You play on."])
            return
        with suppress(MatchOver, SeatLeft):
            await self._client.resign_match(self._match_id, self._token)
        self._turn = None  # the watch tells what happens

    async def _move(self, line: str, turn: _Turn) -> None:
        if line.isdecimal() and not 1 <= int(line) <= len(turn.moves):
            self._screen.show([f"There are moves 1 to {len(turn.moves)}."])
            return
        try:
            await self._submit(chosen_move(line, turn.moves), turn.version)
            self._turn = None  # the watch tells what happens
        except IllegalMove as illegal:
            self._screen.show([f"{illegal.rule}: {illegal.message}."])
        except FieldInvalid:
            self._screen.show([f"{line!r} is no move. Type help for what you may type."])
        except (VersionConflict, NotYourTurn, MatchOver, SeatLeft):
            self._turn = None  # too late; the watch tells why

    async def _submit(self, move: game_pb2.Move, version: int) -> None:
        client, match_id, token = self._client, self._match_id, self._token
        try:
            await client.submit_move(match_id, token, version, move)
        except FieldInvalid:  # no notation; cards have capital letters
            capital = game_pb2.Move(notation=move.notation.upper())
            await client.submit_move(match_id, token, version, capital)


def _wrapped(line: str) -> list[str]:
    """Break what is too long for the screen, such as all that is revealed at the end."""
    return textwrap.wrap(line, WIDTH, subsequent_indent="    ", break_long_words=False)


def chosen_move(line: str, moves: Sequence[game_pb2.Move]) -> game_pb2.Move:
    """Return the move that a line names: by number, else by notation whatever its case and blanks.

    What is no legal move is passed on as it was typed, for the server to say what is wrong.
    """
    if line.isdecimal() and 1 <= int(line) <= len(moves):
        return moves[int(line) - 1]
    typed = "".join(line.lower().split())
    same = [move for move in moves if "".join(move.notation.lower().split()) == typed]
    return same[0] if len(same) == 1 else game_pb2.Move(notation=line)


def _late(event: match_pb2.Event, seat: int) -> str:
    """Say that an event was made by the clock of the person's seat."""
    timed_out = event.seat_left.cause == match_pb2.OUTCOME_CAUSE_TIMED_OUT
    if event.HasField("seat_left") and event.seat_left.seat == seat and timed_out:
        return "Your time is up: you have lost."
    moved = event.move_made.reason == match_pb2.MOVE_REASON_TIMED_OUT
    if moved and event.move_made.seat == seat:
        return "Your time was up: the server moved for you."
    return ""

"""A bot's stream: turns of all its matches go out, answers come in.

The bot's matches are read from the store, so any server can go on with them. A turn is a version;
the request_id of its answer is made from it, so an answer counts once, however often it is sent.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVarTuple

from dragonhall_engine.core.game import Seat
from dragonhall_service.credentials import Caller
from dragonhall_service.match import MatchRecord, Phase
from dragonhall_service.ports import (
    UNREADABLE,
    BotRecord,
    CallKind,
    Doorbell,
    Known,
    Ports,
    StorageUnavailable,
    bot_topic,
)
from dragonhall_service.usecases.call_notes import CallNotes
from dragonhall_service.usecases.ending import end_by_fault, resign_match
from dragonhall_service.usecases.feeds import Break, Feed, Feeds, Place, place_of
from dragonhall_service.usecases.moving import Submission, submit_move
from dragonhall_service.usecases.play_answers import meant, punish, request_of
from dragonhall_service.usecases.play_items import (
    LAST,
    Accepted,
    Answer,
    Ended,
    Incoming,
    Outgoing,
    Ping,
    Pong,
    Refused,
    Resignation,
    Stopping,
    TakenOver,
    Turn,
)
from dragonhall_service.usecases.play_seats import appear, seated
from dragonhall_service.usecases.reading import see
from dragonhall_service.usecases.refusals import Reason, Refusal, bot_not_found, unreadable
from dragonhall_service.usecases.tasks import asked_to_stop, wait_within

PING_S = 1.0
LOOK_AGAIN_S = 30.0
RETRY_S = 0.2
LINGER_S = 2.0
_NEW_AT_ONCE = 200
"""Whoever names a bot gives it a match: those of a second are not all looked at in one."""
_UNSENT = 1_000
_ANSWERS_AT_ONCE = 32
_UNLIMITED = 1_000_000
_MOST_TEXT = 300

Given = TypeVarTuple("Given")
Work = Callable[[*Given], Coroutine[Any, Any, None]]


class Session:
    """One stream of one bot; `close` it when the stream ends."""

    def __init__(
        self,
        ports: Ports,
        feeds: Feeds,
        doorbell: Doorbell,
        caller: Caller,
        bot: BotRecord,
        capacity: int,
        on_bug: Callable[[Exception], object],
        pace_s: Callable[[], float],
    ) -> None:
        """Begin nothing yet.

        Args:
            capacity: how many turns may be open at once; 0: any number.
            on_bug: is told what should never be raised.
            pace_s: counts an answer, or a pong that nobody asked for, and says for how long to read
                no further one.
        """
        self._ports = ports
        self._feeds = feeds
        self._doorbell = doorbell
        self._caller = caller
        self._bot = bot
        self._on_bug = on_bug
        self._pace_s = pace_s
        self._id = ports.ids.tag()
        self._places = asyncio.Semaphore(capacity or _UNLIMITED)
        self._answering = asyncio.Semaphore(_ANSWERS_AT_ONCE)
        self._out: asyncio.Queue[Outgoing | Exception | None] = asyncio.Queue(_UNSENT)
        self._rung = asyncio.Event()
        self._turns: dict[str, Turn] = {}
        self._followed: dict[str, asyncio.Task[None]] = {}
        self._over: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._notes = CallNotes(ports.bots, bot.name)
        self._heard_s = self._known_s = time.monotonic()
        self._broken = True
        self._pings = 0  # that no pong has answered

    async def run(self, incoming: AsyncIterator[Incoming]) -> AsyncGenerator[Outgoing, None]:
        """Yield what the bot is told, until it hangs up or must go elsewhere.

        Raises:
            Refusal: BOT_NOT_FOUND once the bot is revoked, and what `incoming` raises.
            StorageUnavailable: the session could not begin.
        """
        await self._ports.bots.connect(self._bot.name, self._id)
        self._notes.add(CallKind.CONNECTED)
        self._spawn(self._listen, incoming)
        self._spawn(self._keep)
        self._spawn(self._leave)
        while (item := await self._out.get()) is not None:
            if isinstance(item, Exception):
                raise item
            yield item
            if isinstance(item, TakenOver):
                await self._until_left()
            if isinstance(item, LAST):
                return

    async def _until_left(self) -> None:
        """Listen on for a while: a client that writes to an ended stream misses its last word."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER_S):
                while isinstance(await self._out.get(), Outgoing):
                    pass

    async def fail(self, match_id: str, bug: Exception) -> bool:
        """Report a bug and end the match that it was about; False if that cannot be done now.

        A match that cannot be read is nobody's bug and stays as it is.
        """
        if isinstance(bug, UNREADABLE):
            return False
        self._on_bug(bug)
        try:
            await end_by_fault(self._ports, match_id)
        except (StorageUnavailable, *UNREADABLE):
            return False
        return True

    async def close(self) -> None:
        """Let go of everything; the bot counts as disconnected from now on."""
        while self._tasks:
            for task in self._tasks:
                task.cancel()
            await asyncio.wait(set(self._tasks), timeout=0.1)
        self._notes.add(CallKind.DISCONNECTED)
        with suppress(StorageUnavailable):
            await self._ports.bots.disconnect(self._bot.name, self._id)
            await self._notes.flush()

    def _spawn(self, work: Work[*Given], *given: *Given) -> "asyncio.Task[None]":
        task = asyncio.create_task(self._guard(work, *given))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _guard(self, work: Work[*Given], *given: *Given) -> None:
        try:
            await work(*given)
        except Exception as error:
            await self._out.put(error)

    # ---- the stream ----------------------------------------------------------------------------

    async def _listen(self, incoming: AsyncIterator[Incoming]) -> None:
        async for item in incoming:
            self._heard_s = time.monotonic()
            if isinstance(item, Pong) and self._pings:
                self._pings -= 1
                continue
            await asyncio.sleep(self._pace_s())
            if not isinstance(item, Pong):
                await self._answering.acquire()
                self._spawn(self._take, item)
        await self._out.put(None)

    async def _leave(self) -> None:
        await self._feeds.drained.wait()
        await self._out.put(Stopping())

    async def _keep(self) -> None:
        """Hold the bot's place, find its matches, and ask whether it is alive."""
        with self._doorbell.listen(bot_topic(self._bot.name), lambda _: self._rung.set()):
            while not asked_to_stop():
                anew, self._broken = self._broken, False
                try:
                    if not await self._hold(anew=anew):
                        for following in self._followed.values():
                            following.cancel()  # the newer stream asks from now on
                        await self._out.put(TakenOver())
                        return
                except StorageUnavailable:
                    self._broken = True
                    await asyncio.sleep(RETRY_S)  # whoever has rung waits as long
                if not self._out.full():
                    self._out.put_nowait(Ping())
                    self._pings += 1
                await wait_within(PING_S, self._rung)

    async def _hold(self, *, anew: bool) -> bool:
        bots, name = self._ports.bots, self._bot.name
        unheard_ms = int((time.monotonic() - self._heard_s) * 1000)
        if not await bots.stay(name, self._id, unheard_ms, anew=anew):
            return False
        # A ring may be lost, so it is asked without one, too.
        if self._rung.is_set() or time.monotonic() - self._known_s >= LOOK_AGAIN_S:
            self._rung.clear()
            await self._check_revoked()
        over = set(self._over)  # the store has forgotten these before it is asked
        new = [each for each in await bots.assigned(name) if each not in self._followed]
        for match_id in new[:_NEW_AT_ONCE]:
            self._followed[match_id] = self._spawn(self._follow, match_id)
        for match_id in over:
            self._followed.pop(match_id, None)
        self._over -= over
        await self._notes.flush()
        return True

    async def _check_revoked(self) -> None:
        self._known_s = -LOOK_AGAIN_S
        bot = await self._ports.bots.named(self._bot.name)
        if bot is None or bot.revoked:
            raise bot_not_found()
        self._known_s = time.monotonic()

    # ---- turns ---------------------------------------------------------------------------------

    async def _follow(self, match_id: str) -> None:
        """Ask for a move whenever the bot's seat of a match must make one.

        Whatever is wrong with one match ends neither the stream nor another match.
        """
        while not asked_to_stop():
            try:
                over = await self._ask_until_over(match_id)
                await self._ports.bots.unassign(self._bot.name, match_id)
                if not over and await seated(self._ports, self._caller, match_id):
                    await self._ports.bots.assign(self._bot.name, match_id)  # it has just come
                    await asyncio.sleep(RETRY_S)
                    continue
                self._turns.pop(match_id, None)
                self._over.add(match_id)
                return
            except StorageUnavailable:
                self._broken = True
                await asyncio.sleep(RETRY_S)
            except Exception as bug:
                if not await self.fail(match_id, bug):
                    await asyncio.sleep(LOOK_AGAIN_S)

    async def _ask_until_over(self, match_id: str) -> bool:
        """Return whether it was played to its end; else the bot has no seat in it."""
        seen = await appear(self._ports, self._caller, match_id)
        if seen is None or (seat := seen.role.seat) is None:
            return False
        try:
            with self._feeds.open(match_id) as feed:
                record = seen.record
                while record.phase is not Phase.OVER:
                    at: Place | MatchRecord | None = Place(record.version, record.tag)
                    if record.seat_to_move == seat:
                        at = await self._ask_until_moved(feed, record, seat)
                    while isinstance(at, Place):
                        at = await self._moved(feed, match_id, at, seat)
                    record = at or (await see(self._ports, self._caller, match_id)).record
        except Refusal:
            return False  # the store has lost the match
        self._notes.add(CallKind.ENDED, match_id, record.version)
        await self._out.put(Ended(record, seat))
        return True

    async def _ask_until_moved(
        self, feed: Feed, record: MatchRecord, seat: Seat
    ) -> Place | MatchRecord | None:
        waits = self._places.locked()
        async with self._places:
            if waits:  # the match may have moved on meanwhile
                record = (await see(self._ports, self._caller, record.match_id)).record
            if record.seat_to_move != seat:
                return None
            await self._ask(record, seat)
            at = Place(record.version, record.tag)
            return await self._moved(feed, record.match_id, at, seat)

    async def _moved(
        self, feed: Feed, match_id: str, place: Place, seat: Seat
    ) -> Place | MatchRecord | None:
        """Wait for new versions and return the place after them.

        If it is the seat's turn, the match, where this server has just committed it. None, for the
        store to be asked, if it has not, the match has ended, or the log does not go on from the
        place: to ask it at every version would double its work.
        """
        while not asked_to_stop():
            try:
                found = await feed.after(place, LOOK_AGAIN_S)
            except StorageUnavailable:
                self._broken = True
                await asyncio.sleep(RETRY_S)
                continue
            if isinstance(found, Break):
                await asyncio.sleep(RETRY_S)  # or a store that has lost its log is asked for ever
                return None
            if found:
                last, place = found[-1].entry, place_of(found[-1])
                mine = last.ending is not None or last.seat_to_move == seat
                if not mine:
                    return place
                known = self._known_at(match_id, place)
                return known.record if known else None
        return None

    def _known_at(self, match_id: str, place: Place) -> Known | None:
        """Return a match as this server committed it at a place, if that is its last commit."""
        known = self._ports.lately.find(match_id)
        here = known and Place(known.record.version, known.record.tag) == place
        return known if here else None

    async def _ask(self, record: MatchRecord, seat: Seat) -> None:
        asked = self._turns.get(record.match_id)
        if asked and (asked.record.version, asked.record.tag) == (record.version, record.tag):
            return
        game = self._ports.games[record.options.game]
        assert record.state is not None
        known = self._known_at(record.match_id, Place(record.version, record.tag))
        state = known.state if known else game.decode(record.state)
        turn = Turn(record, seat, state, game.legal_moves(state, seat), time.monotonic())
        self._turns[record.match_id] = turn
        self._notes.add(CallKind.TURN, record.match_id, record.version)
        await self._out.put(turn)

    # ---- answers -------------------------------------------------------------------------------

    async def _take(self, item: Answer | Resignation) -> None:
        version = item.version if isinstance(item, Answer) else 0
        try:
            if isinstance(item, Resignation):
                resigned = f"play-resign-{item.match_id}"
                await resign_match(self._ports, self._caller, item.match_id, resigned)
            else:
                await self._move(item)
        except StorageUnavailable:
            self._broken = True
            refusal = Refusal(Reason.STORAGE, "the store did not answer: send the move again")
            await self._refuse(item.match_id, version, refusal)
        except Refusal as refusal:
            await self._refuse(item.match_id, version, refusal)  # before the end that may follow
            if isinstance(item, Answer):
                await punish(self._ports, self._caller, item, refusal)
        except UNREADABLE as damage:
            await self._refuse(item.match_id, version, unreadable(damage))
        except Exception as bug:
            # Before the end, too: who stops reading there would not hear why.
            await self._refuse(item.match_id, version, Refusal(Reason.INTERNAL, "internal error"))
            await self.fail(item.match_id, bug)
        finally:
            self._answering.release()

    async def _move(self, answer: Answer) -> None:
        turn = self._turns.get(answer.match_id)
        move = await meant(self._ports, self._caller, answer, turn)
        submission = Submission(request_of(answer), answer.version, move)
        done = await submit_move(self._ports, self._caller, answer.match_id, submission)
        if not done.replayed:
            self._feeds.committed(answer.match_id, done.upon, done.entries)
        known = turn is not None and turn.record.version == answer.version
        thinking = int((time.monotonic() - turn.sent_s) * 1000) if turn and known else 0
        text = done.entries[0].entry.move or ""
        self._notes.add(
            CallKind.MOVE, answer.match_id, answer.version, text=text, thinking_ms=thinking
        )
        await self._out.put(Accepted(answer.match_id, answer.version, done.replayed))

    async def _refuse(self, match_id: str, version: int, refusal: Refusal) -> None:
        text = f"{refusal.reason.value}: {refusal.message}"[:_MOST_TEXT]
        self._notes.add(CallKind.REFUSED, match_id, version, text=text)
        await self._out.put(Refused(match_id, version, refusal))

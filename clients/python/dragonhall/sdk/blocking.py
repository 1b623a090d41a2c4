"""The SDK for code without asyncio: `dragonhall.sdk.Client` run on a thread of its own.

Calls take the same arguments, give the same answers and raise the same exceptions; what the other
client yields asynchronously is a `Stream` here. Nothing is written twice: every method is made
from the one of the same name.
"""

import asyncio
import contextlib
import functools
import threading
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import CancelledError, Future
from types import TracebackType
from typing import Any, Concatenate, Final, Generic, ParamSpec, Self, TypeVar, cast

from dragonhall.sdk.client import Client as AsyncClient
from dragonhall.sdk.play import Choose
from dragonhall.sdk.retry import Retry
from dragonhall.sdk.tls import Tls
from dragonhall.v1.bot_service_pb2 import PlayResponse

P = ParamSpec("P")
T = TypeVar("T")

_END: Final = object()


class _Home:
    """The thread and event loop that an asynchronous client lives on.

    The thread is a daemon, so that it never keeps a program from ending; `Client` sees to it that
    it ends in order.
    """

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._open = True
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._live, name="dragonhall-client", daemon=True)
        self._thread.start()

    def _live(self) -> None:
        self._loop.run_forever()
        self._loop.close()

    def _post(self, work: Coroutine[Any, Any, T], *, last: bool = False) -> "Future[T]":
        with self._lock:
            if not self._open:
                work.close()
                raise RuntimeError("the client is closed")
            self._open = not last
            return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end, here as if it were a call.

        Raises:
            RuntimeError: the client is closed, or was closed by another thread meanwhile, or
                this is its own thread.
        """
        if threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError("the client's own thread cannot wait for it: call from another")
        future = self._post(work)
        try:
            return future.result()
        except CancelledError:
            raise RuntimeError("the client was closed by another thread") from None
        except KeyboardInterrupt:
            future.cancel()
            raise

    def close(self, farewell: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Cancel what runs, say farewell and end the thread; once is enough."""
        try:
            self._post(self._end(farewell), last=True)
        except RuntimeError:
            return
        if threading.current_thread() is not self._thread:  # the garbage collector runs anywhere
            self._thread.join()

    async def _end(self, farewell: Callable[[], Coroutine[Any, Any, None]]) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self._loop.shutdown_asyncgens()
        await farewell()
        self._loop.call_soon(self._loop.stop)


class Stream(Iterator[T], Generic[T]):
    """What a call yields, an item at a time.

    It may be left at any time: `close` it, use it as a context, or just drop it.
    """

    def __init__(self, client: "Client", home: _Home, source: AsyncIterator[T]) -> None:
        """Read a source of a client, which lives as long as its streams; it makes them."""
        self._client = client
        self._home = home
        self._source = source
        self._closed = False
        self._reading: asyncio.Task[Any] | None = None

    def __next__(self) -> T:
        if self._closed:
            raise StopIteration
        try:
            item = self._home.run(self._read())
        except RuntimeError:
            if self._closed:  # by another thread, while this one waited
                raise StopIteration from None
            raise
        if item is _END:
            raise StopIteration
        return cast(T, item)

    async def _read(self) -> object:
        self._reading = asyncio.current_task()
        try:
            return await anext(self._source, _END)
        finally:
            self._reading = None

    def close(self) -> None:
        """Stop reading, also for a thread that waits for the next item; may be repeated."""
        if not self._closed:
            self._closed = True
            with contextlib.suppress(RuntimeError):  # the client closed all its streams
                self._home.run(self._stop())

    async def _stop(self) -> None:
        if self._reading:
            self._reading.cancel()
            await asyncio.wait({self._reading})
        await cast("AsyncGenerator[T, None]", self._source).aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _call(
    method: Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate["Client", P], T]:
    """Make a method that waits for the answer."""

    @functools.wraps(method)
    def call(self: "Client", /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._home.run(method(self._client, *args, **kwargs))

    return call


def _stream(
    method: Callable[Concatenate[AsyncClient, P], AsyncIterator[T]],
) -> Callable[Concatenate["Client", P], Stream[T]]:
    """Make a method that returns what it yields as a stream."""

    @functools.wraps(method)
    def stream(self: "Client", /, *args: P.args, **kwargs: P.kwargs) -> Stream[T]:
        return Stream(self, self._home, method(self._client, *args, **kwargs))

    return stream


def _told_on_threads(
    method: Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, None]],
) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, None]]:
    """Keep what a bot is told off the loop, which the client needs if it is called there."""
    original: Any = method

    @functools.wraps(method)
    async def play(
        client: AsyncClient, token: str, choose: Choose, tell: Any = None, capacity: int = 0
    ) -> None:
        def told(response: PlayResponse) -> Awaitable[None]:
            return asyncio.to_thread(tell, response)

        rest = {"tell": told} if tell else {}
        await original(client, token, choose, capacity=capacity, **rest)

    return cast("Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, None]]", play)


async def _connect(target: str, retry: Retry | None, tls: Tls | None) -> AsyncClient:
    return AsyncClient(target, retry, tls)  # gRPC binds a channel to the loop it is made on


class Client:
    """Calls a Dragonhall server; answers are messages of `dragonhall.v1`.

    Any thread may call it, several at once. It is a context manager; a program that ends without
    closing it is not held up.
    """

    def __init__(self, target: str, retry: Retry | None = None, tls: Tls | None = None) -> None:
        """Connect to `host:port`, without TLS unless it is given; nothing is sent yet."""
        self._home = _Home()
        self._client = self._home.run(_connect(target, retry, tls))
        farewell = functools.partial(self._client.__aexit__, None, None, None)
        self._end = weakref.finalize(self, self._home.close, farewell)

    def close(self) -> None:
        """Cancel calls of other threads and disconnect; may be repeated."""
        self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    get_server_info = _call(AsyncClient.get_server_info)
    get_game = _call(AsyncClient.get_game)
    list_games = _call(AsyncClient.list_games)
    create_match = _call(AsyncClient.create_match)
    join_match = _call(AsyncClient.join_match)
    get_match = _call(AsyncClient.get_match)
    list_matches = _stream(AsyncClient.list_matches)
    legal_moves = _call(AsyncClient.legal_moves)
    submit_move = _call(AsyncClient.submit_move)
    resign_match = _call(AsyncClient.resign_match)
    abort_match = _call(AsyncClient.abort_match)
    list_events = _stream(AsyncClient.list_events)
    get_replay = _call(AsyncClient.get_replay)
    watch = _stream(AsyncClient.watch)
    register_bot = _call(AsyncClient.register_bot)
    list_bots = _stream(AsyncClient.list_bots)
    revoke_bot = _call(AsyncClient.revoke_bot)
    list_bot_calls = _call(AsyncClient.list_bot_calls)
    play = _call(_told_on_threads(AsyncClient.play))

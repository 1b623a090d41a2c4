"""An abuser in a process of its own: `python -m tests.faults.flooding TARGET KIND SECONDS CORE`.

It prints how much it has done. Where its socket is closed it comes again at once.
"""

import asyncio
import os
import struct
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress

import grpc

from dragonhall.sdk.token import new_token
from dragonhall.v1 import match_service_pb2 as pb
from tests.deploy.stack import connected
from tests.service.driver import metadata, options, request_id

CONNECTIONS, CALLS_AT_ONCE = 4, 16
SOCKETS = 1_000
METADATA_BYTES, MESSAGE_BYTES = 17 * 1024, 64 * 1024 + 1
ELSEWHERE = (("x-forwarded-for", "198.51.100.7"),)
"""The abuser's address, where the balancer is believed: all of a run come from one machine."""

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_SETTINGS, _HEADERS, _RESET, _PING = 4, 1, 3, 6
_END_HEADERS = 4
_PATH = b"/dragonhall.v1.MatchService/GetMatch"
_BLOCK = (  # POST, http, path, authority, content-type, te
    b"\x83\x86\x04" + bytes([len(_PATH)]) + _PATH + b"\x01\x06server"
    b"\x0f\x10\x10application/grpc\x00\x02te\x08trailers"
)


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    """Return a frame of HTTP/2."""
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def resets() -> bytes:
    """Return many streams that are opened and given up at once, after a preface."""
    streams = range(1, 2_000, 2)
    return b"".join(
        frame(_HEADERS, _END_HEADERS, number, _BLOCK)
        + frame(_RESET, 0, number, struct.pack(">I", 8))
        for number in streams
    )


HELLO = PREFACE + frame(_SETTINGS, 0, 0, b"")
PINGS = frame(_PING, 0, 0, b"whatever") * 1_000


class Abuser:
    """One client that behaves badly until its time is over."""

    def __init__(self, target: str, seconds: float) -> None:
        self._target = target
        self._ends = time.monotonic() + seconds
        self.done = 0

    async def calls(self) -> None:
        """Read and create as fast as answers come, with one token, deaf to all advice."""
        token = new_token()
        shown = (*metadata(token), *ELSEWHERE)
        create = pb.CreateMatchRequest(token=token, options=options())
        asked = pb.GetMatchRequest(match_id="a" * 26)
        await self._over_channels(
            lambda stub: (
                stub.GetMatch(asked, metadata=shown)
                if self.done % 8
                else stub.CreateMatch(_named(create), metadata=ELSEWHERE)
            )
        )

    async def headers(self) -> None:
        """Send more metadata than is taken."""
        shown = (("x-much", "a" * METADATA_BYTES), *ELSEWHERE)
        await self._over_channels(lambda stub: stub.GetMatch(pb.GetMatchRequest(), metadata=shown))

    async def messages(self) -> None:
        """Send messages that are one byte too long."""
        asked = pb.GetMatchRequest(match_id="a" * MESSAGE_BYTES)
        await self._over_channels(lambda stub: stub.GetMatch(asked, metadata=ELSEWHERE))

    async def _over_channels(self, call: Callable[..., Awaitable[object]]) -> None:
        async def again(stub: object) -> None:
            while time.monotonic() < self._ends:
                with suppress(grpc.aio.AioRpcError):
                    await call(stub)
                self.done += 1

        async def channel() -> None:
            async with connected(self._target) as stub:
                await asyncio.gather(*(again(stub) for _ in range(CALLS_AT_ONCE)))

        await asyncio.gather(*(channel() for _ in range(CONNECTIONS)))

    async def silent(self) -> None:
        """Hold many connections and say nothing."""
        await self._over_sockets(SOCKETS, b"", once=True)

    async def halves(self) -> None:
        """Begin a preface on many connections, and never end it."""
        await self._over_sockets(SOCKETS, PREFACE[:10], once=True)

    async def resets(self) -> None:
        """Open streams and give them up at once."""
        await self._over_sockets(CONNECTIONS, resets(), hello=HELLO)

    async def pings(self) -> None:
        """Ask for nothing but signs of life."""
        await self._over_sockets(CONNECTIONS, PINGS, hello=HELLO)

    async def _over_sockets(
        self, count: int, said: bytes, *, hello: bytes = b"", once: bool = False
    ) -> None:
        async def talk() -> None:
            while time.monotonic() < self._ends:
                with suppress(OSError):
                    async for writer in self._socket():
                        writer.write(hello)
                        await self._say(writer, said, once=once)

        await asyncio.gather(*(talk() for _ in range(count)))

    async def _socket(self) -> AsyncIterator[asyncio.StreamWriter]:
        host, _, port = self._target.partition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        draining = asyncio.create_task(_drain(reader))
        try:
            yield writer
        finally:
            draining.cancel()
            writer.transport.abort()

    async def _say(self, writer: asyncio.StreamWriter, said: bytes, *, once: bool) -> None:
        while time.monotonic() < self._ends:
            writer.write(said)
            await writer.drain()
            self.done += 1
            if once:
                await asyncio.sleep(max(0.0, self._ends - time.monotonic()))
            elif writer.transport.is_closing():
                return
            await asyncio.sleep(0)


async def _drain(reader: asyncio.StreamReader) -> None:
    with suppress(OSError):
        while await reader.read(65_536):
            pass


def _named(create: pb.CreateMatchRequest) -> pb.CreateMatchRequest:
    create.request_id = request_id()
    return create


KINDS = ("calls", "headers", "messages", "silent", "halves", "resets", "pings")


def main(target: str, kind: str, seconds: str, core: str) -> None:
    """Abuse, on a core that must be named: what a process may use it has from who started it."""
    os.sched_setaffinity(0, {int(core)})
    abuser = Abuser(target, float(seconds))
    asyncio.run(getattr(abuser, kind)())
    print(abuser.done)


if __name__ == "__main__":
    main(*sys.argv[1:])

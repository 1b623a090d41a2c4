"""A way to one server that can be closed to some who come, as a network that has come apart."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

CLIENT = b"HELLO"
"""What redis-py says first, and neither replicas nor Sentinels do."""


class Passage:
    """Passes bytes on to a port of this machine, both ways."""

    def __init__(self, to: int) -> None:
        self._to = to
        self._cut = False
        self._others: set[asyncio.StreamWriter] = set()
        self._clients: set[asyncio.StreamWriter] = set()
        self._served: set[asyncio.Task[None] | None] = set()

    def cut(self) -> None:
        """Part the server from all others but clients, old ones and new ones."""
        self._cut = True
        self._close(self._others)

    def heal(self) -> None:
        """Let all come again; clients must."""
        self._cut = False
        self._close(self._clients)

    async def close(self) -> None:
        """End, when everybody has gone."""
        self._close(self._others | self._clients)
        await asyncio.gather(*(task for task in self._served if task))

    def _close(self, writers: set[asyncio.StreamWriter]) -> None:
        for writer in tuple(writers):
            writer.close()

    async def come(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one who comes."""
        self._served.add(asyncio.current_task())
        with suppress(OSError):
            first = await reader.read(65_536)
            kind = self._clients if CLIENT in first else self._others
            if not (self._cut and kind is self._others):
                await self._pass_on(first, kind, reader, writer)
        writer.close()

    async def _pass_on(
        self,
        first: bytes,
        kind: set[asyncio.StreamWriter],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        back, on = await asyncio.open_connection("127.0.0.1", self._to)
        on.write(first)
        kind.add(writer)
        try:
            ways = [asyncio.create_task(_carry(*way)) for way in ((reader, on), (back, writer))]
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for way in ways:
                way.cancel()
            await asyncio.wait(ways)
        finally:
            kind.discard(writer)
            on.close()


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while some := await reader.read(65_536):
            writer.write(some)
            await writer.drain()


@asynccontextmanager
async def passage(at: int, to: int) -> AsyncIterator[Passage]:
    """Open a way from one port to another while the context lasts."""
    way = Passage(to)
    async with await asyncio.start_server(way.come, "127.0.0.1", at):
        yield way
        await way.close()

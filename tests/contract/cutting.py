"""A wire to the store that breaks at a chosen command: before it gets there, or before its answer.

What a server does by itself, with nobody calling, passes and is not counted.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum, unique
from hashlib import sha1
from importlib.resources import files
from pathlib import Path

import hiredis

Command = tuple[bytes, ...]
_BY_ITSELF = {b"PING", b"HELLO", b"AUTH", b"CLIENT", b"SSUBSCRIBE", b"SUNSUBSCRIBE"}
for _name in ("due.lua", "count.lua"):
    _text = files("dragonhall_service.store").joinpath(_name).read_bytes()
    _BY_ITSELF |= {_text, sha1(_text, usedforsecurity=False).hexdigest().encode()}
"""Commands and scripts that a server sends with nobody calling."""


@unique
class Loss(Enum):
    """What is lost: the command, or its answer."""

    COMMAND = "command"
    ANSWER = "answer"


@dataclass
class Wire:
    """Counts commands while it is armed and breaks at one, and at each repeat of that one.

    Attributes:
        seen: commands since it was armed.
        cut: the command at which it broke.
    """

    loss: Loss | None = None
    at: int = 0
    seen: int = 0
    cut: Command | None = None
    _ends: set[asyncio.StreamWriter] = field(default_factory=set)

    def arm(self, loss: Loss | None, at: int) -> None:
        """Break at the command of this number, from 0; None: at none."""
        self.loss, self.at, self.seen, self.cut = loss, at, 0, None

    def loses(self, command: Command) -> Loss | None:
        """Say what is lost of a command."""
        if not _BY_ITSELF.isdisjoint(command[:2]):
            return None
        if self.cut is None and self.seen == self.at and self.loss is not None:
            self.cut = command
        self.seen += 1
        return self.loss if command == self.cut else None

    async def carry(
        self, store: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Carry one connection until either side closes it or it breaks."""
        from_store, to_store = await asyncio.open_unix_connection(store)
        self._ends |= {writer, to_store}
        back = asyncio.create_task(_pump(from_store, writer))
        parser = hiredis.Reader()
        try:
            while data := await reader.read(65_536):
                parser.feed(data)
                while (command := parser.gets()) is not False:
                    loss = self.loses(tuple(command))
                    if loss is Loss.ANSWER:
                        back.cancel()
                        await asyncio.wait([back])
                        to_store.write(hiredis.pack_command(tuple(command)))
                        to_store.write_eof()
                        await from_store.read()  # to the end: it has been carried out
                    if loss is not None:
                        return
                    to_store.write(hiredis.pack_command(tuple(command)))
        finally:
            back.cancel()
            for end in (writer, to_store):
                end.close()
                self._ends.discard(end)

    async def close(self) -> None:
        """End all connections."""
        while self._ends:
            for end in self._ends:
                end.close()
            await asyncio.sleep(0)


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await source.read(65_536):
            sink.write(data)
    sink.close()


@asynccontextmanager
async def wire_to(store_url: str, folder: Path) -> AsyncIterator[tuple[str, Wire]]:
    """Lay a wire to a store on a Unix socket; yield the URL of its near end."""
    wire, store = Wire(), store_url.removeprefix("unix://")
    near = str(folder / "near")

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            await wire.carry(store, reader, writer)

    async with await asyncio.start_unix_server(carry, near) as server:
        try:
            yield f"unix://{near}", wire
        finally:
            server.close()
            await wire.close()

"""What a person types, read beside everything else that goes on."""

import asyncio
import os

_CHUNK_BYTES = 4096


class Keyboard:
    """Lines from standard input.

    No thread waits in a read: it could not be stopped when the match is over while somebody is
    still thinking.
    """

    def __init__(self, fd: int = 0) -> None:
        """Read a file descriptor, standard input by default."""
        self._fd = fd
        self._buffer = b""
        self._ended = False

    async def line(self) -> str | None:
        """Return the next line without blanks at its ends; None after the last one."""
        while b"\n" not in self._buffer and not self._ended:
            await self._readable()
            self._read()
        line, newline, self._buffer = self._buffer.partition(b"\n")
        return line.decode(errors="replace").strip() if line or newline else None

    def _read(self) -> None:
        try:
            chunk = os.read(self._fd, _CHUNK_BYTES)
        except OSError:  # the terminal is gone
            chunk = b""
        self._buffer += chunk
        self._ended = not chunk

    async def _readable(self) -> None:
        loop, ready = asyncio.get_running_loop(), asyncio.Event()
        try:
            loop.add_reader(self._fd, ready.set)
        except PermissionError:  # a plain file, which never lets one wait
            return
        try:
            await ready.wait()
        finally:
            loop.remove_reader(self._fd)

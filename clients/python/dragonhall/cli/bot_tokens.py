"""The tokens of the bots that somebody hosts here, kept for the next time."""

import fcntl
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from dragonhall.cli.mistakes import Mistake
from dragonhall.sdk import new_token

Book = dict[str, dict[str, str]]
"""Servers to bots to tokens: a server must not learn what opens another."""


def default_file() -> Path:
    """Return where tokens are kept unless another place is named."""
    state = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(state).expanduser() / "dragonhall" / "bots.json"


def tokens_for(file: Path, server: str, names: Sequence[str]) -> dict[str, str]:
    """Return the tokens of bots of a server; those that are not there are made and kept.

    Raises:
        Mistake: the file cannot be used.
    """
    try:
        with _held(file):
            book = _read(file)
            known = book.setdefault(server, {})
            missing = [name for name in names if name not in known]
            known.update({name: new_token() for name in missing})
            if missing:
                _write(file, book)
    except OSError as failed:
        raise Mistake(f"--tokens {file}: {failed.strerror}") from None
    return {name: known[name] for name in names}


def token_of(file: Path, server: str, name: str) -> str:
    """Return the token of one bot.

    Raises:
        Mistake: it is not there, or the file cannot be used.
    """
    try:
        known = _read(file).get(server, {})
    except OSError as failed:
        raise Mistake(f"--tokens {file}: {failed.strerror}") from None
    if name not in known:
        there = f" (there are {', '.join(known)})" if known else ""
        raise Mistake(f"{file} holds no token of {name} at {server}{there}: give --token")
    return known[name]


@contextmanager
def _held(file: Path) -> Iterator[None]:
    """Keep other processes from changing the file meanwhile."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _read(file: Path) -> Book:
    try:
        if file.stat().st_mode & 0o077:
            raise Mistake(f"{file} holds secrets and others may open it: chmod 600 it")
        book = json.loads(file.read_text())
    except FileNotFoundError:
        return {}
    except ValueError:
        raise Mistake(f"{file} is no file of tokens: name another with --tokens") from None
    well_formed = isinstance(book, dict) and all(
        isinstance(bots, dict) and all(isinstance(token, str) for token in bots.values())
        for bots in book.values()
    )
    if not well_formed:
        raise Mistake(f"{file} is no file of tokens: name another with --tokens")
    return dict(book)


def _write(file: Path, book: Book) -> None:
    """Replace the file as a whole, so that a crash leaves the old one or the new one."""
    fresh = file.with_name(f"{file.name}.new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
        json.dump(book, out, indent=1)
        out.write("\n")
        out.flush()
        os.fsync(out.fileno())
    fresh.replace(file)

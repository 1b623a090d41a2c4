"""The results folder: everything that a tournament has to remember.

    plan.json      the settings, as they were checked
    deals.csv      the seed of every deal, as follows from the seed of the tournament
    secret         32 bytes from which the tokens are made; only its owner may read it
    games.jsonl    one finished game a line, written through to the disk
    replays/       what re-deals and replays each game: `dragonhall verify FILE`
    store/         the data of the tournament's own server

A game's line is written last. A game without a line is played on where it stopped: its match is
found again by its request_id.
"""

import fcntl
import hashlib
import hmac
import json
import os
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dragonhall.tournament.plan import BadPlan, Game, Plan, Stopped, plan_from_dict, plan_to_dict

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A finished game, one line of games.jsonl.

    Attributes:
        schema: version of this format.
        key: which game: line-up, deal and rotation, joined by -.
        attempt: 0, or more after faults of the server and games that a stopped run deserted: these
            are listed too but do not count.
        players: names of entrants by seat.
        ranks, scores, causes: by seat; empty after a fault of the server.
        counts: whether it stands in the tables.
        versions: length of the match's history.
        moves: how many moves were made.
        moves_by_seat: those that its player chose; the server passes for a seat, too.
        thinking_ms: by seat, what the clock saw in all.
        illegal: the first illegal move by a seat, if any ended the game.
    """

    key: str
    attempt: int
    lineup: int
    deal: int
    rotation: int
    players: tuple[str, ...]
    match_id: str
    cause: str
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    causes: tuple[str, ...]
    counts: bool
    versions: int
    moves: int
    moves_by_seat: tuple[int, ...]
    thinking_ms: tuple[int, ...]
    illegal: str = ""
    schema: int = SCHEMA


class Results:
    """A results folder."""

    def __init__(self, folder: Path) -> None:
        """Take a folder that `begin` has made or will make."""
        self.folder = folder
        self._games = folder / "games.jsonl"

    def begin(self, plan: Plan) -> None:
        """Make the folder.

        Raises:
            BadPlan: it holds a tournament already.
        """
        if (self.folder / "plan.json").exists():
            raise BadPlan(f"{self.folder} holds a tournament already: resume it, or name another")
        (self.folder / "replays").mkdir(parents=True, exist_ok=True)
        secret = os.open(self.folder / "secret", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(secret, "wb") as file:
            file.write(secrets.token_bytes(32))
        with (self.folder / "deals.csv").open("w") as file:
            file.write("deal,deal_id,seed\n")
            for deal in range(plan.deals):
                file.write(f"{deal},{plan.deal_id(deal)},{plan.deal_seed(deal).hex()}\n")
        _write_through(self.folder / "plan.json", json.dumps(plan_to_dict(plan), indent=2))

    @contextmanager
    def held(self) -> Iterator[None]:
        """Play alone; this ends with the process, however that ends.

        Raises:
            Stopped: another process plays this tournament.
        """
        with (self.folder / "secret").open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Stopped(f"{self.folder} is being played by another process") from None
            yield

    def give_up(self) -> None:
        """Forget a tournament of which no game was played: its settings were wrong."""
        if not self._games.exists():
            (self.folder / "plan.json").unlink()

    def plan(self) -> Plan:
        """Read the settings.

        Raises:
            BadPlan: the folder holds no tournament.
        """
        try:
            given = json.loads((self.folder / "plan.json").read_text())
        except (OSError, ValueError) as missing:
            raise BadPlan(f"{self.folder} holds no tournament") from missing
        return plan_from_dict(given)

    def token(self, whose: str) -> str:
        """Return the token of a bot or host, the same after every restart."""
        secret = (self.folder / "secret").read_bytes()
        digest = hmac.digest(secret, whose.encode(), hashlib.sha256)
        return urlsafe_b64encode(digest).decode().rstrip("=")

    def games(self) -> Iterator[GameRecord]:
        """Yield what has been played; a line that was cut off by a crash does not count."""
        if not self._games.exists():
            return
        for line in self._games.read_text().splitlines():
            try:
                yield _record(json.loads(line))
            except ValueError:
                continue

    def append(self, record: GameRecord) -> None:
        """Write a game through to the disk.

        Raises:
            OSError: it could not be written, such as on a full disk.
        """
        line = json.dumps(asdict(record), separators=(",", ":"))
        with self._games.open("ab+") as file:
            _end_cut_line(file)
            file.write(line.encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def keep_replay(self, game: Game, attempt: int, replay: Mapping[str, Any]) -> None:
        """Write what `dragonhall verify` takes."""
        path = self.folder / "replays" / f"{game.key}.{attempt}.json"
        _write_through(path, json.dumps(replay))


def _end_cut_line(file: Any) -> None:
    """Start a new line if the last one was cut off."""
    if file.seek(0, os.SEEK_END):
        file.seek(-1, os.SEEK_END)
        if file.read(1) != b"\n":
            file.write(b"\n")


def _record(given: dict[str, Any]) -> GameRecord:
    try:
        lists = ("players", "ranks", "scores", "causes", "moves_by_seat", "thinking_ms")
        return GameRecord(**(given | {name: tuple(given[name]) for name in lists}))
    except (KeyError, TypeError) as wrong:
        raise ValueError("not a game") from wrong


def _write_through(path: Path, text: str) -> None:
    """Replace a file at once: whoever reads it sees the old or the new one."""
    draft = path.with_suffix(".draft")
    with draft.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)

"""What a tournament plays: line-ups, deals, games. All of it follows from its settings."""

import hashlib
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from itertools import combinations
from typing import Any

from dragonhall.tournament.sprt import Hypotheses

FORMATS = ("round-robin", "gauntlet")
MOST_DEALS = 1_000_000
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,28}")
"""A server's rule for the names of bots, with room for the number of a second seat."""


class BadPlan(ValueError):
    """A tournament cannot be played as it was asked for; the text says what to change."""


class Stopped(Exception):
    """A run cannot go on; the text says why. What has been played is kept."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player.

    Attributes:
        name: how it is called in tables and on the server; unique.
        how: a shipped bot such as `greedy` or `ismcts:800`; `cmd:` and a command to start; or
            `remote`, for a bot that connects by itself under this name.
    """

    name: str
    how: str

    @property
    def is_remote(self) -> bool:
        """Whether somebody else runs it."""
        return self.how == "remote"

    @property
    def command(self) -> list[str]:
        """What is started for it; empty for another kind of bot.

        Raises:
            BadPlan: it cannot be read.
        """
        kind, _, command = self.how.partition(":")
        if kind != "cmd":
            return []
        try:
            parts = shlex.split(command)
        except ValueError as wrong:
            raise BadPlan(f"{self.name}: {wrong} in {command!r}") from wrong
        if not parts:
            raise BadPlan(f"{self.name}: name a command, as {self.name}=cmd:./mine --fast")
        return parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The settings of a tournament.

    Attributes:
        entrants: at least two.
        seats: of each game.
        deals: how many deals each line-up plays, each once per rotation of its players.
        seed: from which the deals are made.
        format: every group of players (round-robin), or the first against each (gauntlet).
        move_limit_ms: for each move, 0-7 days.
        concurrency: games at once.
        sprt: for two entrants: stop when the test is decided.
    """

    game: str
    edition: str
    seats: int
    entrants: tuple[Entrant, ...]
    deals: int
    seed: int
    format: str = "round-robin"
    move_limit_ms: int = 60_000
    concurrency: int = 4
    sprt: Hypotheses | None = None

    def __post_init__(self) -> None:
        """Check everything that can be checked without a server.

        Raises:
            BadPlan: the text says what to change.
        """
        names = [entrant.name for entrant in self.entrants]
        if len(names) < 2:
            raise BadPlan("a tournament needs two bots or more")
        if twice := {name for name in names if names.count(name) > 1}:
            raise BadPlan(f"two bots are called {min(twice)}: name one of them, as other=greedy")
        if self.format not in FORMATS:
            raise BadPlan(f"format is one of {', '.join(FORMATS)}, not {self.format!r}")
        if wrong := [name for name in names if not _NAME.fullmatch(name)]:
            raise BadPlan(
                f"{wrong[0]!r} is no name: 1 to 29 of a-z 0-9 . _ -, first a letter or digit"
            )
        if not 1 <= self.deals <= MOST_DEALS:
            raise BadPlan(f"deals is 1 to {MOST_DEALS}, not {self.deals}")
        if self.seed < 0:
            raise BadPlan("seed is 0 or more")
        if not 1 <= self.concurrency <= 256:
            raise BadPlan(f"concurrency is 1 to 256, not {self.concurrency}")
        if not 1 <= self.move_limit_ms <= 7 * 24 * 3_600_000:
            raise BadPlan("the limit of a move is 1 ms to 7 days")
        if self.sprt is not None and len(self.entrants) != 2:
            raise BadPlan("a sequential test is between two bots")
        if self.seats < 2:
            raise BadPlan("a game has two seats or more")
        if self.seats > 2 and any(
            len(set(lineup)) < self.seats and any(self.entrants[n].is_remote for n in set(lineup))
            for lineup in self.lineups()
        ):
            raise BadPlan("a remote bot takes one seat of a game: enter as many bots as seats")
        seated = [name for names in self.seated().values() for name in names]
        if twice := {name for name in seated if seated.count(name) > 1}:
            raise BadPlan(f"{min(twice)} is also the name of another bot's second seat: change it")

    def lineups(self) -> tuple[tuple[int, ...], ...]:
        """List who plays whom, as numbers of entrants.

        With fewer players than seats each pair meets twice: one of the first against the others'
        seats full of the second, and the other way round.
        """
        everybody = range(len(self.entrants))
        others = self.seats - 1
        if self.format == "gauntlet":
            return tuple((0, *[rival] * others) for rival in everybody[1:])
        if len(self.entrants) >= self.seats:
            return tuple(combinations(everybody, self.seats))
        pairs = [
            pair for one, two in combinations(everybody, 2) for pair in ((one, two), (two, one))
        ]
        return tuple((one, *[two] * others) for one, two in pairs)

    def seated(self) -> dict[Entrant, list[str]]:
        """Name as many bots of each entrant at the server as seats that it takes in a game."""
        return {
            entrant: [
                entrant.name + (f".{n}" if n else "")
                for n in range(max(lineup.count(number) for lineup in self.lineups()))
            ]
            for number, entrant in enumerate(self.entrants)
        }

    def games(self) -> Iterator["Game"]:
        """Yield every game, deal by deal, so that a stopped tournament is balanced."""
        for deal in range(self.deals):
            for number, lineup in enumerate(self.lineups()):
                for rotation in range(self.seats):
                    players = lineup[rotation:] + lineup[:rotation]
                    yield Game(number, deal, rotation, players)

    @property
    def size(self) -> int:
        """How many games there are."""
        return self.deals * len(self.lineups()) * self.seats

    def deal_seed(self, deal: int) -> bytes:
        """Return the 64 bytes from which a deal is dealt."""
        return hashlib.sha512(f"dragonhall-tournament {self.seed} {deal}".encode()).digest()

    def deal_id(self, deal: int) -> str:
        """Return the name of a deal."""
        return f"tournament-{self.seed}-{deal}"


@dataclass(frozen=True, slots=True)
class Game:
    """One game: a line-up on a deal in one rotation.

    Attributes:
        players: entrants by seat.
    """

    lineup: int
    deal: int
    rotation: int
    players: tuple[int, ...]

    @property
    def key(self) -> str:
        """Its name within the tournament."""
        return f"{self.lineup}-{self.deal}-{self.rotation}"


def plan_to_dict(plan: Plan) -> dict[str, Any]:
    """Return a plan as it is kept with its results."""
    return asdict(plan)


def plan_from_dict(given: Mapping[str, Any]) -> Plan:
    """Read a plan.

    Raises:
        BadPlan: something is unknown, missing, of a wrong kind or out of range.
    """
    known = {field.name for field in fields(Plan)}
    if unknown := set(given) - known:
        raise BadPlan(f"{min(unknown)} is no setting; there are {', '.join(sorted(known))}")
    values = dict(given)
    try:
        values["entrants"] = tuple(_entrant(each) for each in values["entrants"])
        if isinstance(sprt := values.get("sprt"), Mapping):
            values["sprt"] = Hypotheses(**sprt)
        _check_kinds(values)
        return Plan(**values)
    except KeyError as missing:
        raise BadPlan(f"{missing.args[0]} is missing") from missing
    except (TypeError, ValueError) as wrong:
        raise BadPlan(str(wrong)) from wrong


def parse_entrant(text: str) -> Entrant:
    """Read `greedy`, `ismcts:800`, `mine=cmd:./mine --fast` or `theirs=remote`.

    Raises:
        BadPlan: it is none of these.
    """
    name, equals, how = text.partition("=")
    if not equals:
        name, how = name.replace(":", "-"), name
    if not how or not _NAME.fullmatch(name):
        raise BadPlan(f"{text!r} is no bot: write greedy, ismcts:800, mine=cmd:./mine or x=remote")
    return Entrant(name, how)


def _entrant(given: Any) -> Entrant:
    if isinstance(given, str):
        return parse_entrant(given)
    return Entrant(**given)


def _check_kinds(values: Mapping[str, Any]) -> None:
    if not isinstance(values.get("sprt"), Hypotheses | None):
        raise BadPlan("sprt is a table with low and high, and alpha and beta if you like")
    for name in ("game", "edition", "format"):
        if not isinstance(values.get(name, ""), str):
            raise BadPlan(f"{name} is a text")
    for name in ("seats", "deals", "seed", "concurrency", "move_limit_ms"):
        if type(values.get(name, 0)) is not int:
            raise BadPlan(f"{name} is a whole number")

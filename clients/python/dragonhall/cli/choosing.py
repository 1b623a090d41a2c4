"""What a person may choose of a match, by name."""

from dataclasses import dataclass

from google.protobuf.duration_pb2 import Duration

from dragonhall.bots.bot import Bot
from dragonhall.bots.registry import make_bot
from dragonhall.cli.mistakes import Mistake
from dragonhall.sdk import Client
from dragonhall.v1 import catalog_service_pb2, game_pb2, match_pb2

_MOST_S = 7 * 24 * 3600
_EXPIRIES = {
    "lose": match_pb2.EXPIRY_ACTION_LOSE,
    "default-move": match_pb2.EXPIRY_ACTION_DEFAULT_MOVE,
}


@dataclass(frozen=True, slots=True)
class ClockChoice:
    """How long a seat may think.

    Attributes:
        move_limit_s: for each move, in seconds; 0: the bank alone.
        bank_s: for the whole match.
        on_expiry: `lose` or `default-move`.
    """

    move_limit_s: float
    bank_s: float
    on_expiry: str

    def to_proto(self) -> match_pb2.Clock | None:
        """Return the clock; None if neither limit is given."""
        if self.on_expiry not in _EXPIRIES:
            raise Mistake(f"--on-expiry is one of {', '.join(_EXPIRIES)}")
        if not (0 <= self.move_limit_s <= _MOST_S and 0 <= self.bank_s <= _MOST_S):
            raise Mistake(f"--move-limit and --bank are 0 to {_MOST_S} seconds")
        if not self.move_limit_s and not self.bank_s:
            return None
        return match_pb2.Clock(
            move_limit=_duration(self.move_limit_s),
            bank=_duration(self.bank_s),
            on_expiry=_EXPIRIES[self.on_expiry],
        )


def _duration(seconds: float) -> Duration:
    duration = Duration()
    duration.FromMilliseconds(round(seconds * 1000))
    return duration


async def find_game(client: Client, name: str) -> catalog_service_pb2.Game:
    """Return a game that the server knows.

    Raises:
        Mistake: it knows none of this name.
    """
    known = {game.name: game for game in (await client.list_games()).games}
    if name not in known:
        raise Mistake(f"--game is one of {', '.join(known)}")
    return known[name]


def choose_setup(game: catalog_service_pb2.Game, edition: str, seats: int) -> game_pb2.GameSetup:
    """Return the setup of an edition (empty: the default) for so many seats.

    Raises:
        Mistake: the game has no such edition or number of seats.
    """
    editions = {known.name: known for known in game.editions}
    chosen = editions.get(edition or game.editions[0].name)
    if chosen is None:
        raise Mistake(f"--edition is one of {', '.join(editions)}")
    if not game.min_seats <= seats <= game.max_seats:
        raise Mistake(f"{game.name} has {game.min_seats} to {game.max_seats} seats, not {seats}")
    setup = game_pb2.GameSetup()
    setup.CopyFrom(chosen.setup)
    typed = getattr(setup, game.name)
    if "seats" in typed.DESCRIPTOR.fields_by_name:  # a game for one number of seats has no choice
        typed.seats = seats
    return setup


def choose_bot(game: str, name: str, seed: int) -> Bot:
    """Make a bot that plays a game; raises Mistake if there is none of this name."""
    try:
        return make_bot(game, name, seed)
    except ValueError as wrong:
        raise Mistake(str(wrong)) from None

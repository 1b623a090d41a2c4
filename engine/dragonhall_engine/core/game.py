"""The verbs every game offers. A game's package is itself an implementation of `Game`."""

from dataclasses import dataclass
from typing import Protocol, TypeVar

from dragonhall_engine.core.errors import Violation
from dragonhall_engine.core.outcome import Outcome
from dragonhall_engine.core.rng import Chance, Deal

Seat = int
"""0-based place in a match."""

S = TypeVar("S")
M = TypeVar("M")
F = TypeVar("F")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Setup:
    """What the host chose.

    Attributes:
        edition: one of the game's `EDITIONS`.
        seats: how many seats, within the game's `SEATS`.
        start_seat: who starts; None draws it from the seed.
    """

    edition: str
    seats: int
    start_seat: Seat | None = None


class Game(Protocol[S, M, F, V]):
    """A game: S its state, M its moves, F its facts, V its views.

    A state is a value: no verb changes its argument, `advance` excepted. A *reader* is a seat,
    or None for a spectator.
    """

    @property
    def NAME(self) -> str:  # noqa: N802 - a module constant
        """The game's name in APIs, such as `dragonheart`."""

    @property
    def EDITIONS(self) -> tuple[str, ...]:  # noqa: N802
        """Names of the editions, the default first."""

    @property
    def SEATS(self) -> range:  # noqa: N802
        """Possible numbers of seats."""

    def ruleset(self, edition: str) -> str:
        """Return the string that binds a deal to an edition's rules, such as `dragonheart/1`.

        Raises:
            InvalidSetup: no such edition.
        """

    def new_match(self, setup: Setup, deal: Deal) -> S:
        """Deal a match.

        Raises:
            InvalidSetup: the game has no such edition, number of seats or start seat.
        """

    def opening(self, state: S) -> tuple[F, ...]:
        """List the facts of the deal, from a state that `new_match` returned."""

    def seat_to_move(self, state: S) -> Seat | None:
        """Return the seat that must decide now; None after the end."""

    def legal_moves(self, state: S, seat: Seat) -> tuple[M, ...]:
        """List distinct legal moves in canonical order; empty if `seat` is not to move.

        Raises:
            InvalidSeat: the match has no such seat.
        """

    def check(self, state: S, seat: Seat, move: M) -> Violation | None:
        """Say which rule a move breaks, or nothing: the one judge of legality.

        Raises:
            InvalidSeat: the match has no such seat.
        """

    def apply(self, state: S, seat: Seat, move: M) -> tuple[S, tuple[F, ...]]:
        """Return the next state and the facts, in the order in which they happened.

        Raises:
            IllegalMove: `check` names a violation.
            InvalidSeat: the match has no such seat.
        """

    def default_moves(self, state: S) -> tuple[M, ...]:
        """Return what the seat to move does when it is out of time or gone, one move or more."""

    def public_pass(self, state: S) -> M | None:
        """Return the pass of the seat to move where every spectator knows that it may only pass.

        None if it can do something else, or if only somebody who sees a hidden card could tell;
        always None in a game without passes.
        """

    def canonical(self, state: S, move: M) -> M:
        """Return a legal move as the log writes it: cards in order, idle choices dropped."""

    def view(self, state: S, reader: Seat | None) -> V:
        """Return what a reader may know, built field by field."""

    def project(self, fact: F, reader: Seat | None) -> F:
        """Return a fact as a reader may know it: hidden fields are None."""

    def outcome(self, state: S) -> Outcome | None:
        """Return the outcome, or None while the match runs."""

    def encode(self, state: S) -> bytes:
        """Return compact, versioned bytes; equal states give equal bytes."""

    def decode(self, data: bytes) -> S:
        """Read a state.

        Raises:
            CorruptData: not what `encode` wrote.
            FormatTooNew: a newer release wrote it.
        """

    def encode_facts(self, facts: tuple[F, ...]) -> bytes:
        """Return compact, versioned bytes of unprojected facts."""

    def decode_facts(self, data: bytes) -> tuple[F, ...]:
        """Read facts; raises like `decode`."""

    def parse_move(self, text: str) -> M:
        """Read a move in notation; legality is not looked at.

        Raises:
            NotationError: the text is no move.
        """

    def format_move(self, move: M) -> str:
        """Return a move in notation."""

    def format_fact(self, fact: F) -> str:
        """Return a fact, projected or whole, as one line of notation."""

    def resample(self, view: V, chance: Chance) -> S:
        """Draw a full state uniformly from all that are consistent with what a reader may know."""

    def copy(self, state: S) -> S:
        """Return an independent copy, for search."""

    def advance(self, state: S, move: M) -> None:
        """Carry a legal move of the seat to move out in place, without facts: for search.

        Legality is not looked at; only moves from `legal_moves` may be passed.
        """

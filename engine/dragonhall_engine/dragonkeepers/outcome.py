"""Points and ranks (DK-8)."""

from dataclasses import dataclass

from dragonhall_engine.core.outcome import Cause, Outcome, SeatResult, ranked
from dragonhall_engine.dragonkeepers.cards import EGG_POINTS, MOST_EGGS_POINTS, PIECE_VALUES, VALUE
from dragonhall_engine.dragonkeepers.state import Area, Phase, State


@dataclass(frozen=True, slots=True)
class Score:
    """A seat's points by kind, as if the match ended now.

    Attributes:
        pieces: values of all amulet pieces, in complete and incomplete rings (DK-8.1).
        pearls: values of all pearls. Its owner, until the match is over.
        crest: value of the crest.
        eggs: golden eggs, one of them flipped by whoever has the most (DK-8.2).
        played: values of the cards in the row; 0 where the edition does not score them (DK-8.3).
        row_cards: cards in the row, which breaks ties (DK-8.4).
    """

    pieces: int
    pearls: int
    crest: int
    eggs: int
    played: int
    row_cards: int

    @property
    def total(self) -> int:
        """All points together."""
        return self.pieces + self.pearls + self.crest + self.eggs + self.played


def scores(state: State) -> tuple[Score, ...]:
    """Count every seat's points, in seat order, as if the match ended now."""
    most_eggs = max(area.eggs for area in state.areas)
    return tuple(_score(state, area, most_eggs) for area in state.areas)


def outcome(state: State) -> Outcome | None:
    """Return the outcome, or None while the match runs.

    Rules: DK-8.1 to DK-8.4.
    """
    if state.phase != Phase.OVER:
        return None
    counted = scores(state)
    ranks = ranked([(score.total, score.row_cards) for score in counted])
    results = (SeatResult(rank, s.total) for rank, s in zip(ranks, counted, strict=True))
    return Outcome(Cause.COMPLETED, tuple(results))


def _score(state: State, area: Area, most_eggs: int) -> Score:
    row = [card for stack in area.stacks for card in stack]
    flips = area.eggs > 0 and area.eggs == most_eggs
    return Score(
        pieces=sum(PIECE_VALUES[pile] for pile in area.pieces),
        pearls=sum(area.pearls),
        crest=area.crest,
        eggs=EGG_POINTS * area.eggs + (MOST_EGGS_POINTS - EGG_POINTS if flips else 0),
        played=sum(VALUE[card] for card in row) if state.edition.scores_played else 0,
        row_cards=len(row),
    )

"""What the games of a tournament say: tables for people and programs."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from dragonhall.tournament.intervals import Interval, paired_interval
from dragonhall.tournament.plan import Plan
from dragonhall.tournament.ratings import Comparison, Rating, comparisons_of, rate
from dragonhall.tournament.results import GameRecord
from dragonhall.tournament.scoring import shares


@dataclass(frozen=True, slots=True)
class Standing:
    """One player's row.

    Attributes:
        score: over all its games; all games of a deal together are one number.
        wins_by_seat: games in which it was first alone, by seat.
        causes: how its part in its games ended.
        thinking_ms: mean a move by the server's clock, the way there and back included.
        illegal: its first illegal move; "" if there was none.
    """

    name: str
    games: int
    score: Interval
    rating: Rating
    wins_by_seat: tuple[int, ...]
    causes: dict[str, int]
    thinking_ms: float
    illegal: str


@dataclass(frozen=True, slots=True)
class Pairing:
    """How the first player of a line-up did against the others in it."""

    first: str
    others: tuple[str, ...]
    games: int
    score: Interval


@dataclass(frozen=True, slots=True)
class Summary:
    """All that a tournament says so far; its ratings cost about a second, so it is made once."""

    plan: Plan
    records: tuple[GameRecord, ...]
    standings: tuple[Standing, ...]
    pairings: tuple[Pairing, ...]


def summarise(plan: Plan, records: Sequence[GameRecord]) -> Summary:
    """Sum up the games of a tournament."""
    return Summary(
        plan, tuple(records), tuple(standings(plan, records)), tuple(pairings(plan, records))
    )


def standings(plan: Plan, records: Sequence[GameRecord]) -> list[Standing]:
    """Return a row for every player, best first; ties are ordered by name, never by input."""
    counted = _counted(records)
    ratings = _ratings(plan, counted)
    rows = [_standing(plan, counted, entrant.name, ratings) for entrant in plan.entrants]
    return sorted(rows, key=lambda row: (-round(row.rating.elo, 9), row.name))


def pairings(plan: Plan, records: Sequence[GameRecord]) -> list[Pairing]:
    """Return a row for every line-up, in the order of the plan."""
    counted, found = _counted(records), []
    for number, lineup in enumerate(plan.lineups()):
        names = [plan.entrants[n].name for n in lineup]
        own = [record for record in counted if record.lineup == number]
        scores = [score for _, score in deal_scores(own, names[0], plan.seats)]
        found.append(Pairing(names[0], tuple(names[1:]), len(own), paired_interval(scores)))
    return found


def sprt_scores(plan: Plan, records: Sequence[GameRecord]) -> list[float]:
    """Return the first player's scores for a sequential test: those of deals without a gap.

    So the verdict depends on the games, not on which of them happened to end first.
    """
    scores = deal_scores(records, plan.entrants[0].name, len(plan.lineups()) * plan.seats)
    return [score for place, (deal, score) in enumerate(scores) if deal == place]


def deal_scores(
    records: Sequence[GameRecord], name: str, games_a_deal: int
) -> list[tuple[int, float]]:
    """Return a player's mean score of every deal of which all its games were played."""
    by_deal: defaultdict[int, list[float]] = defaultdict(list)
    games: Counter[int] = Counter()
    for record in _counted(records):
        if name in record.players:
            games[record.deal] += 1
            scores = zip(record.players, shares(record.ranks), strict=True)
            by_deal[record.deal] += [score for player, score in scores if player == name]
    return [
        (deal, sum(scores) / len(scores))
        for deal, scores in sorted(by_deal.items())
        if games[deal] == games_a_deal
    ]


def _counted(records: Sequence[GameRecord]) -> list[GameRecord]:
    """Keep what counts, once a game, in an order of its own."""
    found = {record.key: record for record in records if record.counts}
    return [found[key] for key in sorted(found)]


def _ratings(plan: Plan, counted: Sequence[GameRecord]) -> dict[str, Rating]:
    names = [entrant.name for entrant in plan.entrants]
    comparisons: list[Comparison] = []
    for record in counted:
        players = [names.index(player) for player in record.players]
        comparisons += comparisons_of(record.deal, players, record.ranks)
    return dict(zip(names, rate(len(names), comparisons, plan.seed), strict=True))


def _standing(
    plan: Plan, counted: Sequence[GameRecord], name: str, ratings: dict[str, Rating]
) -> Standing:
    own = [record for record in counted if name in record.players]
    number = [entrant.name for entrant in plan.entrants].index(name)
    games_a_deal = plan.seats * sum(number in lineup for lineup in plan.lineups())
    scores = [score for _, score in deal_scores(own, name, games_a_deal)]
    wins, causes = [0] * plan.seats, Counter[str]()
    thinking, moves = 0, 0
    for record in own:
        for seat, player in enumerate(record.players):
            if player == name:
                wins[seat] += record.ranks[seat] == 1 and record.ranks.count(1) == 1
                causes[record.causes[seat]] += 1
                thinking += record.thinking_ms[seat]
                moves += record.moves_by_seat[seat]
    illegal = [record.illegal for record in own if record.illegal.startswith(f"{name} at ")]
    return Standing(
        name=name,
        games=len(own),
        score=paired_interval(scores),
        rating=ratings[name],
        wins_by_seat=tuple(wins),
        causes=dict(sorted(causes.items())),
        thinking_ms=thinking / moves if moves else 0.0,
        illegal=illegal[0] if illegal else "",
    )

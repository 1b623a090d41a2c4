"""The deal (DK-2)."""

from collections.abc import Callable

from dragonhall_engine.core.errors import InvalidSetup
from dragonhall_engine.core.game import Setup
from dragonhall_engine.core.rng import Deal, draw_start_seat, shuffled
from dragonhall_engine.dragonkeepers import cards
from dragonhall_engine.dragonkeepers.cards import EMPTY, LABELS, SLOT_PAGE, Edition
from dragonhall_engine.dragonkeepers.facts import Fact, StartersDealt, TableLaid
from dragonhall_engine.dragonkeepers.state import Area, State

_RULESET_VERSION = 1


def ruleset(edition: str) -> str:
    """Return the string that binds a deal to an edition's rules.

    Raises:
        InvalidSetup: no such edition.
    """
    if edition not in cards.RULES:
        raise InvalidSetup("dragonkeepers has no such edition")
    return f"{cards.NAME}-{edition}/{_RULESET_VERSION}"


def new_match(setup: Setup, deal: Deal) -> State:
    """Deal a match; the first turn has begun.

    Raises:
        InvalidSetup: no such edition, number of seats or start seat, or the deal has not one
            contribution for each seat.

    Rules: DK-2.1 to DK-2.6.
    """
    root = deal.root(ruleset(setup.edition))
    _require_dealable(setup, deal)
    start = setup.start_seat
    if start is None:
        start = draw_start_seat(LABELS, root, setup.seats)

    def order(label: str, items: tuple[int, ...]) -> list[int]:
        return shuffled(LABELS, root, label, items)

    return _lay_out(cards.RULES[setup.edition], setup.seats, start, order)


def opening(state: State) -> tuple[Fact, ...]:
    """List the facts of the deal, from a state that `new_match` returned."""
    number, colour = state.requirement
    table = TableLaid(
        edition=state.edition.name,
        seats=state.seats,
        start_seat=state.start_seat,
        offer=tuple(state.offer[slot] for slot in state.edition.slots),
        number=number,
        colour=colour,
        pieces=tuple(state.pieces),
    )
    dealt = (
        StartersDealt(seat, len(area.starters), tuple(area.starters))
        for seat, area in enumerate(state.areas)
    )
    return (table, *(fact for fact in dealt if fact.count))


def _require_dealable(setup: Setup, deal: Deal) -> None:
    if setup.seats not in cards.SEATS:
        raise InvalidSetup("dragonkeepers has 2 to 4 seats")
    if setup.start_seat is not None and not 0 <= setup.start_seat < setup.seats:
        raise InvalidSetup("the start seat is no seat of the match")
    if len(deal.contributions) != setup.seats:
        raise InvalidSetup("a deal has one contribution for each seat")


def _lay_out(
    edition: Edition, seats: int, start: int, order: Callable[[str, tuple[int, ...]], list[int]]
) -> State:
    pieces = order("amulets:0", cards.PIECES)[cards.PIECES_REMOVED[seats] :]
    left, right = (order(cards.DECK_LABELS[page], cards.DECKS[page])[::-1] for page in cards.PAGES)
    areas, starters_out = _deal_starters(order("starters:0", cards.STARTERS), seats, start)
    return State(
        edition,
        areas,
        start_seat=start,
        active=start,
        to_move=start,
        offer=_deal_offer(edition, (left, right)),
        decks=(left, right),
        starters_out=starters_out,
        shadows=cards.SHADOWS,
        crystals=cards.CRYSTALS,
        eggs=cards.EGGS,
        crests=len(cards.CRESTS),
        pieces=[pieces.count(pile) for pile in range(len(cards.PIECE_VALUES))],
        pearls=order("pearls:0", cards.PEARLS)[::-1],
    )


def _deal_offer(edition: Edition, decks: tuple[list[int], list[int]]) -> list[int]:
    offer = [EMPTY] * len(SLOT_PAGE)
    for slot in edition.slots:
        offer[slot] = decks[SLOT_PAGE[slot]].pop()
    return offer


def _deal_starters(order: list[int], seats: int, start: int) -> tuple[list[Area], list[int]]:
    """Return the areas by seat, and the starters that nobody gets."""
    areas = [Area() for _ in range(seats)]
    dealt = 0
    for turn in range(seats):
        count = cards.STARTERS_BY_TURN[turn]
        area = areas[(start + turn) % seats]
        area.hand = sorted(order[dealt : dealt + count])
        area.starters = area.hand[:]
        dealt += count
    return areas, sorted(order[dealt:])

"""Dealing a match. Rules: DH-2."""

from dragonhall_engine.core.errors import InvalidSetup
from dragonhall_engine.core.game import Setup
from dragonhall_engine.core.rng import Deal, draw_start_seat, shuffled
from dragonhall_engine.dragonheart.cards import (
    DECK,
    EDITIONS,
    HAND_LIMIT,
    LABELS,
    RULESETS,
    SEATS,
)
from dragonhall_engine.dragonheart.facts import CardsDrawn, Fact, StartSeatChosen
from dragonhall_engine.dragonheart.state import State


def ruleset(edition: str) -> str:
    """Return the string that binds a deal to an edition's rules.

    Raises:
        InvalidSetup: no such edition.
    """
    if edition not in EDITIONS:
        raise InvalidSetup("dragonheart has no such edition")
    return RULESETS[edition]


def new_match(setup: Setup, deal: Deal) -> State:
    """Deal a match: 5 cards to each seat from its own shuffled deck.

    Raises:
        InvalidSetup: no such edition, number of seats or start seat, or the deal does not hold
            one contribution per seat.

    Rules: DH-2.1, DH-2.2, DH-2.3.
    """
    rules = ruleset(setup.edition)
    if setup.seats not in SEATS:
        raise InvalidSetup("dragonheart is for exactly 2 seats")
    if len(deal.contributions) != setup.seats:
        raise InvalidSetup("a deal holds one contribution per seat")
    start = setup.start_seat
    if start is not None and not 0 <= start < setup.seats:
        raise InvalidSetup("the start seat is not a seat of the match")
    root = deal.root(rules)
    state = State(root, draw_start_seat(LABELS, root, setup.seats) if start is None else start)
    for seat in range(setup.seats):
        cards = shuffled(LABELS, root, f"deck:seat{seat}:0", DECK)
        state.hands[seat] = sorted(cards[:HAND_LIMIT])
        state.decks[seat] = cards[: HAND_LIMIT - 1 : -1]
    return state


def opening(state: State) -> tuple[Fact, ...]:
    """List the facts of the deal, from a state that `new_match` returned."""
    facts: list[Fact] = [StartSeatChosen(state.start_seat)]
    for seat, hand in enumerate(state.hands):
        facts.append(CardsDrawn(seat, tuple(hand), len(hand), len(state.decks[seat])))
    return tuple(facts)

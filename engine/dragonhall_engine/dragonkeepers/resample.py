"""A full state drawn from what a reader may know, for search."""

from dragonhall_engine.core.rng import Chance
from dragonhall_engine.dragonkeepers.cards import EMPTY, RULES, SHOWN
from dragonhall_engine.dragonkeepers.state import NOBODY, Area, State
from dragonhall_engine.dragonkeepers.view import DeckView, SeatView, View


def resample(view: View, chance: Chance) -> State:
    """Draw a full state uniformly from all that are consistent with what a reader may know.

    Every deal is equally likely, so every order of the physical cards that agrees with the view
    is too, and it can be drawn directly, without rejection, from three independent parts:

    - each deck: the visible back of its top unseen card leaves the unseen cards with that back,
      each as likely as any other; below it every order of the rest is possible. Booked cards lie
      where everybody saw them put. A card taken or played says nothing about the order below it;
    - starters: no two are alike, and those the reader cannot place are spread at random over the
      unknown cards of the other hands and the ones that left the game. What a seat does with a
      card that might be a starter says nothing: it is its known copy first (DK-1.4);
    - pearls: those the reader does not see are spread at random over the other seats' pearls
      and the supply.

    What is drawn as physical cards weighs a state by the number of deals that lead to it.
    """
    state = _known_state(view)
    for page, deck in enumerate(view.decks):
        state.decks[page][:] = _deck(deck, chance)
        state.booked[page] = len(deck.booked)
    _deal_starters(state, view, chance)
    _deal_pearls(state, view, chance)
    return state


def _known_state(view: View) -> State:
    edition = RULES[view.edition]
    state = State(
        edition,
        [_known_area(seat) for seat in view.seats],
        start_seat=view.start_seat,
        round=view.round,
        quiet_rounds=view.quiet_rounds,
        set_played=view.set_played,
        active=view.active,
        phase=view.phase,
        to_move=NOBODY if view.to_move is None else view.to_move,
        taken=view.taken,
        changed=list(view.changed),
        shadows=view.shadows,
        crystals=view.crystals,
        eggs=view.eggs,
        crests=len(view.crests),
        pieces=list(view.pieces),
        trigger=view.trigger,
        ending=view.ending,
    )
    for slot, card in zip(edition.slots, view.offer, strict=True):
        state.offer[slot] = EMPTY if card is None else card
    return state


def _known_area(seat: SeatView) -> Area:
    stacks: tuple[list[int], list[int], list[int], list[int]] = ([], [], [], [])
    for stack in seat.row:
        stacks[stack.colour].extend(stack.cards)
    return Area(
        hand=list(seat.known),
        row=[stack.colour for stack in seat.row],
        stacks=stacks,
        crystals=seat.crystals,
        eggs=seat.eggs,
        crest=seat.crest,
        pieces=list(seat.pieces),
    )


def _deck(deck: DeckView, chance: Chance) -> list[int]:
    """Draw a deck, the top card last."""
    if deck.order is not None:
        return [*reversed(deck.order), *reversed(deck.booked)]
    rest = list(deck.unseen)
    tops = [card for card in rest if SHOWN[card] == deck.unseen_shown]
    top = tops[chance.below(len(tops))]
    rest.remove(top)
    chance.shuffle(rest)
    return [*rest, top, *reversed(deck.booked)]


def _deal_starters(state: State, view: View, chance: Chance) -> None:
    unplaced = list(view.unseen_starters)
    chance.shuffle(unplaced)
    for area, seat in zip(state.areas, view.seats, strict=True):
        if seat.starters is None:
            area.starters = sorted(unplaced[: seat.unknown])
            del unplaced[: seat.unknown]
        else:
            area.starters = list(seat.starters)
        area.hand = sorted(area.hand + area.starters)
    state.starters_out = sorted(unplaced if view.starters_out is None else view.starters_out)


def _deal_pearls(state: State, view: View, chance: Chance) -> None:
    unplaced = list(view.unseen_pearls)
    chance.shuffle(unplaced)
    for area, seat in zip(state.areas, view.seats, strict=True):
        if seat.pearls is None:
            area.pearls = sorted(unplaced[: seat.pearl_count])
            del unplaced[: seat.pearl_count]
        else:
            area.pearls = list(seat.pearls)
    state.pearls = unplaced if view.pearls is None else list(reversed(view.pearls))

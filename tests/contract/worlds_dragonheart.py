"""Dragonheart for the two worlds over the service."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from dragonhall_engine import dragonheart as GAME  # noqa: N812 - a name of the protocol
from dragonhall_engine.core.game import Setup
from dragonhall_engine.dragonheart import CardType, Move, State
from dragonhall_engine.dragonheart.cards import DECK
from dragonhall_engine.dragonheart.facts import CardsDrawn, CardSentBack
from dragonhall_engine.dragonheart.notation import format_cards
from dragonhall_service.api.mapping.games import move_to_proto
from tests.contract.leaks import of_view, talkative_apply, unprojected
from tests.engine.dragonheart.matches import SETUP, deal, turns
from tests.engine.dragonheart.two_worlds import other_world

__all__ = ["GAME", "LEAKS", "attempts", "deal", "decisions", "other", "setup", "twin"]

_MOST_DRAWN = 6
"""No move turns up more cards of a deck."""


def setup(number: int) -> Setup:
    return SETUP


def decisions(number: int) -> Iterator[Any]:
    return turns(number)


def twin(state: State, reader: int | None, number: int) -> tuple[State, bool]:
    """Return another world; a near one keeps the root and the next cards of the reader's deck."""
    twin, near = other_world(state, reader, number), number % 2 == 0
    if near:
        twin.root = state.root
        if reader is not None:
            _keep_top(twin.decks[reader], state.decks[reader])
    return twin, near


def _keep_top(deck: list[int], like: list[int]) -> None:
    top = like[-_MOST_DRAWN:]
    for card in top:
        deck.remove(card)
    deck += top


def other(fact: Any, reader: int | None, chance: random.Random) -> Any:
    if isinstance(fact, CardsDrawn) and fact.seat != reader and fact.cards is not None:
        return replace(fact, cards=tuple(_card(chance) for _ in fact.cards))
    if isinstance(fact, CardSentBack) and fact.seat != reader:
        return replace(fact, card=_card(chance))
    return fact


def _card(chance: random.Random) -> int:
    return chance.choice(DECK)


def attempts(number: int) -> Sequence[Move]:
    chance = random.Random(number)
    cards = [tuple(_card(chance) for _ in range(1 + chance.randrange(2))) for _ in range(6)]
    targets = (None, CardType.TROLL)
    return [Move(tuple(sorted(some)), chance.choice(targets)) for some in cards]


# ---- planted leaks ------------------------------------------------------------------------------


def _deck_top(view: Any, state: State, reader: int | None) -> None:
    deck = state.decks[reader or 0]
    if deck:
        view.dragonheart.known_top.CopyFrom(_proto(deck[-1]))


def _hand_first(view: Any, state: State, reader: int | None) -> None:
    """Lists what is unseen in the order in which it is drawn."""
    for seat, shown in enumerate(view.dragonheart.seats):
        unseen = [*state.hands[seat], *reversed(state.decks[seat])]
        del shown.unseen[:]
        shown.unseen.extend(map(_proto, unseen))


def _proto(card: int) -> Any:
    return move_to_proto(GAME, Move((card,), None)).dragonheart.cards[0]


def _hand_of_the_other(state: State, seat: int) -> str:
    return format_cards(state.hands[1 - seat])


LEAKS = {
    "the top of a deck": of_view(_deck_top),
    "a hand in draw order": of_view(_hand_first),
    "the sent-back card": unprojected(CardSentBack),
    "drawn cards": unprojected(CardsDrawn),
    "a hidden card named in an error": talkative_apply(_hand_of_the_other),
}

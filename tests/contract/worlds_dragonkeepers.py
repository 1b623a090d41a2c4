"""Dragonkeepers for the two worlds over the service."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from dragonhall_engine import dragonkeepers as GAME  # noqa: N812 - a name of the protocol
from dragonhall_engine.core.rng import Deal
from dragonhall_engine.dragonkeepers import Book, Move, Pass, Phase, Play, State, Take
from dragonhall_engine.dragonkeepers.cards import CARD_BY_NAME, FRONT, PEARLS, STARTERS
from dragonhall_engine.dragonkeepers.facts import PearlDrawn, StartersDealt
from dragonhall_engine.dragonkeepers.notation import format_cards
from dragonhall_service.api.mapping.games import move_to_proto
from tests.contract.leaks import of_game, of_view, talkative_apply, unprojected
from tests.engine.dragonkeepers import matches
from tests.engine.dragonkeepers.matches import decisions as decisions_of
from tests.engine.dragonkeepers.matches import setup_of as setup
from tests.engine.dragonkeepers.two_worlds import pair

__all__ = ["GAME", "LEAKS", "attempts", "deal", "decisions", "other", "setup", "twin"]

_CARDS = sorted(CARD_BY_NAME.values())


def deal(number: int) -> Deal:
    return matches.deal(number, setup(number).seats)


def decisions(number: int) -> Iterator[Any]:
    return decisions_of(number)


def twin(state: State, reader: int | None, number: int) -> tuple[State, bool]:
    worlds = pair(state, reader, number)
    return worlds.twin, worlds.near


def other(fact: Any, reader: int | None, chance: random.Random) -> Any:
    if isinstance(fact, StartersDealt) and fact.seat != reader and fact.cards is not None:
        return replace(fact, cards=tuple(sorted(chance.sample(STARTERS, len(fact.cards)))))
    if isinstance(fact, PearlDrawn) and fact.seat != reader:
        return replace(fact, value=chance.choice(PEARLS))
    return fact


def attempts(number: int) -> Sequence[Move]:
    chance = random.Random(number)
    cards = tuple(chance.choice(_CARDS) for _ in range(3))
    plays = [Play((card,), chance.randrange(2)) for card in cards]
    return [*plays, Play(cards[:2], 0), Pass(), Book(0, cards[0]), Take(chance.randrange(4))]


# ---- planted leaks ------------------------------------------------------------------------------


def _face_in_a_deck(view: Any, state: State, reader: int | None) -> None:
    """Shows the front of the next card, of which the back alone is seen."""
    for deck, shown in zip(
        state.decks, (view.dragonkeepers.left, view.dragonkeepers.right), strict=True
    ):
        if deck:
            shown.order.append(_proto(deck[-1]))


def _hands_in_order(view: Any, state: State, reader: int | None) -> None:
    """Lists the unseen starters hand by hand."""
    del view.dragonkeepers.unseen_starters[:]
    for area in state.areas:
        view.dragonkeepers.unseen_starters.extend(map(_proto, area.starters))


def _colours_in_hand(view: Any, state: State, reader: int | None) -> None:
    for area, shown in zip(state.areas, view.dragonkeepers.seats, strict=True):
        shown.known.extend([shown.known.add()] * len({FRONT[card] for card in area.hand}))


def _proto(card: int) -> Any:
    return move_to_proto(GAME, Play((card,), 0)).dragonkeepers.play.cards[0]


def _hand_of_the_other(state: State, seat: int) -> str:
    return format_cards(state.areas[seat - 1].hand)


def _passes_that_tell(game: Any) -> Any:
    """Lets the server pass wherever a seat can only pass, for whatever reason."""

    def public_pass(state: State) -> Move | None:
        if state.phase != Phase.FOLLOW:
            move: Move | None = game.public_pass(state)
            return move
        moves = game.legal_moves(state, state.to_move)
        return Pass() if moves == (Pass(),) else None

    return public_pass


LEAKS = {
    "a starter's face": unprojected(StartersDealt),
    "a pearl's value": unprojected(PearlDrawn),
    "a face inside a deck": of_view(_face_in_a_deck),
    "hands one after the other": of_view(_hands_in_order),
    "how many colours a hand has": of_view(_colours_in_hand),
    "a hidden card named in an error": talkative_apply(_hand_of_the_other),
    "an automatic pass that tells": of_game(public_pass=_passes_that_tell),
}

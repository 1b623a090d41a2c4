"""Two worlds: states that one reader cannot tell apart must give it the same of everything.

The functions that speak to a reader are parameters of the checker, so that a test can pass ones
that leak and see them caught.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from dragonhall_engine import dragonkeepers
from dragonhall_engine.core.errors import Violation
from dragonhall_engine.dragonkeepers import Book, Fact, Move, Pass, Phase, Play, State, Take, facts
from dragonhall_engine.dragonkeepers.cards import CARD_KINDS, SHOWN

Rules = Callable[[State, int, Move], Violation | None]
_MOVES_COMPARED: Final = 8
_TOPS_KEPT: Final = 3
"""No move and the refills after it turn up more cards of one deck."""


@dataclass(frozen=True)
class Mouth:
    """Everything of the engine that reaches a reader."""

    view: Callable[[State, int | None], Any] = dragonkeepers.view
    project: Callable[[Fact, int | None], Any] = dragonkeepers.project
    legal_moves: Callable[[State, int], tuple[Move, ...]] = dragonkeepers.legal_moves
    check: Rules = dragonkeepers.check
    public_pass: Callable[[State], Move | None] = dragonkeepers.public_pass
    outcome: Callable[[State], Any] = dragonkeepers.outcome


@dataclass(frozen=True)
class Pair:
    """Two states that `reader` cannot tell apart.

    Attributes:
        near: whether what the next move turns up is the same too, so that all of it compares.
        number: seeds everything that is chosen at random.
    """

    state: State
    twin: State
    reader: int | None
    near: bool
    number: int


def pair(state: State, reader: int | None, number: int) -> Pair:
    """Swap what a reader may not know: starters, pearls, and the order of the decks.

    Independent of `resample`: what is hidden changes places.
    """
    chance = random.Random(number)
    near = chance.random() < 0.5
    twin = state.copy()
    if state.phase != Phase.OVER:
        for page, deck in enumerate(twin.decks):
            _shuffle_deck(deck, len(deck) - twin.booked[page], chance, _TOPS_KEPT if near else 0)
        _swap_starters(twin, reader, chance)
        _swap_pearls(twin, reader, chance, kept=near)
    return Pair(state, twin, reader, near, number)


def _shuffle_deck(deck: list[int], unseen: int, chance: random.Random, kept: int) -> None:
    """Shuffle unseen cards; the back of the top one is seen, so it changes with its like only."""
    if kept:
        below = deck[: max(0, unseen - kept)]
        chance.shuffle(below)
        deck[: len(below)] = below
        return
    top = deck[unseen - 1]
    like = [i for i in range(unseen) if SHOWN[deck[i]] == SHOWN[top]]
    other = chance.choice(like)
    deck[other], deck[unseen - 1] = deck[unseen - 1], deck[other]
    below = deck[: unseen - 1]
    chance.shuffle(below)
    deck[: unseen - 1] = below


def _swap_starters(twin: State, reader: int | None, chance: random.Random) -> None:
    others = [area for seat, area in enumerate(twin.areas) if seat != reader]
    hidden = [card for area in others for card in area.starters] + twin.starters_out
    chance.shuffle(hidden)
    for area in others:
        for card in area.starters:
            area.hand.remove(card)
        area.starters = sorted(hidden.pop() for _ in area.starters)
        area.hand = sorted(area.hand + area.starters)
    twin.starters_out = sorted(hidden)


def _swap_pearls(twin: State, reader: int | None, chance: random.Random, *, kept: bool) -> None:
    others = [area for seat, area in enumerate(twin.areas) if seat != reader]
    top = [twin.pearls.pop()] if kept and twin.pearls else []
    hidden = [pearl for area in others for pearl in area.pearls] + twin.pearls
    chance.shuffle(hidden)
    for area in others:
        area.pearls = sorted(hidden.pop() for _ in area.pearls)
    twin.pearls = hidden + top


def assert_same_to_reader(worlds: Pair, mouth: Mouth) -> None:
    """Compare all that a reader can receive now and about the next move.

    Raises:
        AssertionError: the reader can tell the two worlds apart.
    """
    assert repr(worlds.state) == repr(worlds.twin)
    assert _now(worlds, worlds.state, mouth) == _now(worlds, worlds.twin, mouth)
    for move in _moves_in_both(worlds):
        told = _told(worlds, worlds.state, move, mouth)
        assert told == _told(worlds, worlds.twin, move, mouth)


def _now(worlds: Pair, state: State, mouth: Mouth) -> list[str]:
    """Texts, so that types, order and size are compared too."""
    reader = worlds.reader
    received: list[Any] = [mouth.view(state, reader), mouth.outcome(state)]
    received += [] if state.phase == Phase.OVER else [mouth.public_pass(state)]
    if _is_dealt(state):
        received += [mouth.project(fact, reader) for fact in dragonkeepers.opening(state)]
    if reader is not None:
        received.append(mouth.legal_moves(state, reader))
        received += [mouth.check(state, reader, move) for move in _attempts(worlds.number)]
    return list(map(repr, received))


def _is_dealt(state: State) -> bool:
    at_start = state.active == state.start_seat and state.phase == Phase.TAKE
    return at_start and state.round == 1 and not state.taken


def _attempts(number: int) -> list[Move]:
    chance = random.Random(number)
    cards = [chance.randrange(CARD_KINDS) for _ in range(6)]
    moves: list[Move] = [Play(tuple(cards[: chance.randrange(1, 3)]), 0), Pass()]
    moves += [Play((card,), 0) for card in cards]
    return [*moves, *(Book(page, cards[0]) for page in (0, 1)), Take(chance.randrange(4))]


def _moves_in_both(worlds: Pair) -> list[Move]:
    if worlds.state.phase == Phase.OVER:
        return []
    seat = worlds.state.to_move
    possible = set(dragonkeepers.legal_moves(worlds.twin, seat))
    moves = [move for move in dragonkeepers.legal_moves(worlds.state, seat) if move in possible]
    return random.Random(worlds.number).sample(moves, min(len(moves), _MOVES_COMPARED))


def _told(worlds: Pair, state: State, move: Move, mouth: Mouth) -> list[str]:
    """What a reader is told of a move and sees after it, without what is rightly new to it."""
    after, happened = dragonkeepers.apply(state, state.to_move, move)
    told = [mouth.project(f, worlds.reader) for f in happened if not _is_new(f, worlds)]
    if worlds.near and after.phase != Phase.OVER:
        told.append(mouth.view(after, worlds.reader))
    return list(map(repr, told))


def _is_new(fact: Fact, worlds: Pair) -> bool:
    """Say whether a fact rightly tells this reader something that it did not know before."""
    if isinstance(fact, facts.SeatRevealed | facts.SupplyRevealed | facts.SeatScored):
        return True
    own_pearl = isinstance(fact, facts.PearlDrawn) and fact.seat == worlds.reader
    return not worlds.near and (own_pearl or isinstance(fact, facts.SlotRefilled))

"""Ways in which a server could tell what it must not: each is planted and must be heard.

A leak changes the mapping by a patch, or the games that the service is given.
"""

import random
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from dragonhall_engine.core.errors import IllegalMove
from dragonhall_service.api import bots, matches
from dragonhall_service.api.mapping import matches as mapping

Games = dict[str, Any]
Leak = Callable[[pytest.MonkeyPatch, Games], None]


class Leaky:
    """A game of the engine of which some verbs are replaced."""

    def __init__(self, game: Any, **verbs: Any) -> None:
        self._game = game
        self._verbs = verbs

    def __getattr__(self, name: str) -> Any:
        return self._verbs[name] if name in self._verbs else getattr(self._game, name)


def of_game(**makers: Callable[[Any], Any]) -> Leak:
    """Replace verbs of every game by what the makers make of it."""

    def plant(patch: pytest.MonkeyPatch, games: Games) -> None:
        for name, game in games.items():
            games[name] = Leaky(game, **{verb: make(game) for verb, make in makers.items()})

    return plant


def of_view(leak: Callable[[Any, Any, int | None], None]) -> Leak:
    """Let a leak change each view, given the view, the state and the reader."""

    def plant(patch: pytest.MonkeyPatch, games: Games) -> None:
        view_of, turn_of = mapping.view_of, bots.BotService._turn

        def leaky(game: Any, record: Any, reader: int | None) -> Any:
            view = view_of(game, record, reader)
            if view is not None:
                leak(view, game.decode(record.state), reader)
            return view

        def leaky_turn(service: Any, turn: Any) -> Any:  # its state is at hand
            told = turn_of(service, turn)
            leak(told.view, turn.state, turn.seat)
            return told

        for module in (matches, mapping):
            patch.setattr(module, "view_of", leaky)
        patch.setattr(bots.BotService, "_turn", leaky_turn)

    return plant


def _instance_ids(patch: pytest.MonkeyPatch, games: Games) -> None:
    """Numbers cards by what they are, as objects that are given ids before they are hidden."""
    event_to_proto = mapping.event_to_proto

    def leaky(game: Any, record: Any, logged: Any, reader: int | None) -> Any:
        event = event_to_proto(game, record, logged, reader)
        for fact in (*event.dealt.facts, *event.move_made.facts):
            fact.text += f" #{zlib.crc32(logged.entry.facts)}"
        return event

    patch.setattr(matches, "event_to_proto", leaky)


def _seed(patch: pytest.MonkeyPatch, games: Games) -> None:
    """Tells the seed with the deal."""
    event_to_proto = mapping.event_to_proto

    def leaky(game: Any, record: Any, logged: Any, reader: int | None) -> Any:
        event = event_to_proto(game, record, logged, reader)
        if event.HasField("dealt"):
            event.dealt.contributions.append(record.seed)
        return event

    patch.setattr(matches, "event_to_proto", leaky)


def _size(patch: pytest.MonkeyPatch, games: Games) -> None:
    """Pads an answer by something hidden."""
    match_to_proto = mapping.match_to_proto

    def leaky(game: Any, record: Any) -> Any:
        match = match_to_proto(game, record)
        match.seats[0].player_name += " " * (zlib.crc32(record.state) % 7)
        return match

    for module in (matches, mapping, bots):
        patch.setattr(module, "match_to_proto", leaky)


def _moves_of_whoever_is_to_move(game: Any) -> Any:
    return lambda state, seat: game.legal_moves(state, game.seat_to_move(state))


def _moves_in_a_telling_order(game: Any) -> Any:
    def legal_moves(state: Any, seat: int) -> Any:
        moves = list(game.legal_moves(state, seat))
        random.Random(game.encode(state)).shuffle(moves)
        return tuple(moves)

    return legal_moves


def _all_facts_to_all(game: Any) -> Any:
    return lambda fact, reader: fact


def talkative_apply(told: Callable[[Any, int], str]) -> Leak:
    """Name something hidden in the text of a violation."""

    def make(game: Any) -> Any:
        def apply(state: Any, seat: int, move: Any) -> Any:
            try:
                return game.apply(state, seat, move)
            except IllegalMove as illegal:
                broken = illegal.violation
                text = f"{broken.message}; they hold {told(state, seat)}"
                raise IllegalMove(replace(broken, message=text)) from None

        return apply

    return of_game(apply=make)


def unprojected(*kinds: type) -> Leak:
    """Tell facts of some kinds to everybody."""

    def make(game: Any) -> Any:
        return lambda f, reader: f if isinstance(f, kinds) else game.project(f, reader)

    return of_game(project=make)


LEAKS: dict[str, Leak] = {
    "instance ids": _instance_ids,
    "sizes": _size,
    "the seed": _seed,
    "another's legal moves": of_game(legal_moves=_moves_of_whoever_is_to_move),
    "an order that tells": of_game(legal_moves=_moves_in_a_telling_order),
    "facts as they are stored": of_game(project=_all_facts_to_all),
}
"""Those that any game can have; a game's module has its own."""

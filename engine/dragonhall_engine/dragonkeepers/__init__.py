"""Dragonkeepers: the rules of DK-1 to DK-11. The package itself implements `core.game.Game`."""

from dragonhall_engine.dragonkeepers.cards import EDITIONS, NAME, SEATS
from dragonhall_engine.dragonkeepers.codec import decode, decode_facts, encode, encode_facts
from dragonhall_engine.dragonkeepers.facts import Fact
from dragonhall_engine.dragonkeepers.legality import (
    canonical,
    check,
    default_moves,
    legal_moves,
    public_pass,
    seat_to_move,
)
from dragonhall_engine.dragonkeepers.moves import (
    Book,
    EndBook,
    EndTake,
    Move,
    Pass,
    Play,
    Take,
)
from dragonhall_engine.dragonkeepers.notation import format_fact, format_move, parse_move
from dragonhall_engine.dragonkeepers.notation_state import format_state, format_view, parse_state
from dragonhall_engine.dragonkeepers.outcome import Score, outcome, scores
from dragonhall_engine.dragonkeepers.resample import resample
from dragonhall_engine.dragonkeepers.setup import new_match, opening, ruleset
from dragonhall_engine.dragonkeepers.state import Ending, Phase, State, copy
from dragonhall_engine.dragonkeepers.step import advance, apply
from dragonhall_engine.dragonkeepers.view import DeckView, SeatView, Stack, View, project, view

__all__ = [
    "EDITIONS",
    "NAME",
    "SEATS",
    "Book",
    "DeckView",
    "EndBook",
    "EndTake",
    "Ending",
    "Fact",
    "Move",
    "Pass",
    "Phase",
    "Play",
    "Score",
    "SeatView",
    "Stack",
    "State",
    "Take",
    "View",
    "advance",
    "apply",
    "canonical",
    "check",
    "copy",
    "decode",
    "decode_facts",
    "default_moves",
    "encode",
    "encode_facts",
    "format_fact",
    "format_move",
    "format_state",
    "format_view",
    "legal_moves",
    "new_match",
    "opening",
    "outcome",
    "parse_move",
    "parse_state",
    "project",
    "public_pass",
    "resample",
    "ruleset",
    "scores",
    "seat_to_move",
    "view",
]

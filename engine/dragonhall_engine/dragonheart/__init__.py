"""Dragonheart: the rules of DH-1 to DH-8. The package itself implements `core.game.Game`."""

from dragonhall_engine.dragonheart.cards import EDITIONS, NAME, SEATS, CardType, Trigger
from dragonhall_engine.dragonheart.codec import decode, decode_facts, encode, encode_facts
from dragonhall_engine.dragonheart.facts import Fact
from dragonhall_engine.dragonheart.legality import (
    canonical,
    check,
    default_moves,
    legal_moves,
    public_pass,
    seat_to_move,
)
from dragonhall_engine.dragonheart.moves import Move
from dragonhall_engine.dragonheart.notation import (
    format_fact,
    format_move,
    format_state,
    format_view,
    parse_move,
    parse_state,
)
from dragonhall_engine.dragonheart.outcome import outcome
from dragonhall_engine.dragonheart.resample import resample
from dragonhall_engine.dragonheart.setup import new_match, opening, ruleset
from dragonhall_engine.dragonheart.state import State, copy
from dragonhall_engine.dragonheart.step import advance, apply
from dragonhall_engine.dragonheart.view import SeatView, View, project, view

__all__ = [
    "EDITIONS",
    "NAME",
    "SEATS",
    "CardType",
    "Fact",
    "Move",
    "SeatView",
    "State",
    "Trigger",
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
    "seat_to_move",
    "view",
]

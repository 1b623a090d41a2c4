"""Whole matches that a person can read; a change of them is a change of the game."""

import pytest

from dragonhall_engine.dragonheart import Trigger
from tests.engine.dragonheart.matches import turns
from tests.engine.dragonheart.playthrough import GOLDENS, MATCHES, playthrough

_ENDS = {
    "by_ships": (Trigger.SHIPS,),
    "by_deck": (Trigger.DECK,),
    "by_both": (Trigger.SHIPS, Trigger.DECK),
}


@pytest.mark.parametrize("name", MATCHES)
def test_a_match_plays_as_it_did(name: str) -> None:
    golden = (GOLDENS / f"{name}.txt").read_text(encoding="utf-8")
    assert playthrough(MATCHES[name]) == golden


@pytest.mark.parametrize("name", MATCHES)
def test_each_way_to_end_has_a_golden(name: str) -> None:
    assert list(turns(MATCHES[name]))[-1].after.triggers == _ENDS[name]

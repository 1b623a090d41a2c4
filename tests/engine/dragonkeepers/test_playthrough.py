"""Whole matches that a person can read; a change of them is a change of the game."""

import pytest

from dragonhall_engine.dragonkeepers import Ending
from tests.engine.dragonkeepers.matches import decisions, setup_of
from tests.engine.dragonkeepers.playthrough import GOLDENS, MATCHES, playthrough

_ENDS = {
    "source_by_amulets": ("source", 2, Ending.AMULETS),
    "published_by_amulets": ("published", 3, Ending.AMULETS),
    "by_empty_offer": ("source", 4, Ending.EMPTY_OFFER),
    "by_stall": ("published", 2, Ending.STALL),
}


@pytest.mark.parametrize("name", MATCHES)
def test_a_match_plays_as_it_did(name: str) -> None:
    golden = (GOLDENS / f"{name}.txt").read_text(encoding="utf-8")
    assert playthrough(MATCHES[name]) == golden


@pytest.mark.parametrize("name", MATCHES)
def test_each_golden_is_of_its_kind(name: str) -> None:
    setup = setup_of(MATCHES[name])
    ending = list(decisions(MATCHES[name]))[-1].after.ending
    assert (setup.edition, setup.seats, ending) == _ENDS[name]

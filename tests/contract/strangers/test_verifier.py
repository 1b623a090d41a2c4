"""The verifier in JavaScript, written from docs/rng.md and docs/rules alone (P10)."""

import re
from collections import Counter

import pytest

from tests.contract.strangers import tampering as common
from tests.contract.strangers import tampering_dragonheart, tampering_dragonkeepers
from tests.contract.strangers.conftest import Played
from tests.contract.strangers.node import Record, verify
from tests.contract.strangers.tampering import Tampering, moves_told

SPECIAL = {"dragonheart": tampering_dragonheart, "dragonkeepers": tampering_dragonkeepers}


def assert_all_are_found(records: list[Record], tampering: Tampering, finding: str) -> None:
    for record in records:
        tampering(record)
    done = verify(records)
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == len(records)
    for line in lines:
        verdict, _, found = line.split(maxsplit=2)
        assert verdict == "UNFAIR"
        assert re.match(finding, found), line


def test_every_match_is_fair(played: Played) -> None:
    done = verify(played.records)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == len(played.records)
    assert all(line.startswith("fair ") for line in lines)


@pytest.mark.parametrize("tampering", common.REPLAYS, ids=lambda it: it.__name__)
def test_a_tampered_replay_is_found_without_any_log(played: Played, tampering: Tampering) -> None:
    replays = [{"replay": record["replay"]} for record in played.sample()]
    assert_all_are_found(replays, tampering, common.REPLAYS[tampering])


@pytest.mark.parametrize("tampering", common.LOGS, ids=lambda it: it.__name__)
def test_what_a_reader_was_told_is_held_against_the_replay(
    played: Played, tampering: Tampering
) -> None:
    assert_all_are_found(played.sample(), tampering, common.LOGS[tampering])


@pytest.mark.parametrize(
    ("game", "tampering", "finding"),
    [
        pytest.param(game, tampering, finding, id=f"{game}-{tampering.__name__}")
        for game, special in SPECIAL.items()
        for tampering, finding in (special.REPLAYS | special.LOGS).items()
    ],
)
def test_tampering_with_what_one_game_has_is_found(
    request: pytest.FixtureRequest, game: str, tampering: Tampering, finding: str
) -> None:
    played: Played = request.getfixturevalue(game)
    assert_all_are_found(played.sample(), tampering, finding)


def test_one_unfair_match_among_fair_ones_is_named(dragonheart: Played) -> None:
    records = dragonheart.sample()
    common.first_seed_bit(records[2])
    done = verify(records)
    assert done.returncode == 1
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("UNFAIR")]
    assert records[2]["replay"]["match"]["matchId"] in line


def test_what_is_no_record_is_refused() -> None:
    done = verify([{}])
    assert done.returncode == 2
    assert done.stderr.startswith("verify.mjs: the input cannot be read")


def facts(played: Played, game: str) -> Counter[str]:
    """Count the kinds of facts that spectators were told."""
    made = [made for record in played.records for made in moves_told(record, 0)]
    return Counter(kind for it in made for fact in it["facts"] for kind in fact[game])


def test_the_matches_of_dragonheart_hold_what_is_hard(dragonheart: Played) -> None:
    starts = {it["replay"]["match"]["options"].get("startSeat") for it in dragonheart.records}
    assert starts == {None, 0, 1}
    assert {"cardSentBack", "dragonTaken", "shipsSailed"} <= set(facts(dragonheart, "dragonheart"))
    moves = [made["move"] for it in dragonheart.records for made in moves_told(it, 0)]
    chosen = {
        move["dragonheart"]["cards"][0]["type"] for move in moves if " > " in move["notation"]
    }
    assert chosen == {"DRAGONHEART_CARD_TYPE_KNIGHT", "DRAGONHEART_CARD_TYPE_SORCERESS"}


def test_the_matches_of_dragonkeepers_hold_what_is_hard(dragonkeepers: Played) -> None:
    wanted = {
        "crystalSpent",
        "cardBooked",
        "crestTaken",
        "pearlDrawn",
        "shadowGained",
        "endTriggered",
    }
    assert wanted <= set(facts(dragonkeepers, "dragonkeepers"))
    setups = [it["replay"]["match"]["options"]["setup"] for it in dragonkeepers.records]
    assert len({setup["dragonkeepers"]["edition"] for setup in setups}) == 2

"""The verifier in JavaScript, written from docs/rng.md and docs/rules alone (P10)."""

import copy
from collections import Counter

import pytest

from tests.budget import cases
from tests.contract.strangers.conftest import Played
from tests.contract.strangers.node import Record, verify
from tests.contract.strangers.tampering import LOGS, REPLAYS, Tampering, moves_told

TAMPERED = cases(ci=4, sweep=200)  # matches that each tampering is tried on


def without_logs(record: Record) -> Record:
    return {"replay": record["replay"]}


def tampered(records: list[Record], tampering: Tampering) -> list[Record]:
    copies = copy.deepcopy(records)
    for record in copies:
        tampering(record)
    return copies


def assert_all_are_found(records: list[Record], finding: str) -> None:
    done = verify(records)
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == len(records)
    for line in lines:
        verdict, _, found = line.split(maxsplit=2)
        assert verdict == "UNFAIR"
        assert found.startswith(finding), line


def test_every_match_is_fair(played: Played) -> None:
    done = verify(played.records)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == len(played.records)
    assert all(line.startswith("fair ") for line in lines)


def test_the_matches_hold_what_is_hard(played: Played) -> None:
    held: Counter[str] = Counter()
    for record in played.records:
        held[f"start {record['replay']['match']['options'].get('startSeat')}"] += 1
        for made in moves_told(record, 0):
            move = made["move"]["dragonheart"]
            held[f"{move['cards'][0]['type']} with target"] += "target" in move
            held.update(kind for fact in made["facts"] for kind in fact["dragonheart"])
    wanted = {"start None", "start 0", "start 1", "cardSentBack", "dragonTaken", "shipsSailed"}
    wanted |= {f"DRAGONHEART_CARD_TYPE_{name} with target" for name in ("KNIGHT", "SORCERESS")}
    assert wanted <= set(+held)


@pytest.mark.parametrize("tampering", REPLAYS, ids=lambda it: it.__name__)
def test_a_tampered_replay_is_found_without_any_log(played: Played, tampering: Tampering) -> None:
    records = [without_logs(record) for record in tampered(played.records[:TAMPERED], tampering)]
    assert_all_are_found(records, REPLAYS[tampering])


@pytest.mark.parametrize("tampering", LOGS, ids=lambda it: it.__name__)
def test_what_a_reader_was_told_is_held_against_the_replay(
    played: Played, tampering: Tampering
) -> None:
    assert_all_are_found(tampered(played.records[:TAMPERED], tampering), LOGS[tampering])


def test_one_unfair_match_among_fair_ones_is_named(played: Played) -> None:
    records = copy.deepcopy(played.records)
    (unfair,) = tampered(records[3:4], next(iter(REPLAYS)))
    records[3] = unfair
    done = verify(records)
    assert done.returncode == 1
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("UNFAIR")]
    assert unfair["replay"]["match"]["matchId"] in line


def test_what_is_no_record_is_refused() -> None:
    done = verify([{}])
    assert done.returncode == 2
    assert done.stderr.startswith("verify.mjs: the input cannot be read")

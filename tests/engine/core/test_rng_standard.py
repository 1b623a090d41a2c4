"""dragonhall-rng-v1: the engine, a second derivation in JavaScript and the vectors agree.

The vectors are rewritten by `python -m tests.engine.core.rewrite_rng_vectors` alone; their answers
come from `rng.mjs`, which was written from docs/rng.md and not from the engine.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from dragonhall_engine.core.rng import Stream
from tests.budget import cases
from tests.engine.core.rewrite_rng_vectors import questions
from tests.engine.core.rng_questions import (
    SCRIPT,
    VECTORS,
    node_answers,
    python_answers,
    random_asks,
)

PAGE = Path(__file__).parents[3] / "docs" / "rng.md"
CASES: list[dict[str, Any]] = json.loads(VECTORS.read_text(encoding="utf-8"))
ASKS = [case["ask"] for case in CASES]
ANSWERS = [case["answer"] for case in CASES]

# A stranger's likely mistakes, as replacements in rng.mjs: the vectors must notice each.
MISTAKES = {
    "other commitment tag": ("'dragonhall-commit-v1'", "'dragonhall-commit-v2'"),
    "commitment without the id": ("lp(bytes(deal_id)), unhex(seed)", "unhex(seed)"),
    "other version": ("'dragonhall-rng-v1'", "'dragonhall-rng-v2'"),
    "one-byte length": ("uint(2, data.length)", "uint(1, data.length % 256)"),
    "length in UTF-16": ("lp(bytes(deal_id)), lp", "uint(2, deal_id.length), bytes(deal_id), lp"),
    "normalised text": ("Buffer.from(text, 'utf8')", "Buffer.from(text.normalize(), 'utf8')"),
    "Latin-1 text": ("Buffer.from(text, 'utf8')", "Buffer.from(text, 'latin1')"),
    "root without seats": ("[...head, seats, ...parts]", "[...head, ...parts]"),
    "root without the ruleset": ("lp(bytes(deal_id)), lp(bytes(ruleset))", "lp(bytes(deal_id))"),
    "contributions backwards": ("...parts]", "...parts.reverse()]"),
    "contributions without length": ("lp(unhex(part))", "unhex(part)"),
    "key and data exchanged": ("H(unhex(seed), B", "((a, b) => H(b, a))(unhex(seed), B"),
    "stream without tag": ("bytes('stream'), ", ""),
    "label without length": ("lp(bytes(label))", "bytes(label)"),
    "little-endian words": ("readUInt32BE", "readUInt32LE"),
    "signed words": ("readUInt32BE", "readInt32BE"),
    "counter from 1": ("counter = 0", "counter = 1"),
    "eight words a block": ("at < 64", "at < 32"),
    "no rejection": ("word >= limit", "false"),
    "below(1) for nothing": ("const limit", "if (n === 1) return 0; const limit"),
    "high part in place of modulo": ("word % n", "Math.floor((word * n) / TWO_32)"),
    "shuffle upwards": ("let i = size - 1; i >= 1; i -= 1", "let i = 1; i < size; i += 1"),
    "shuffle without staying": ("below(stream, i + 1)", "below(stream, i)"),
    "shuffle over the whole list": ("below(stream, i + 1)", "below(stream, size)"),
    "stack upside down": ("return items", "return items.reverse()"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_engine_gives_the_vector(case: dict[str, Any]) -> None:
    assert python_answers([case["ask"]]) == [case["answer"]]


def test_the_second_derivation_gives_every_vector() -> None:
    assert node_answers(ASKS) == ANSWERS


def test_the_file_holds_the_questions_of_its_script() -> None:
    assert [(case["name"], case["ask"]) for case in CASES] == questions()


def test_both_agree_on_random_questions() -> None:
    asks = random_asks(cases(ci=200, sweep=5000), seed=20261129)
    for ask, ours, theirs in zip(asks, python_answers(asks), node_answers(asks), strict=True):
        assert ours == theirs, ask


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_vectors_notice_a_mistake(mistake: str) -> None:
    right, wrong = MISTAKES[mistake]
    source = SCRIPT.read_text(encoding="utf-8")
    assert right in source
    assert node_answers(ASKS, source.replace(right, wrong)) != ANSWERS


def test_the_vectors_contain_rejections() -> None:
    case = next(c for c in CASES if c["name"] == f"below: n = {2**31 + 1}")
    raw = Stream(bytes.fromhex(case["ask"]["root"]), case["ask"]["label"])
    accepted = [w for w in (raw.below(2**32) for _ in range(20)) if w < 2**31 + 1]
    assert 0 < len(accepted) < 20
    assert case["answer"][: len(accepted)] == accepted


def test_the_first_vectors_on_the_page_are_those_of_the_file() -> None:
    shown = re.findall(r"`([0-9a-f]{128})`", PAGE.read_text(encoding="utf-8"))
    assert len(shown) == 2
    assert set(shown) <= {answer for answer in ANSWERS if isinstance(answer, str)}


@pytest.mark.parametrize("n", [0, -1, 2**32 + 1])
def test_below_refuses_what_no_word_can_give(n: int) -> None:
    with pytest.raises(ValueError, match="below"):
        Stream(bytes(64), "start").below(n)

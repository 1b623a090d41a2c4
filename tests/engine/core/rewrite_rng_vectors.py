"""Write `rng_vectors.json` anew: questions from here, answers from `rng.mjs`, never from Python.

Run `.venv/bin/python -m tests.engine.core.rewrite_rng_vectors` in the repository's root. The
standard never changes, so the only reason is a new question; old answers must not differ.
"""

import json
from typing import Any

from tests.engine.core.rng_questions import VECTORS, Ask, node_answers

COUNTING = bytes(range(64)).hex()
HIGH = bytes(range(255, 191, -1)).hex()
ZERO = bytes(64).hex()
FULL = bytes(range(128, 192)).hex()

Question = tuple[str, Ask]


def _commitments() -> list[Question]:
    ids = {
        "plain id": "m-1",
        "empty id": "",
        "Ukrainian id": "матч-ґ7",
        "id outside the basic plane": "🐉 final",
        "decomposed letter, not normalised": "e\u0301",
        "id of 300 bytes": "x" * 300,
    }
    return [
        (f"commitment: {name}", {"do": "commitment", "seed": COUNTING, "deal_id": deal_id})
        for name, deal_id in ids.items()
    ]


def _source(seed: str, deal_id: str, ruleset: str, contributions: list[str]) -> Ask:
    return {
        "seed": seed,
        "deal_id": deal_id,
        "ruleset": ruleset,
        "contributions": contributions,
    }


def _sources() -> dict[str, Ask]:
    source, published = "dragonkeepers-source/1", "dragonkeepers-published/1"
    return {
        "two seats, none contributes": _source(COUNTING, "m-1", "dragonheart/1", ["", ""]),
        "two seats, short and full": _source(HIGH, "m-2", "dragonheart/1", ["00", FULL]),
        "the same seats swapped": _source(HIGH, "m-2", "dragonheart/1", [FULL, "00"]),
        "three seats, one silent": _source(COUNTING, "матч-ґ7", source, ["a1b2c3", "", FULL]),
        "four seats, published": _source(ZERO, "🐉 final", published, ["", "ff", FULL, "0102"]),
        "four seats, source": _source(ZERO, "🐉 final", source, ["", "ff", FULL, "0102"]),
    }


def _streams(root: str) -> list[Question]:
    def stream(do: str, label: str, **fields: Any) -> Ask:
        return {"do": do, "root": root, "label": label, **fields}

    labels = ("start", "deck:seat0:0", "deck:seat1:0", "lost-dragon:0", "lost-dragon:12")
    rows = [(f"words: {label}", stream("words", label, count=6)) for label in labels]
    rows.append(("words: over three blocks", stream("words", "pearls:0", count=40)))
    for n in (1, 2, 3, 6, 10, 2**31 + 1, 2**32 - 1, 2**32):
        rows.append((f"below: n = {n}", stream("below", "start", ns=[n] * 20)))
    rows.append(("below: n = 1 uses a word", stream("below", "start", ns=[1, 2**32, 1, 2**32])))
    sizes = {0: "start", 1: "start", 5: "starters:0", 45: "amulets:0", 50: "deck:seat0:0"}
    for size, label in (sizes | {123: "deck:left:0"}).items():
        rows.append((f"shuffle: {size}", stream("shuffle", label, size=size)))
    return rows


def _deals() -> list[Question]:
    sources = _sources()
    rows = [
        ("two seats, none contributes", "deck:seat0:0", 50),
        ("two seats, none contributes", "deck:seat1:0", 50),
        ("three seats, one silent", "deck:right:0", 52),
        ("four seats, published", "starters:0", 8),
        ("four seats, published", "pearls:0", 15),
    ]
    return [
        (
            f"deal: {name}, {label}",
            {"do": "deal"} | sources[name] | {"label": label, "size": size},
        )
        for name, label, size in rows
    ]


def questions() -> list[Question]:
    """List all cases in file order."""
    roots = [(f"root: {name}", {"do": "root"} | ask) for name, ask in _sources().items()]
    (root,) = node_answers([roots[0][1]])
    return [*_commitments(), *roots, *_streams(root), *_deals()]


def main() -> None:
    """Write the file, one case per three lines."""
    rows = questions()
    answers = node_answers([ask for _, ask in rows])
    _refuse_a_change([ask for _, ask in rows], answers)
    cases = [
        f'  {{"name": {_json(name)},\n   "ask": {_json(ask)},\n   "answer": {_json(answer)}}}'
        for (name, ask), answer in zip(rows, answers, strict=True)
    ]
    VECTORS.write_text("[\n" + ",\n".join(cases) + "\n]\n", encoding="utf-8")


def _refuse_a_change(asks: list[Ask], answers: list[Any]) -> None:
    old = json.loads(VECTORS.read_text(encoding="utf-8")) if VECTORS.exists() else []
    for case in old:
        if case["ask"] in asks and case["answer"] != answers[asks.index(case["ask"])]:
            raise SystemExit(
                f"{case['name']}: another answer needs another version of the standard"
            )


def _json(value: Any) -> str:
    # Escapes keep two texts apart that look alike, such as a decomposed letter.
    return json.dumps(value)


if __name__ == "__main__":
    main()

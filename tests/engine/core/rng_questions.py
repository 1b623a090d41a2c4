"""Questions on dragonhall-rng-v1 (docs/rng.md, item 12), put to Python and to Node."""

import json
import random
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from clients.build import NODE
from dragonhall_engine.core.rng import Deal, Stream

HERE = Path(__file__).parent
SCRIPT = HERE / "rng.mjs"
VECTORS = HERE / "rng_vectors.json"
RULESETS = ("dragonheart/1", "dragonkeepers-source/1", "dragonkeepers-published/1")
LABELS = ("start", "deck:seat0:0", "lost-dragon:0", "lost-dragon:11", "deck:left:0", "pearls:0")
DEAL_IDS = ("m-1", "", "final 2026 · seat A/B", "матч-ґ7", "🐉" * 20, "x" * 300)

Ask = dict[str, Any]


def _deal(ask: Ask) -> Deal:
    contributions = tuple(bytes.fromhex(part) for part in ask.get("contributions", ()))
    return Deal(bytes.fromhex(ask["seed"]), ask["deal_id"], contributions)


def _stream(ask: Ask) -> Stream:
    return Stream(bytes.fromhex(ask["root"]), ask["label"])


def _order(stream: Stream, size: int) -> list[int]:
    order = list(range(size))
    stream.shuffle(order)
    return order


def _words(ask: Ask) -> list[int]:
    stream = _stream(ask)
    return [stream.below(2**32) for _ in range(ask["count"])]


def _below(ask: Ask) -> list[int]:
    stream = _stream(ask)
    return [stream.below(n) for n in ask["ns"]]


_ANSWERS: dict[str, Callable[[Ask], Any]] = {
    "commitment": lambda ask: _deal(ask).commitment.hex(),
    "root": lambda ask: _deal(ask).root(ask["ruleset"]).hex(),
    "words": _words,
    "below": _below,
    "shuffle": lambda ask: _order(_stream(ask), ask["size"]),
    "deal": lambda ask: _order(Stream(_deal(ask).root(ask["ruleset"]), ask["label"]), ask["size"]),
}


def python_answers(asks: Sequence[Ask]) -> list[Any]:
    """Answer by the engine."""
    return [_ANSWERS[ask["do"]](ask) for ask in asks]


def node_answers(asks: Sequence[Ask], source: str | None = None) -> list[Any]:
    """Answer by `rng.mjs`, or by another source text in its place."""
    code = source or SCRIPT.read_text(encoding="utf-8")
    command = [NODE, "--input-type=module", "--eval", code]
    run = subprocess.run(
        command,
        input=json.dumps(asks),
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=60,
    )
    return list(json.loads(run.stdout))


def random_asks(count: int, seed: int) -> list[Ask]:
    """Make questions of every kind, the same for the same seed."""
    rng = random.Random(seed)
    kinds = tuple(_ANSWERS)
    return [_random_ask(rng, kinds[i % len(kinds)]) for i in range(count)]


def _random_ask(rng: random.Random, do: str) -> Ask:
    seats = rng.randint(2, 4)
    sizes = (0, 1, rng.randint(2, 63), 64)
    source = {
        "seed": rng.randbytes(64).hex(),
        "deal_id": rng.choice(DEAL_IDS) + str(rng.randrange(1000)),
        "ruleset": rng.choice(RULESETS),
        "contributions": [rng.randbytes(rng.choice(sizes)).hex() for _ in range(seats)],
    }
    stream = {"root": rng.randbytes(64).hex(), "label": rng.choice(LABELS)}
    fields: dict[str, Ask] = {
        "commitment": {name: source[name] for name in ("seed", "deal_id")},
        "root": source,
        "words": stream | {"count": rng.randint(1, 70)},
        "below": stream | {"ns": [_random_n(rng) for _ in range(40)]},
        "shuffle": stream | {"size": rng.randint(0, 150)},
        "deal": source | {"label": stream["label"], "size": rng.randint(0, 150)},
    }
    return {"do": do} | fields[do]


def _random_n(rng: random.Random) -> int:
    return rng.choice((1, rng.randint(2, 200), 2 ** rng.randint(1, 32), rng.randint(2**31, 2**32)))

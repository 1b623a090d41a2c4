"""`dragonhall-rng-v1`: random numbers that any language can recompute.

The text of the standard is `docs/rng.md`, its test vectors `tests/engine/core/rng_vectors.json`.
Integers are big-endian, text is UTF-8, `lp(x)` is a two-byte length followed by `x`, and H is
HMAC-SHA-512. A change of anything here is a new version string beside this one, never an edit.
"""

import hashlib
import hmac
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

VERSION = "dragonhall-rng-v1"
SEED_BYTES = 64
MAX_CONTRIBUTION_BYTES = 64
MAX_TEXT_BYTES = 0xFFFF
_MAX_SEATS = 0xFF
_COMMIT_TAG = b"dragonhall-commit-v1"
_WORDS_PER_BLOCK = struct.Struct(">16I")
_WORD_RANGE = 2**32
_COUNT = re.compile("0|[1-9][0-9]*")  # not isdecimal(): `00` and `٣` would open other streams


class UnlistedLabel(ValueError):
    """A stream was asked for under a label that the game's rules do not list."""


class Chance(Protocol):
    """A source of uniform numbers: `Stream` for deals, a bot's own generator for searches."""

    def below(self, n: int) -> int:
        """Draw a uniform integer, 0 <= result < n."""

    def shuffle(self, items: list[int]) -> None:
        """Permute a list in place, uniformly."""


@dataclass(frozen=True, slots=True)
class Deal:
    """Everything that fixes the luck of a match.

    Attributes:
        seed: 64 secret bytes, revealed after the end.
        deal_id: public name of the deal, at most 65,535 bytes of UTF-8; the match id unless the
            host names one.
        contributions: 0-64 bytes from each seat, in seat order; public after the deal.

    Raises:
        ValueError: a field is out of these bounds.
    """

    seed: bytes = field(repr=False)
    deal_id: str
    contributions: tuple[bytes, ...]

    def __post_init__(self) -> None:
        if len(self.seed) != SEED_BYTES:
            raise ValueError(f"a seed has {SEED_BYTES} bytes")
        if len(self.deal_id.encode()) > MAX_TEXT_BYTES:
            raise ValueError(f"a deal id has at most {MAX_TEXT_BYTES} bytes")
        if len(self.contributions) > _MAX_SEATS:
            raise ValueError(f"at most {_MAX_SEATS} seats contribute")
        if any(len(part) > MAX_CONTRIBUTION_BYTES for part in self.contributions):
            raise ValueError(f"a contribution has at most {MAX_CONTRIBUTION_BYTES} bytes")

    @property
    def commitment(self) -> bytes:
        """The 64 public bytes that bind the server to the seed before any seat is taken."""
        return hashlib.sha512(_COMMIT_TAG + _lp(self.deal_id.encode()) + self.seed).digest()

    def root(self, ruleset: str) -> bytes:
        """Derive the 64-byte key of all streams of a match under `ruleset`."""
        parts = [VERSION.encode(), _lp(self.deal_id.encode()), _lp(ruleset.encode())]
        parts.append(bytes([len(self.contributions)]))
        parts.extend(_lp(part) for part in self.contributions)
        return _h(self.seed, b"".join(parts))


class Stream:
    """The random numbers of one label; each call consumes words of the stream in order."""

    def __init__(self, root: bytes, label: str) -> None:
        self._key = _h(root, b"stream" + _lp(label.encode()))
        self._block = 0
        self._words: list[int] = []

    def below(self, n: int) -> int:
        """Draw a uniform integer, 0 <= result < n, for 1 <= n <= 2**32 (at least one word)."""
        if not 1 <= n <= _WORD_RANGE:
            raise ValueError("below(n) needs 1 <= n <= 2**32")
        limit = _WORD_RANGE - _WORD_RANGE % n
        while (word := self._word()) >= limit:
            pass
        return word % n

    def shuffle(self, items: list[int]) -> None:
        """Permute a list in place; position 0 is the top of a deck."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]

    def _word(self) -> int:
        if not self._words:
            block = _h(self._key, self._block.to_bytes(4, "big"))
            self._words = list(reversed(_WORDS_PER_BLOCK.unpack(block)))
            self._block += 1
        return self._words.pop()


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels a game may use: one per purpose.

    Attributes:
        fixed: whole labels, such as `deck:seat0:0`.
        counted: prefixes whose uses are numbered from 0, such as `lost-dragon` for
            `lost-dragon:0`; the number is decimal without leading zeros.
    """

    fixed: frozenset[str]
    counted: frozenset[str] = frozenset()

    def stream(self, root: bytes, label: str) -> Stream:
        """Open the stream of a listed label.

        Raises:
            UnlistedLabel: the game's rules do not list it.
        """
        prefix, _, count = label.rpartition(":")
        if label in self.fixed or (prefix in self.counted and _COUNT.fullmatch(count)):
            return Stream(root, label)
        raise UnlistedLabel(label)


def draw_start_seat(labels: Labels, root: bytes, seats: int) -> int:
    """Draw who starts: `below(seats)` of the label `start`."""
    return labels.stream(root, "start").below(seats)


def shuffled(labels: Labels, root: bytes, label: str, items: Sequence[int]) -> list[int]:
    """Return `items`, given in canonical order, shuffled under `label`; index 0 is the top."""
    order = list(items)
    labels.stream(root, label).shuffle(order)
    return order


def _lp(data: bytes) -> bytes:
    return len(data).to_bytes(2, "big") + data


def _h(key: bytes, data: bytes) -> bytes:
    return hmac.digest(key, data, "sha512")

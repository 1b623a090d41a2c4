"""Which labels open a stream, and which deals are accepted."""

import pytest

from dragonhall_engine.core.rng import (
    Deal,
    Labels,
    Stream,
    UnlistedLabel,
    draw_start_seat,
    shuffled,
)

ROOT = bytes(range(64))
LABELS = Labels(frozenset({"start", "deck:seat0:0"}), frozenset({"lost-dragon"}))


@pytest.mark.parametrize(
    "label", ["start", "deck:seat0:0", "lost-dragon:0", "lost-dragon:7", "lost-dragon:120"]
)
def test_a_listed_label_opens_its_stream(label: str) -> None:
    assert LABELS.stream(ROOT, label).below(2**32) == Stream(ROOT, label).below(2**32)


@pytest.mark.parametrize(
    "label",
    [
        "",
        "Start",
        "start:0",
        "deck:seat0:1",
        "deck:seat0",
        "lost-dragon",
        "lost-dragon:",
        "lost-dragon:x",
        "lost-dragon:-1",
        "lost-dragon:00",
        "lost-dragon:07",
        "lost-dragon:1\n",
        "lost-dragon:٣",  # a digit, yet not in the standard's decimal
        "lost-dragon:1:0",
    ],
)
def test_an_unlisted_label_is_an_error(label: str) -> None:
    with pytest.raises(UnlistedLabel):
        LABELS.stream(ROOT, label)


def test_labels_do_not_touch_each_other() -> None:
    alone = LABELS.stream(ROOT, "lost-dragon:1").below(2**32)
    other, stream = LABELS.stream(ROOT, "lost-dragon:0"), LABELS.stream(ROOT, "lost-dragon:1")
    assert other.below(2**32) != alone
    assert stream.below(2**32) == alone


def test_the_start_seat_is_the_first_draw_of_its_label() -> None:
    assert draw_start_seat(LABELS, ROOT, 4) == Stream(ROOT, "start").below(4)


def test_shuffled_leaves_its_argument_alone() -> None:
    cards = (3, 1, 2, 2)
    order = shuffled(LABELS, ROOT, "deck:seat0:0", cards)
    assert cards == (3, 1, 2, 2)
    assert sorted(order) == sorted(cards)


def test_shuffled_needs_a_listed_label() -> None:
    with pytest.raises(UnlistedLabel):
        shuffled(LABELS, ROOT, "deck:seat9:0", (1, 2))


@pytest.mark.parametrize(
    ("seed", "deal_id", "contributions"),
    [
        (bytes(63), "m", (b"", b"")),
        (bytes(65), "m", (b"", b"")),
        (b"", "m", (b"", b"")),
        (bytes(64), "m", (b"", bytes(65))),
        (bytes(64), "x" * 65_536, (b"", b"")),
        (bytes(64), "ґ" * 32_768, (b"", b"")),
        (bytes(64), "\ud800", (b"", b"")),
        (bytes(64), "m", (b"",) * 256),
    ],
    ids=["short", "long", "no seed", "contribution", "id", "id in bytes", "surrogate", "seats"],
)
def test_a_deal_out_of_bounds_is_refused(
    seed: bytes, deal_id: str, contributions: tuple[bytes, ...]
) -> None:
    with pytest.raises(ValueError):
        Deal(seed, deal_id, contributions)


def test_a_deal_at_its_bounds_is_accepted() -> None:
    deal = Deal(bytes(64), "x" * 65_535, (bytes(64),) * 4)
    assert len(deal.commitment) == len(deal.root("dragonheart/1")) == 64


def test_a_deal_does_not_show_its_seed() -> None:
    secret = bytes(range(64))
    shown = repr(Deal(secret, "m-1", (b"", b"")))
    assert "seed" not in shown
    assert repr(secret[:8])[2:-1] not in shown

"""Ways to tamper with the record of a match of Dragonkeepers."""

from collections.abc import Iterator

from tests.contract.strangers.node import Record
from tests.contract.strangers.tampering import RULE, Tampering, deal_told, facts_told


def moves_of(record: Record, kind: str) -> Iterator[Record]:
    """Yield the moves of one kind."""
    for move in record["replay"]["moves"]:
        if kind in move["move"]["dragonkeepers"]:
            yield move["move"]["dragonkeepers"][kind]


def slot_of_a_take(record: Record) -> None:
    next(moves_of(record, "take"))["slot"] = "DRAGONKEEPERS_SLOT_R9"


def card_too_many_in_a_set(record: Record) -> None:
    cards = next(moves_of(record, "play"))["cards"]
    cards.append(cards[0])


def set_of_the_server(record: Record) -> None:
    moves = record["replay"]["moves"]
    played = next(move for move in moves if "play" in move["move"]["dragonkeepers"])
    played["reason"] = "MOVE_REASON_AUTO_PASS"


def pass_of_the_server(record: Record) -> None:
    """What a spectator knows that a seat may only pass, the server had passed by itself."""
    moves = record["replay"]["moves"]
    passed = next(
        move
        for move in moves
        if "passPlay" in move["move"]["dragonkeepers"] and move["reason"] == "MOVE_REASON_PLAYER"
    )
    passed["reason"] = "MOVE_REASON_AUTO_PASS"


def passes_that_were_not_agreed(record: Record) -> None:
    assert "MOVE_REASON_AUTO_PASS" in {move["reason"] for move in record["replay"]["moves"]}
    record["replay"]["match"]["options"]["autoPass"] = False


def book_of_a_card_that_is_not_there(record: Record) -> None:
    next(moves_of(record, "book"))["card"] = {"front": "DRAGONKEEPERS_COLOUR_RED", "number": 9}


def starter_that_was_dealt(record: Record) -> None:
    for log in range(1, len(record["logs"])):
        for fact in deal_told(record, log)["facts"]:
            for card in fact["dragonkeepers"].get("startersDealt", {}).get("cards", []):
                card["front"] = "DRAGONKEEPERS_COLOUR_SHADOW"


def pearl_that_was_drawn(record: Record) -> None:
    for log in range(1, len(record["logs"])):
        for fact in facts_told(record, log, "pearlDrawn"):
            if "value" in fact:
                fact["value"] += 1


def pearls_that_were_revealed(record: Record) -> None:
    next(facts_told(record, 0, "supplyRevealed"))["pearls"][-1] += 1


def deck_that_was_revealed(record: Record) -> None:
    next(facts_told(record, 0, "supplyRevealed"))["left"].pop()


def page_that_was_shown(record: Record) -> None:
    shown = next(fact for fact in facts_told(record, 0, "slotRefilled") if "number" in fact)
    shown["number"] += 1


def points_that_were_told(record: Record) -> None:
    next(facts_told(record, 0, "seatScored"))["pieces"] += 1


REPLAYS: dict[Tampering, str] = {
    slot_of_a_take: "DK-3.1: ",
    card_too_many_in_a_set: f"{RULE}|version ",
    set_of_the_server: "version ",
    pass_of_the_server: "version ",
    passes_that_were_not_agreed: "version ",
    book_of_a_card_that_is_not_there: RULE,
}

LOGS: dict[Tampering, str] = {
    starter_that_was_dealt: "version ",
    pearl_that_was_drawn: "version ",
    pearls_that_were_revealed: "version ",
    deck_that_was_revealed: "version ",
    page_that_was_shown: "version ",
    points_that_were_told: "version ",
}

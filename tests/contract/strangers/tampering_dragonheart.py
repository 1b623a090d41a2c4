"""Ways to tamper with the record of a match of Dragonheart."""

from tests.contract.strangers.node import Record
from tests.contract.strangers.tampering import RULE, Tampering, deal_told, facts_told


def neighbours_swapped(record: Record) -> None:
    moves = record["replay"]["moves"]
    moves[4]["version"], moves[5]["version"] = moves[5]["version"], moves[4]["version"]
    moves[4], moves[5] = moves[5], moves[4]


def card_that_is_not_in_the_hand(record: Record) -> None:
    dwarf = {"type": "DRAGONHEART_CARD_TYPE_DWARF", "value": 9}
    record["replay"]["moves"][3]["move"]["dragonheart"]["cards"] = [dwarf]


def disguise(card: Record) -> None:
    """Make another card of a card."""
    card["value"] = card.get("value", 0) % 4 + 1


def another_move_in_both(record: Record) -> None:
    move = record["replay"]["moves"][8]["move"]["dragonheart"]
    ship = {"type": "DRAGONHEART_CARD_TYPE_SHIP"}
    knight = {"type": "DRAGONHEART_CARD_TYPE_KNIGHT", "value": 2}
    move["cards"] = [knight if move["cards"][0] == ship else ship]


def hand_that_was_dealt(record: Record) -> None:
    disguise(deal_told(record, 1)["facts"][1]["dragonheart"]["cardsDrawn"]["cards"][0])


def card_that_was_drawn(record: Record) -> None:
    drawn = next(fact for fact in facts_told(record, 2, "cardsDrawn") if "cards" in fact)
    disguise(drawn["cards"][0])


def size_of_a_deck(record: Record) -> None:
    next(facts_told(record, 0, "cardsDrawn"))["deckCount"] = 50


REPLAYS: dict[Tampering, str] = {
    neighbours_swapped: "DH-4.9: ",
    card_that_is_not_in_the_hand: "DH-4.9: ",
}

LOGS: dict[Tampering, str] = {
    another_move_in_both: f"{RULE}|version ",
    hand_that_was_dealt: "version ",
    card_that_was_drawn: "version ",
    size_of_a_deck: "version ",
}

"""Ways to tamper with the record of a finished match, each with what the verifier must say."""

import base64
from collections.abc import Callable, Iterator

from tests.contract.strangers.node import Record

Tampering = Callable[[Record], None]


def flipped(text: str, bit: int = 0) -> str:
    """Return base64 bytes with one bit changed; of no bytes, one byte is made."""
    data = bytearray(base64.b64decode(text)) or bytearray(1)
    data[bit // 8] ^= 1 << bit % 8
    return base64.b64encode(data).decode()


def first_seed_bit(record: Record) -> None:
    record["replay"]["seed"] = flipped(record["replay"]["seed"])


def last_seed_bit(record: Record) -> None:
    record["replay"]["seed"] = flipped(record["replay"]["seed"], 511)


def short_seed(record: Record) -> None:
    record["replay"]["seed"] = base64.b64encode(bytes(32)).decode()


def commitment_bit(record: Record) -> None:
    deal = record["replay"]["match"]["deal"]
    deal["commitment"] = flipped(deal["commitment"], 100)


def deal_id(record: Record) -> None:
    record["replay"]["match"]["deal"]["dealId"] += "x"


def ruleset(record: Record) -> None:
    record["replay"]["match"]["deal"]["ruleset"] = "dragonheart/2"


def contribution_of_seat_0(record: Record) -> None:
    seat = record["replay"]["match"]["seats"][0]
    seat["contribution"] = flipped(seat.get("contribution", ""))


def contribution_of_seat_1(record: Record) -> None:
    seat = record["replay"]["match"]["seats"][1]
    seat["contribution"] = flipped(seat.get("contribution", ""))


def start_seat(record: Record) -> None:
    first = record["replay"]["moves"][0].get("seat", 0)
    record["replay"]["match"]["options"]["startSeat"] = 1 - first


def seat_of_a_move(record: Record) -> None:
    move = record["replay"]["moves"][6]
    move["seat"] = 1 - move.get("seat", 0)


def neighbours_swapped(record: Record) -> None:
    moves = record["replay"]["moves"]
    moves[4]["version"], moves[5]["version"] = moves[5]["version"], moves[4]["version"]
    moves[4], moves[5] = moves[5], moves[4]


def version_that_comes_twice(record: Record) -> None:
    moves = record["replay"]["moves"]
    moves[5]["version"] = moves[4]["version"]


def first_move_lost(record: Record) -> None:
    del record["replay"]["moves"][0]


def last_move_lost(record: Record) -> None:
    record["replay"]["moves"].pop()


def last_move_doubled(record: Record) -> None:
    last = record["replay"]["moves"][-1]
    record["replay"]["moves"].append(last | {"version": str(int(last["version"]) + 1)})


def card_that_is_not_in_the_hand(record: Record) -> None:
    dwarf = {"type": "DRAGONHEART_CARD_TYPE_DWARF", "value": 9}
    record["replay"]["moves"][3]["move"]["dragonheart"]["cards"] = [dwarf]


def notation(record: Record) -> None:
    record["replay"]["moves"][2]["move"]["notation"] += " V"


def moves_of_the_clock(record: Record) -> None:
    for move in record["replay"]["moves"]:
        move["reason"] = "MOVE_REASON_TIMED_OUT"


def score(record: Record) -> None:
    result = record["replay"]["match"]["outcome"]["results"][0]
    result["score"] = result.get("score", 0) + 1


def rank(record: Record) -> None:
    record["replay"]["match"]["outcome"]["results"][1]["rank"] = 3


def cause(record: Record) -> None:
    record["replay"]["match"]["outcome"]["cause"] = "OUTCOME_CAUSE_RESIGNED"


def leave_made_up(record: Record) -> None:
    version = record["replay"]["match"]["version"]
    leave = {"version": version, "seat": 1, "cause": "OUTCOME_CAUSE_RESIGNED"}
    record["replay"]["leaves"] = [leave]


# Of these the replay alone tells nothing, or need not: what a reader was told does.


def moves_told(record: Record, log: int) -> list[Record]:
    """Return the moves that one reader was told of: 0 is the spectator, 1 and 2 are the seats."""
    return [event["moveMade"] for event in record["logs"][log] if "moveMade" in event]


def deal_told(record: Record, log: int) -> Record:
    """Return the deal that one reader was told of."""
    return next(event["dealt"] for event in record["logs"][log] if "dealt" in event)


def facts_told(record: Record, log: int, kind: str) -> Iterator[Record]:
    """Yield the facts of one kind that one reader was told of the moves."""
    for made in moves_told(record, log):
        for fact in made["facts"]:
            if kind in fact["dragonheart"]:
                yield fact["dragonheart"][kind]


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


def fact_that_was_told(record: Record) -> None:
    moves_told(record, 0)[0]["facts"].pop()


def move_that_was_watched(record: Record) -> None:
    made = moves_told(record, 0)
    made[2]["move"] = next(it["move"] for it in made if it["move"] != made[2]["move"])


def event_that_was_watched(record: Record) -> None:
    made = [event for event in record["logs"][0] if "moveMade" in event]
    record["logs"][0].remove(made[7])


def outcome_that_was_told(record: Record) -> None:
    outcome = record["logs"][0][-1]["outcome"]
    outcome["results"][0]["score"] = outcome["results"][0].get("score", 0) + 1


def contribution_that_was_told(record: Record) -> None:
    contributions = deal_told(record, 0)["contributions"]
    contributions[0] = flipped(contributions[0])


REPLAYS: dict[Tampering, str] = {
    first_seed_bit: "commitment:",
    last_seed_bit: "commitment:",
    short_seed: "seed:",
    commitment_bit: "commitment:",
    deal_id: "commitment:",
    ruleset: "ruleset:",
    contribution_of_seat_0: "",  # another deal: which move first cannot be is luck
    contribution_of_seat_1: "",
    start_seat: "DH-4.9:",
    seat_of_a_move: "DH-4.9:",
    neighbours_swapped: "DH-4.9:",
    version_that_comes_twice: "version ",
    first_move_lost: "DH-4.9:",
    last_move_lost: "outcome:",
    last_move_doubled: "DH-4.9:",
    card_that_is_not_in_the_hand: "DH-4.9:",
    notation: "version ",
    moves_of_the_clock: "version ",
    score: "score:",
    rank: "rank:",
    cause: "outcome:",
    leave_made_up: "outcome:",
}

LOGS: dict[Tampering, str] = {
    another_move_in_both: "",
    hand_that_was_dealt: "version 4:",
    card_that_was_drawn: "version ",
    size_of_a_deck: "version 5:",
    fact_that_was_told: "version 5:",
    move_that_was_watched: "version ",
    event_that_was_watched: "moves:",
    outcome_that_was_told: "version ",
    contribution_that_was_told: "version 4:",
}

"""Ways to tamper with the record of a finished match of any game, and what must be found.

A finding is a regular expression for the beginning of what the verifier says.
"""

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
    record["replay"]["match"]["deal"]["ruleset"] += "0"


def contribution_of_seat_0(record: Record) -> None:
    seat = record["replay"]["match"]["seats"][0]
    seat["contribution"] = flipped(seat.get("contribution", ""))


def contribution_of_seat_1(record: Record) -> None:
    seat = record["replay"]["match"]["seats"][1]
    seat["contribution"] = flipped(seat.get("contribution", ""))


def start_seat(record: Record) -> None:
    first = record["replay"]["moves"][0].get("seat", 0)
    seats = len(record["replay"]["match"]["seats"])
    record["replay"]["match"]["options"]["startSeat"] = (first + 1) % seats


def seat_of_a_move(record: Record) -> None:
    move = record["replay"]["moves"][6]
    move["seat"] = (move.get("seat", 0) + 1) % len(record["replay"]["match"]["seats"])


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


def notation(record: Record) -> None:
    record["replay"]["moves"][2]["move"]["notation"] += " "


def moves_of_the_clock(record: Record) -> None:
    for move in record["replay"]["moves"]:
        move["reason"] = "MOVE_REASON_TIMED_OUT"


def score(record: Record) -> None:
    result = record["replay"]["match"]["outcome"]["results"][0]
    result["score"] = result.get("score", 0) + 1


def rank(record: Record) -> None:
    record["replay"]["match"]["outcome"]["results"][1]["rank"] = 9


def cause(record: Record) -> None:
    record["replay"]["match"]["outcome"]["cause"] = "OUTCOME_CAUSE_RESIGNED"


def leave_made_up(record: Record) -> None:
    version = record["replay"]["match"]["version"]
    leave = {"version": version, "seat": 1, "cause": "OUTCOME_CAUSE_RESIGNED"}
    record["replay"]["leaves"] = [leave]


def winner_who_left(record: Record) -> None:
    """After the end, and the outcome is what it would be then."""
    match = record["replay"]["match"]
    match["version"] = str(int(match["version"]) + 1)
    results = match["outcome"]["results"]
    gone = min(results, key=lambda result: result["rank"])
    leave = {"version": match["version"], "seat": gone.get("seat", 0)}
    record["replay"]["leaves"] = [leave | {"cause": "OUTCOME_CAUSE_RESIGNED"}]
    for result in results:
        result["rank"] -= result is not gone
    gone |= {"rank": len(results), "score": 0, "cause": "OUTCOME_CAUSE_RESIGNED"}


def results_left_out(record: Record) -> None:
    del record["replay"]["match"]["outcome"]["results"]


def results_of_each_other(record: Record) -> None:
    for result, seat in zip(record["replay"]["match"]["outcome"]["results"], (1, 0), strict=False):
        result["seat"] = seat


def seats_in_another_order(record: Record) -> None:
    record["replay"]["match"]["seats"].reverse()


def version_of_the_end(record: Record) -> None:
    match = record["replay"]["match"]
    match["version"] = str(int(match["version"]) + 1)


def move_without_its_form(record: Record) -> None:
    record["replay"]["moves"][2]["move"] = {"notation": "D1"}


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
            for game in fact.keys() - {"text"}:
                if kind in fact[game]:
                    yield fact[game][kind]


def fact_that_was_told(record: Record) -> None:
    moves_told(record, 0)[0]["facts"].pop()


def move_that_was_watched(record: Record) -> None:
    made = moves_told(record, 0)
    made[2]["move"] = next(it["move"] for it in made if it["move"] != made[2]["move"])


def reason_that_was_told(record: Record) -> None:
    moves_told(record, 0)[3]["reason"] = "MOVE_REASON_TIMED_OUT"


def event_that_was_watched(record: Record) -> None:
    made = [event for event in record["logs"][0] if "moveMade" in event]
    record["logs"][0].remove(made[7])


def outcome_that_was_told(record: Record) -> None:
    outcome = record["logs"][0][-1]["outcome"]
    outcome["results"][0]["score"] = outcome["results"][0].get("score", 0) + 1


def contribution_that_was_told(record: Record) -> None:
    contributions = deal_told(record, 0)["contributions"]
    contributions[0] = flipped(contributions[0])


RULE = r"D[HK]-\d+\.\d+: "

REPLAYS: dict[Tampering, str] = {
    first_seed_bit: "commitment: ",
    last_seed_bit: "commitment: ",
    short_seed: "seed: ",
    commitment_bit: "commitment: ",
    deal_id: "commitment: ",
    ruleset: "ruleset: ",
    contribution_of_seat_0: "",  # another deal: where the log no longer fits is luck
    contribution_of_seat_1: "",
    start_seat: RULE,
    seat_of_a_move: RULE,
    version_that_comes_twice: "version ",
    first_move_lost: "",
    last_move_lost: "outcome: ",
    last_move_doubled: "version ",
    notation: "version ",
    moves_of_the_clock: "version ",
    score: "score: ",
    rank: "rank: ",
    cause: "outcome: ",
    leave_made_up: "version ",
    winner_who_left: "version ",
    results_left_out: "outcome: ",
    results_of_each_other: "seat: ",
    seats_in_another_order: "seats: ",
    version_of_the_end: "version: ",
    move_without_its_form: "malformed: ",
}
"""They are found in a replay alone."""

LOGS: dict[Tampering, str] = {
    fact_that_was_told: "version ",
    move_that_was_watched: "version ",
    reason_that_was_told: "version ",
    event_that_was_watched: "moves: ",
    outcome_that_was_told: "version ",
    contribution_that_was_told: "version ",
}
"""They are found by what a reader was told."""

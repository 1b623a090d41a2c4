// The outcome of a match, as match.proto tells it, held against the match as it was played.

import { must } from "./broken.mjs";

const COMPLETED = "OUTCOME_CAUSE_COMPLETED";
const ENDED_BY_SERVER = "OUTCOME_CAUSE_SERVER_FAULT";
const CALLED_OFF = ["OUTCOME_CAUSE_ABORTED", "OUTCOME_CAUSE_EXPIRED"];

/**
 * What each seat must have reached. Those who played on rank by their standings, of which equals
 * share a rank; a seat that left ranks below them and below those that left later. Points count
 * only in a match that was played to its end; else nobody is ahead of those who played on.
 */
function results(state, seats, leaves) {
  const standings = state.standings().map((it) => (state.over ? it : [0, 0]));
  const left = (seat) => leaves.findIndex((leave) => leave.seat === seat);
  const keys = seats.map((seat) =>
    left(seat) < 0 ? [leaves.length, ...standings[seat]] : [left(seat), 0, 0],
  );
  return seats.map((seat) => ({
    seat,
    rank: 1 + keys.filter((key) => compare(key, keys[seat]) > 0).length,
    score: standings[seat][0],
    cause: leaves[left(seat)]?.cause ?? COMPLETED,
  }));
}

/** Compares lists of numbers by their first difference. */
function compare(one, other) {
  const at = one.findIndex((value, i) => value !== other[i]);
  return at < 0 ? 0 : one[at] - other[at];
}

/** Throws Broken unless a match ended as its outcome says, and with the last of its history. */
export function compareOutcome({ outcome, seats, version }, state, history) {
  if (CALLED_OFF.includes(outcome.cause)) {
    must(state.turns === 0, "outcome", "called off after it had begun");
    return;
  }
  const leaves = [...history.values()].filter(({ cause }) => cause);
  const isDeserted = leaves.length >= seats.length - 1;
  const isFault = outcome.cause === ENDED_BY_SERVER;
  if (isFault) {
    must(!state.over && !isDeserted, "outcome", "it was over already");
  } else {
    must(state.over || isDeserted, "outcome", "not at its end");
  }
  const last = seats.length + 2 + history.size + Number(isFault);
  must(Number(version) === last, "version", `the last one is ${last}`);
  if (isFault) {
    return;
  }
  const cause = isDeserted ? leaves.at(-1).cause : COMPLETED;
  must(outcome.cause === cause, "outcome", `it ended by ${cause}`);
  const full = ({ seat = 0, score = 0, ...rest }) => ({ seat, score, ...rest });
  const told = (outcome.results ?? []).map(full);
  must(told.length === seats.length, "outcome", `${told.length} results`);
  for (const [seat, result] of results(state, [...seats.keys()], leaves).entries()) {
    for (const [name, value] of Object.entries(result)) {
      must(told[seat]?.[name] === value, name, `of seat ${seat} is ${value}`);
    }
  }
}

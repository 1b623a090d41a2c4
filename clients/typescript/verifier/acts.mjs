// Step 3 of "Reveal and verify": every move and every leave of a match, in the order of its log.

import { isDeepStrictEqual } from "node:util";
import { must } from "./broken.mjs";
import { read } from "./reading.mjs";

const LEAVES = ["RESIGNED", "TIMED_OUT", "LEFT", "SILENT", "CRASHED", "ILLEGAL"].map(
  (cause) => `OUTCOME_CAUSE_${cause}`,
);
const TIMED_OUT = "MOVE_REASON_TIMED_OUT";
const SEAT_LEFT = "MOVE_REASON_SEAT_LEFT";
const AUTO_PASS = "MOVE_REASON_AUTO_PASS";

/** Carries all of it out; returns what each version was: a move with its facts, or a leave. */
export function playAll(state, { match, moves = [], leaves = [] }, game) {
  const table = { state, options: match.options, seats: match.seats.length, left: new Set(), game };
  const acts = [
    ...moves.map((move) => ({ ...move, act: carryOut })),
    ...leaves.map((leave) => ({ ...leave, act: letLeave })),
  ].sort((one, other) => Number(BigInt(one.version) - BigInt(other.version)));
  const history = new Map();
  let last = BigInt(table.seats) + 2n; // one creates, each seat is taken, one deals
  for (const { version, act, seat = 0, ...rest } of acts) {
    const where = `version ${version}`;
    last += 1n;
    must(BigInt(version) === last, where, `${last} is missing`);
    must(!state.over && table.seats - table.left.size > 1, where, "the match was over before");
    history.set(version, { seat, ...act(table, where, { seat, ...rest }) });
  }
  return history;
}

function letLeave({ seats, left }, where, { seat, cause }) {
  must(seat < seats && !left.has(seat), where, `seat ${seat} cannot leave`);
  must(LEAVES.includes(cause), where, `nobody leaves by ${cause}`);
  left.add(seat);
  return { cause };
}

function carryOut({ state, options, left, game }, where, { seat, move, reason }) {
  const made = game.readMove(read(move[game.name]));
  const isGone = left.has(seat);
  must(isGone === (reason === SEAT_LEFT), where, `seat ${seat} left${isGone ? "" : " not"}`);
  if (reason === TIMED_OUT) {
    const plays = options.clock?.onExpiry === "EXPIRY_ACTION_DEFAULT_MOVE";
    must(plays, where, "who is out of time does not play on");
  }
  if (reason === TIMED_OUT || isGone) {
    must(isDeepStrictEqual(made, state.defaultMove()), where, "not the default move");
  }
  if (reason === AUTO_PASS) {
    const passes = (options.autoPass ?? true) && state.publicPass?.();
    must(passes && made[0] === "passPlay", where, "the server may not pass");
  }
  const facts = state.play(seat, made);
  const written = game.writeMove(made);
  must(move.notation === written, where, `"${move.notation}" is written "${written}"`);
  return { move, reason, facts };
}

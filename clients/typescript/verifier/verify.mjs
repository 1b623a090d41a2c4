// Verifies finished matches from what GetReplay and a watch say of them, with nothing of the
// server's: docs/rng.md gives the luck, docs/rules the rules.
//
//   node verify.mjs < records.json
//
// The input is a list of {"replay": GetReplayResponse, "logs": [[Event, ...], ...]} in protobuf's
// JSON. Logs are what readers, seats or spectators, were told of the whole match; there may be none.
// It prints a line for each match and ends with 0 if all are fair, 1 if one is not, 2 if the input
// cannot be read.

import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { playAll } from "./acts.mjs";
import { Broken, must } from "./broken.mjs";
import { dragonheart } from "./dragonheart.mjs";
import { dragonkeepers } from "./dragonkeepers.mjs";
import { Stream, commitment, root } from "./luck.mjs";
import { compareOutcome } from "./outcome.mjs";
import { bytes, read } from "./reading.mjs";

const GAMES = { dragonheart, dragonkeepers };

/** The game, with its name and its setup. */
function gameOf(match) {
  const [[name, setup]] = Object.entries(match.options.setup);
  return { ...GAMES[name], name, setup };
}

/** Steps 1 and 2 of "Reveal and verify": the commitment, the root, and the match as dealt. */
function deal({ match, seed }) {
  const { dealId, ruleset, commitment: published } = match.deal;
  const game = gameOf(match);
  const { setup } = game;
  must(ruleset === game.rulesets[setup.edition], "ruleset", `${ruleset} for ${setup.edition}`);
  must(match.seats.length === game.seats(setup), "seats", `${match.seats.length} of them`);
  must(match.seats.every(({ seat = 0 }, place) => seat === place), "seats", "not in order");
  must(bytes(seed).length === 64, "seed", "not 64 bytes");
  must(commitment(bytes(seed), dealId).equals(bytes(published)), "commitment", "another seed");
  const contributions = match.seats.map((seat) => bytes(seat.contribution));
  const key = root(bytes(seed), dealId, ruleset, contributions);
  const stream = (label) => new Stream(key, label);
  const start = match.options.startSeat ?? stream("start").below(match.seats.length);
  must(start < match.seats.length, "start seat", `there is no seat ${start}`);
  return new game.Match(read(setup.edition), match.seats.length, start, stream);
}

/** Whether a fact that a reader was told is the one that happened; a secret may be left out. */
function agrees([toldKind, told], [kind, happened], { secrets, present }) {
  const isSent = ([name, value]) =>
    present.includes(name) || !(value === 0 || value === false || value.length === 0);
  const expected = Object.entries(happened)
    .filter(([, value]) => value !== undefined)
    .filter(isSent)
    .filter(([name]) => name !== secrets[kind] || name in told);
  return toldKind === kind && isDeepStrictEqual(told, Object.fromEntries(expected));
}

/** Compares the facts that a reader was told of one version with those that happened. */
function compareFacts(where, told, happened, game) {
  const facts = told.map((fact) => Object.entries(read(fact[game.name]))[0]);
  must(facts.length <= happened.length, where, `told ${facts.length} facts of ${happened.length}`);
  for (const [i, fact] of happened.entries()) {
    const same = facts[i] && agrees(facts[i], fact, game);
    must(same, where, `told ${JSON.stringify(facts[i])}, but it was ${JSON.stringify(fact)}`);
  }
}

/** Compares what a reader was told of the match with what happened. */
function compareLog(events, { match }, opening, history) {
  const game = gameOf(match);
  for (const { version, dealt, moveMade, seatLeft, outcome } of events) {
    const where = `version ${version}`;
    if (dealt) {
      const contributions = match.seats.map((seat) => seat.contribution ?? "");
      must(isDeepStrictEqual(dealt.contributions, contributions), where, "other contributions");
      compareFacts(where, dealt.facts, opening, game);
    }
    if (moveMade) {
      const made = history.get(version);
      must(isDeepStrictEqual(moveMade.move, made?.move), where, "told another move");
      must((moveMade.seat ?? 0) === made.seat, where, "told another seat");
      must(moveMade.reason === made.reason, where, "told another reason");
      compareFacts(where, moveMade.facts, made.facts, game);
    }
    if (seatLeft) {
      const { seat, cause } = history.get(version) ?? {};
      must((seatLeft.seat ?? 0) === seat && seatLeft.cause === cause, where, "told another leave");
    }
    const ending = version === match.version ? match.outcome : undefined;
    must(isDeepStrictEqual(outcome, ending), where, "told another outcome");
  }
  const told = events.filter(({ moveMade, seatLeft }) => moveMade ?? seatLeft).length;
  must(told === history.size, "moves", `told ${told} of ${history.size}`);
}

/** Verifies one match; returns its scores, or throws Broken at the first thing that is wrong. */
export function verify({ replay, logs = [] }) {
  const state = deal(replay);
  const history = playAll(state, replay, gameOf(replay.match));
  compareOutcome(replay.match, state, history);
  for (const events of logs) {
    compareLog(events, replay, state.opening, history);
  }
  const points = state.standings().map(([total]) => total);
  return `${replay.moves?.length ?? 0} moves, ${points.join(":")}`;
}

/** Prints the finding on one record; returns whether it is fair. */
function report(record) {
  const name = record.replay.match.matchId;
  must(typeof name === "string", "record", "no match");
  try {
    console.log(`fair    ${name}: ${verify(record)}`);
    return true;
  } catch (error) {
    const where = error instanceof Broken ? "" : "malformed: ";
    console.log(`UNFAIR  ${name}: ${where}${error.message}`);
    return false;
  }
}

try {
  const findings = JSON.parse(readFileSync(0, "utf8")).map(report);
  process.exitCode = findings.every(Boolean) ? 0 : 1;
} catch (error) {
  console.error(`verify.mjs: the input cannot be read: ${error.message}`);
  process.exitCode = 2;
}

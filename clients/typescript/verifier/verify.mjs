// Verifies finished matches from what GetReplay and a watch say of them, with nothing of the
// server's: docs/rng.md gives the luck, docs/rules/dragonheart.md the rules.
//
//   node verify.mjs < records.json
//
// The input is a list of {"replay": GetReplayResponse, "logs": [[Event, ...], ...]} in protobuf's
// JSON. Logs are what readers, seats or spectators, were told of the whole match; there may be none.
// It prints a line for each match and ends with 0 if all are fair, 1 if one is not, 2 if the input
// cannot be read.

import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { Broken, Match, unshuffled } from "./dragonheart.mjs";
import { Stream, commitment, root } from "./luck.mjs";

const RULESET = "dragonheart/1";
const EDITION = "DRAGONHEART_EDITION_STANDARD";
const COMPLETED = "OUTCOME_CAUSE_COMPLETED";
const CALLED_OFF = ["OUTCOME_CAUSE_ABORTED", "OUTCOME_CAUSE_EXPIRED"];
const BY_DEFAULT = "MOVE_REASON_TIMED_OUT";
const SEATS = 2;
const NAMES = {
  D: "DWARF", H: "HUNTRESS", F: "FIRE_DRAGON", C: "TREASURE", T: "TROLL",
  K: "KNIGHT", P: "PETRIFIED_DRAGON", S: "SORCERESS", V: "SHIP",
};
const LETTERS = Object.fromEntries(
  Object.entries(NAMES).map(([letter, name]) => [`DRAGONHEART_CARD_TYPE_${name}`, letter]),
);

/** Bytes of protobuf's JSON, where an empty field is left out. */
function bytes(text = "") {
  return Buffer.from(text, "base64");
}

function readCard({ type, value = "" }) {
  return `${LETTERS[type]}${value}`;
}

function readMove({ cards, target }) {
  return { cards: cards.map(readCard), target: target && LETTERS[target] };
}

/** A move as section 1 of the rules writes it. */
function writeMove({ cards, target }) {
  return cards.join(" ") + (target ? ` > ${NAMES[target].toLowerCase()}` : "");
}

/** The contents of a fact as the match states them: cards as texts, defaults filled in. */
function readFact({ dragonheart }) {
  const [[kind, told]] = Object.entries(dragonheart);
  const fact = { ...told };
  if (told.cards) fact.cards = told.cards.map(readCard);
  if (told.card) fact.card = readCard(told.card);
  for (const space of ["source", "target"]) {
    if (told[space]) fact[space] = LETTERS[told[space]];
  }
  return [kind, fact];
}

/** Protobuf's JSON leaves out zero and false, except where presence means something. */
const OPTIONAL = new Set(["target", "previousOwner", "card", "dragonOwner"]);
const SECRET = { cardsDrawn: "cards", cardSentBack: "card" };

/** Whether a fact that a reader was told is the one that happened; a secret may be left out. */
function agrees([toldKind, told], [kind, happened]) {
  const expected = Object.entries(happened).filter(
    ([name, value]) =>
      value !== undefined &&
      (OPTIONAL.has(name) || (value !== 0 && value !== false)) &&
      !(name === SECRET[kind] && told[name] === undefined),
  );
  return toldKind === kind && isDeepStrictEqual(told, Object.fromEntries(expected));
}

/** Compares the facts of one event with what happened. */
function compareFacts(version, told, happened) {
  const read = told.map(readFact);
  if (read.length !== happened.length || !read.every((fact, i) => agrees(fact, happened[i]))) {
    const say = JSON.stringify;
    throw new Broken(`version ${version}`, `told ${say(read)}, but it was ${say(happened)}`);
  }
}

function must(holds, where, message) {
  if (!holds) {
    throw new Broken(where, message);
  }
}

/** Steps 1 and 2 of "Reveal and verify": the commitment, the root, and the match as dealt. */
function deal({ match, seed }) {
  const { dealId, ruleset, commitment: published } = match.deal;
  must(match.options.setup.dragonheart?.edition === EDITION, "setup", "not a game known here");
  must(ruleset === RULESET, "ruleset", `${ruleset} is not ${RULESET}`);
  must(bytes(seed).length === 64, "seed", "not 64 bytes");
  must(match.seats.length === SEATS, "seats", `not ${SEATS}`);
  must(commitment(bytes(seed), dealId).equals(bytes(published)), "commitment", "another seed");
  const contributions = match.seats.map((seat) => bytes(seat.contribution));
  const key = root(bytes(seed), dealId, ruleset, contributions);
  const decks = match.seats.map((_, seat) =>
    new Stream(key, `deck:seat${seat}:0`).shuffle(unshuffled()),
  );
  const start = match.options.startSeat ?? new Stream(key, "start").below(SEATS);
  let sentBack = 0;
  const pick = (n) => new Stream(key, `lost-dragon:${sentBack++}`).below(n);
  return new Match(start, decks, pick);
}

/** The facts of the deal, as section 9 lists them. */
function dealt(game) {
  const drawn = game.hands.map((hand, seat) => {
    const [cards, deckCount] = [[...hand], game.decks[seat].length];
    return ["cardsDrawn", { seat, count: cards.length, cards, deckCount }];
  });
  return [["started", { seat: game.toMove }], ...drawn];
}

/** What each seat must have reached: its rank, points and cause, as match.proto says. */
function results(game, left) {
  if (!left) {
    const [scores, ranks] = [game.scores(), game.ranks()];
    return scores.map((score, seat) => ({ seat, rank: ranks[seat], score, cause: COMPLETED }));
  }
  return game.hands.map((_, seat) =>
    seat === (left.seat ?? 0)
      ? { seat, rank: 2, score: 0, cause: left.cause }
      : { seat, rank: 1, score: 0, cause: COMPLETED },
  );
}

/** Compares the outcome with the match as it was played; a seat that leaves ends it. */
function compareOutcome({ match: { outcome }, leaves = [] }, game) {
  if (CALLED_OFF.includes(outcome.cause)) {
    must(game.turns === 0 && !leaves.length, "outcome", "called off after it had begun");
    return;
  }
  const [left] = leaves;
  must(game.over !== Boolean(left), "outcome", game.over ? "played to the end" : "not at its end");
  must(outcome.cause === (left?.cause ?? COMPLETED), "outcome", `it ended by ${outcome.cause}`);
  const told = outcome.results.map(({ seat = 0, score = 0, ...rest }) => ({ seat, score, ...rest }));
  for (const [seat, result] of results(game, left).entries()) {
    for (const [name, value] of Object.entries(result)) {
      must(told[seat]?.[name] === value, name, `of seat ${seat} is ${value}`);
    }
  }
}

/** Step 3: plays every move; returns what each version was: its seat, move and facts. */
function playAll(game, moves) {
  const history = new Map();
  let last = 0n;
  for (const { version, seat = 0, move, reason } of moves) {
    const where = `version ${version}`;
    must(BigInt(version) > last, where, `not after ${last}`);
    last = BigInt(version);
    const { cards, target } = readMove(move.dragonheart);
    if (reason === BY_DEFAULT) {
      must(isDeepStrictEqual({ cards, target }, game.defaultMove()), where, "not the default move");
    }
    history.set(version, { seat, move, facts: game.play(seat, cards, target) });
    must(move.notation === writeMove({ cards, target }), where, `not written "${move.notation}"`);
  }
  return history;
}

/** Compares what a reader was told, as far as its events go, with what happened. */
function compareLog(events, { match }, opening, history) {
  for (const { version, dealt, moveMade, outcome } of events) {
    const where = `version ${version}`;
    if (dealt) {
      const contributions = match.seats.map((seat) => seat.contribution ?? "");
      must(isDeepStrictEqual(dealt.contributions, contributions), where, "other contributions");
      compareFacts(version, dealt.facts, opening);
    }
    if (moveMade) {
      const made = history.get(version);
      must(isDeepStrictEqual(moveMade.move, made?.move), where, "told another move");
      must((moveMade.seat ?? 0) === made.seat, where, "told another seat");
      compareFacts(version, moveMade.facts, made.facts);
    }
    if (outcome) {
      must(isDeepStrictEqual(outcome, match.outcome), where, "told another outcome");
    }
  }
  const told = events.filter((event) => event.moveMade).length;
  must(told === history.size, "moves", `told ${told} of ${history.size}`);
}

/** Verifies one match; returns its scores, or throws Broken at the first thing that is wrong. */
export function verify({ replay, logs = [] }) {
  const game = deal(replay);
  const opening = dealt(game);
  const history = playAll(game, replay.moves ?? []);
  compareOutcome(replay, game);
  for (const events of logs) {
    compareLog(events, replay, opening, history);
  }
  return `${history.size} moves, ${game.scores().join(":")}`;
}

/** Prints the finding on one record; returns whether it is fair. */
function report(record) {
  const name = record.replay.match.matchId;
  try {
    console.log(`fair    ${name}: ${verify(record)}`);
    return true;
  } catch (error) {
    if (!(error instanceof Broken)) {
      throw error;
    }
    console.log(`UNFAIR  ${name}: ${error.message}`);
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

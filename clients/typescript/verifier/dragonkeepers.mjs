// Dragonkeepers, written from docs/rules/dragonkeepers.md alone; the numbers DK-x.y are that page's.
// Cards are texts as on that page: "R|3", "G>W", "S|6". Decks are top first, a row is left to right.

import { Broken } from "./broken.mjs";
import { tally } from "./dragonkeepers_score.mjs";

const COLOURS = ["R", "W", "B", "G"];
const NUMBERS = [1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5]; // DK-1.2
const BACKS = {
  R: { W: 4, B: 4, G: 5 }, W: { R: 4, B: 5, G: 4 }, B: { R: 4, W: 5, G: 4 }, G: { R: 5, W: 4, B: 4 },
}; // DK-1.3
const STARTERS = ["R>B", "R>W", "B>G", "B>R", "G>W", "G>B", "W>R", "W>G"]; // DK-1.4
const PIECES = { 1: 8, 4: 8, 6: 5, 8: 4, 10: 8, 12: 4, 16: 5, 20: 3 }; // DK-1.5
const PEARLS = { 3: 4, 4: 4, 8: 4, 9: 3 }; // DK-1.6
const SHADOW = "S|6";
const REMOVED = { 2: 16, 3: 12, 4: 8 }; // DK-2.5
const AMULETS = { 2: 7, 3: 8, 4: 9 }; // DK-7.1
const FREE_TAKES = 3; // DK-3.1
const QUIET_ROUNDS = 12; // DK-7.2
const ROUNDS = 60; // DK-7.2
const RING = 3; // DK-6.3
const BONUS = { 1: ["crystal"], 2: ["shadow"], 3: ["egg"], 4: ["crystal", "egg"], 5: ["shadow", "egg"], 6: [] };

function times(copies) {
  return Object.entries(copies).flatMap(([value, count]) => Array(count).fill(Number(value)));
}

function leftDeck() {
  return COLOURS.flatMap((front) => NUMBERS.map((number) => `${front}|${number}`));
}

function rightDeck() {
  return COLOURS.flatMap((front) =>
    COLOURS.flatMap((back) => Array(BACKS[front][back] ?? 0).fill(`${front}>${back}`)),
  );
}

/** Canonical order of section 1. */
function rank(card) {
  const kind = card[1] === "|" ? Number(card[2]) : 10 + COLOURS.indexOf(card[2]);
  return "RWBGS".indexOf(card[0]) * 100 + kind;
}

export function canonical(cards) {
  return [...cards].sort((a, b) => rank(a) - rank(b));
}

function remove(cards, card) {
  const at = cards.indexOf(card);
  return at >= 0 && cards.splice(at, 1).length > 0;
}

/** A match under way; `stream(label)` gives the luck of a label. */
export class Match {
  constructor(edition, seats, startSeat, stream) {
    const slots = edition === "SOURCE" ? ["L1", "L2", "R1", "R2"] : ["L1", "R1"]; // DK-2.4
    Object.assign(this, { edition, startSeat, over: false, turns: 0, round: 0, quiet: 0 });
    this.decks = {
      L: { cards: stream("deck:left:0").shuffle(leftDeck()), booked: 0 },
      R: { cards: stream("deck:right:0").shuffle(rightDeck()), booked: 0 },
    };
    this.offer = Object.fromEntries(slots.map((slot) => [slot, this.decks[slot[0]].cards.shift()]));
    this.starters = stream("starters:0").shuffle(STARTERS);
    const pieces = stream("amulets:0").shuffle(times(PIECES)).slice(REMOVED[seats]);
    this.pieces = pieces.sort((a, b) => a - b);
    this.pearls = stream("pearls:0").shuffle(times(PEARLS));
    this.supply = { shadow: 11, crystal: 10, egg: 9 };
    this.crests = [16, 10, 6];
    this.seats = Array.from({ length: seats }, () => ({
      known: [], secret: [], row: [], crystal: 0, egg: 0, crest: 0, pieces: [], pearls: [],
    }));
    this.opening = [this.#tableLaid(), ...this.#dealStarters()];
    this.#beginTurn(startSeat);
  }

  #tableLaid() {
    const count = (value) => this.pieces.filter((piece) => piece === value).length;
    const pieces = Object.keys(PIECES).map((value) => {
      const left = count(Number(value));
      return { value: Number(value), ...(left && { count: left }) };
    });
    const { edition, startSeat, number, colour } = this;
    const offer = Object.values(this.offer);
    const seats = this.seats.length;
    return ["tableLaid", { edition, seats, startSeat, offer, number, colour, pieces }];
  }

  #dealStarters() {
    for (const place of this.seats.keys()) {
      const seat = (this.startSeat + place) % this.seats.length;
      this.seats[seat].secret = canonical(this.starters.splice(0, place)); // DK-2.2
    }
    return this.seats.flatMap(({ secret }, seat) => {
      const [count, cards] = [secret.length, [...secret]];
      return count ? [["startersDealt", { seat, count, cards }]] : [];
    });
  }

  /** What the left page shows. */
  get number() {
    return Number(this.decks.L.cards[0][2]);
  }

  /** What the right page shows. */
  get colour() {
    return this.decks.R.cards[0][2];
  }

  /** DK-3.4: a slot is refilled if its deck keeps a card. */
  #refill(slot) {
    const deck = this.decks[slot[0]];
    if (deck.cards.length < 2) {
      return [];
    }
    const card = deck.cards.shift();
    deck.booked = Math.max(0, deck.booked - 1);
    this.offer[slot] = card;
    const shown = slot[0] === "L" ? { number: this.number } : { colour: this.colour };
    return [["slotRefilled", { slot, card, ...shown }]];
  }

  #beginTurn(seat) {
    if (seat === this.startSeat) {
      this.round += 1;
      this.setPlayed = false;
    }
    Object.assign(this, { active: seat, toMove: seat, step: "TAKE", taken: 0, changed: [] });
    const facts = [["turnBegan", { seat, round: this.round }]];
    for (const [slot, card] of Object.entries(this.offer)) {
      facts.push(...(card ? [] : this.#refill(slot)));
    }
    return [...facts, ...(this.#offerIsEmpty() ? this.#trigger("EMPTY_OFFER") : [])];
  }

  #offerIsEmpty() {
    return Object.values(this.offer).every((card) => !card);
  }

  #trigger(ending) {
    if (this.triggered) {
      return [];
    }
    this.triggered = ending;
    return [["endTriggered", { ending }]];
  }

  /** Carries a move out and returns its facts. */
  play(seat, [kind, content]) {
    if (this.over || seat !== this.toMove) {
      throw new Broken("DK-11.1", `seat ${seat} is not to decide`);
    }
    const [step, act] = {
      take: ["TAKE", () => this.#take(seat, content)],
      endTake: ["TAKE", () => this.#endTake(seat)],
      book: ["BOOK", () => this.#book(seat, content)],
      endBook: ["BOOK", () => this.#endBook(seat)],
      play: ["PLAY", () => this.#playSet(seat, content)],
      passPlay: ["PLAY", () => [["passed", { seat }], ...this.#next()]],
    }[kind];
    if (step !== this.step) {
      throw new Broken("DK-11.1", `${kind} in the step ${this.step}`);
    }
    this.turns += 1;
    return act();
  }

  /** DK-3.1 to DK-3.3. */
  #take(seat, { slot, withCrystal = false }) {
    const card = this.offer[slot];
    if (!card || (this.taken >= FREE_TAKES) !== withCrystal || this.taken > FREE_TAKES) {
      throw new Broken(withCrystal ? "DK-3.2" : "DK-3.1", `take ${slot} after ${this.taken}`);
    }
    this.offer[slot] = undefined;
    this.seats[seat].known.push(card);
    this.taken += 1;
    const facts = [["cardTaken", { seat, slot, card }]];
    if (withCrystal) {
      if (this.seats[seat].crystal === 0) {
        throw new Broken("DK-3.2", "no crystal");
      }
      this.seats[seat].crystal -= 1;
      this.supply.crystal += 1;
      facts.push(["crystalSpent", { seat }]);
    }
    return [...facts, ...this.#refill(slot)];
  }

  #endTake(seat) {
    if (this.taken === 0 && !this.#offerIsEmpty()) {
      throw new Broken("DK-3.1", "no card was taken");
    }
    this.step = "BOOK";
    return [["takeEnded", { seat }]];
  }

  /** DK-4. */
  #book(seat, { page, card }) {
    const side = page === "left" ? "L" : "R";
    if (this.changed.includes(page) || (card[1] === "|") !== (side === "L")) {
      throw new Broken("DK-4.1", `${card} on the ${page} page`);
    }
    this.#leave(seat, card);
    this.changed.push(page);
    this.decks[side].cards.unshift(card);
    this.decks[side].booked += 1;
    return [["cardBooked", { seat, page, card }]];
  }

  #endBook(seat) {
    this.step = "PLAY";
    return [["bookEnded", { seat }]];
  }

  /** A card leaves a hand: as the copy that everybody knows of, if there is one (DK-1.4). */
  #leave(seat, card) {
    const { known, secret } = this.seats[seat];
    if (!remove(known, card) && !remove(secret, card)) {
      throw new Broken("DK-11.1", `${card} is not in the hand`);
    }
  }

  /** DK-5. */
  #playSet(seat, { cards, side }) {
    const { number, colour } = this;
    const { row } = this.seats[seat];
    const fits = cards.every((card) => card[0] === colour || card === SHADOW);
    if (cards.length !== number || !fits || !cards.some((card) => card[0] === colour)) {
      throw new Broken("DK-5.1", `${cards} for (${number}, ${colour})`);
    }
    const laid = canonical(cards);
    laid.forEach((card) => this.#leave(seat, card));
    const at = row.findIndex((stack) => stack.colour === colour);
    if (at > 0 && at < row.length - 1) {
      throw new Broken("DK-5.4", `${colour} is closed`);
    }
    if ((at < 0 && row.length > 0) !== Boolean(side)) {
      throw new Broken("DK-5.3", `side ${side}`);
    }
    if (at >= 0) {
      row[at].cards.push(...laid);
    } else {
      const stack = { colour, cards: [...laid] };
      side === "left" ? row.unshift(stack) : row.push(stack);
    }
    this.setPlayed = true;
    const reward = this.#reward(seat, number);
    return [["setPlayed", { seat, cards: laid, colour, side }], ...reward, ...this.#next()];
  }

  /** DK-6, in the order of DK-6.1. */
  #reward(seat, number) {
    const mine = this.seats[seat];
    const facts = [];
    if (mine.row.length === COLOURS.length && !mine.crest && this.crests.length) {
      mine.crest = this.crests.shift();
      facts.push(["crestTaken", { seat, value: mine.crest }]);
    }
    const piece = number === 6 ? this.pieces.pop() : this.pieces.shift();
    if (piece) {
      mine.pieces.push(piece);
      facts.push(["pieceTaken", { seat, value: piece }]);
      facts.push(...(mine.pieces.length % RING === 0 ? this.#ring(seat) : []));
    }
    for (const bonus of BONUS[number]) {
      if (this.supply[bonus] > 0) {
        this.supply[bonus] -= 1;
        bonus === "shadow" ? mine.known.push(SHADOW) : (mine[bonus] += 1);
        facts.push([`${bonus}Gained`, { seat }]);
      }
    }
    return facts;
  }

  #ring(seat) {
    const mine = this.seats[seat];
    const facts = [["amuletCompleted", { seat, completed: mine.pieces.length / RING }]];
    const value = this.pearls.shift();
    if (value) {
      mine.pearls.push(value);
      facts.push(["pearlDrawn", { seat, value }]);
    }
    const completed = this.seats.reduce((sum, it) => sum + Math.floor(it.pieces.length / RING), 0);
    const ends = completed >= AMULETS[this.seats.length]; // DK-7.1
    return [...facts, ...(ends ? this.#trigger("AMULETS") : [])];
  }

  /** DK-6.5: the next seat may follow; after the last one the turn is over. */
  #next() {
    this.toMove = (this.toMove + 1) % this.seats.length;
    return this.toMove === this.active ? this.#endTurn() : [];
  }

  /** DK-7. */
  #endTurn() {
    const next = (this.active + 1) % this.seats.length;
    const facts = [];
    let ending = this.edition === "PUBLISHED" ? this.triggered : undefined;
    if (next === this.startSeat) {
      this.quiet = this.setPlayed ? 0 : this.quiet + 1;
      facts.push(["roundEnded", { round: this.round, quietRounds: this.quiet }]);
      ending = this.triggered;
      ending ??= this.quiet >= QUIET_ROUNDS ? "STALL" : undefined;
      ending ??= this.round >= ROUNDS ? "ROUND_LIMIT" : undefined;
    }
    return [...facts, ...(ending ? this.#endMatch(ending) : this.#beginTurn(next))];
  }

  #endMatch(ending) {
    Object.assign(this, { over: true, toMove: undefined });
    const revealed = this.seats.map(({ secret, pearls }, seat) => {
      const sorted = [...pearls].sort((a, b) => a - b);
      return ["seatRevealed", { seat, starters: canonical(secret), pearls: sorted }];
    });
    const [left, right] = Object.values(this.decks).map(({ cards, booked }) => cards.slice(booked));
    const starters = canonical(this.starters);
    const supply = ["supplyRevealed", { left, right, starters, pearls: this.pearls }];
    const scored = this.#tallies().map((tally, seat) => ["seatScored", { seat, ...tally }]);
    return [["matchEnded", { ending }], ...revealed, supply, ...scored];
  }

  #tallies() {
    return tally(this.seats, this.edition === "SOURCE");
  }

  /** What decides the ranks: points, then the cards in the row (DK-8.4). */
  standings() {
    return this.#tallies().map(({ total, rowCards }) => [total, rowCards]);
  }

  /** Whether every spectator knows that a follower may only pass (DK-5, DK-9). */
  publicPass() {
    const { number, colour } = this;
    if (this.step !== "PLAY" || this.toMove === this.active) {
      return false;
    }
    const { row, known, secret } = this.seats[this.toMove];
    const at = row.findIndex((stack) => stack.colour === colour);
    const hidden = [...this.seats.flatMap((seat) => seat.secret), ...this.starters];
    const ofColour = (cards) => cards.filter((card) => card[0] === colour).length;
    const most = ofColour(known) + Math.min(secret.length, ofColour(hidden));
    const shadows = known.filter((card) => card === SHADOW).length;
    return (at > 0 && at < row.length - 1) || most === 0 || most + shadows < number;
  }

  /** DK-10.1. */
  defaultMove() {
    if (this.step === "BOOK") {
      return ["endBook", {}];
    }
    if (this.step === "PLAY") {
      return ["passPlay", {}];
    }
    const larger = this.decks.L.cards.length >= this.decks.R.cards.length ? "L" : "R";
    const filled = Object.keys(this.offer).filter((slot) => this.offer[slot]);
    const slot = filled.find((it) => it[0] === larger) ?? filled[0];
    return this.taken || !slot ? ["endTake", {}] : ["take", { slot }];
  }
}

/** A move as section 1 writes it. */
function writeMove([kind, { slot, withCrystal, page, card, cards, side }]) {
  const texts = {
    take: `take ${slot}${withCrystal ? " with crystal" : ""}`,
    endTake: "end take",
    book: `book ${page} ${card}`,
    endBook: "end book",
    play: `play ${canonical(cards ?? []).join(" ")}${side ? ` ${side}` : ""}`,
    passPlay: "pass",
  };
  return texts[kind];
}

export const dragonkeepers = {
  rulesets: {
    DRAGONKEEPERS_EDITION_SOURCE: "dragonkeepers-source/1",
    DRAGONKEEPERS_EDITION_PUBLISHED: "dragonkeepers-published/1",
  },
  seats: (setup) => setup.seats,
  Match,
  readMove: (move) => Object.entries(move)[0],
  writeMove,
  secrets: { startersDealt: "cards", pearlDrawn: "value" },
  present: [],
};

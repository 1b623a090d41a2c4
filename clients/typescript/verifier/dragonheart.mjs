// Dragonheart, written from docs/rules/dragonheart.md alone; the numbers DH-x.y are that page's.
// Cards are texts as on that page: "D3", "V". Stacks are bottom first, decks top first.

import { Broken } from "./broken.mjs";
import { spaceName } from "./reading.mjs";

const TYPES = "DHFCTKPSV"; // section 1: the canonical order
const DECK = {
  D: [1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3],
  H: [1, 1, 1, 2, 2],
  F: [2, 3, 3, 4],
  C: [1, 1, 2, 2, 3, 3, 4],
  T: [1, 2, 3],
  K: [1, 1, 1, 1, 2],
  P: [2, 2, 2, 2, 2],
  S: [1, 1, 2, 2],
  V: ["", "", "", "", "", ""],
}; // DH-1.1
const OUTLINES = { D: 4, H: 3, K: 2, V: 3 }; // DH-3
const TAKEN = { H: ["F"], F: ["C"], T: ["S"], K: ["S", "T"], S: ["P", "C"] }; // DH-3.2 to 3.8
const HAND = 5; // DH-4.8
const DRAGON_POINTS = 3; // DH-6.4
const LAST_SAILING = 3; // DH-6.1

/** The deck of a seat before it is shuffled. */
function unshuffled() {
  return [...TYPES].flatMap((type) => DECK[type].map((value) => `${type}${value}`));
}

function rank(card) {
  return TYPES.indexOf(card[0]) * 10 + points(card);
}

function points(card) {
  return Number(card.slice(1) || 0);
}

function canonical(cards) {
  return [...cards].sort((a, b) => rank(a) - rank(b));
}

function sum(cards) {
  return cards.reduce((total, card) => total + points(card), 0);
}

/** A match under way; `stream(label)` gives the luck of a label. */
export class Match {
  #board = Object.fromEntries([...TYPES].map((type) => [type, []]));
  #underShip = [];
  #sailings = 0;
  #finalTurn = false;
  #sentBack = 0;
  #stream;

  constructor(edition, seats, startSeat, stream) {
    const decks = [0, 1].map((seat) => stream(`deck:seat${seat}:0`).shuffle(unshuffled()));
    this.toMove = startSeat;
    this.owner = undefined;
    this.over = false;
    this.turns = 0;
    this.decks = decks.map((deck) => deck.slice(HAND)); // DH-2.1
    this.hands = decks.map((deck) => canonical(deck.slice(0, HAND)));
    this.piles = [[], []];
    this.#stream = stream;
    const drawn = this.hands.map((hand, seat) => this.#drawn(seat, hand));
    this.opening = [["started", { seat: startSeat }], ...drawn];
  }

  /** Carries a move out and returns its facts: [kind, content] in the order of section 9. */
  play(seat, { cards, target }) {
    if (this.over || seat !== this.toMove) {
      throw new Broken("DH-4.9", `seat ${seat} is not to move`);
    }
    const type = this.#judgeCards(seat, cards);
    const fires = this.#fires(type, cards.length);
    const source = this.#judgeTarget(this.#open(type, cards.length), target);
    const laid = canonical(cards);
    for (const card of cards) {
      this.hands[seat].splice(this.hands[seat].indexOf(card), 1);
    }
    this.#board[type].push(...laid);
    const facts = [["cardsPlayed", { seat, cards: laid, target }]];
    if (fires) {
      this.#collect(seat, type, source, facts);
    }
    this.#draw(seat, facts);
    this.#end(seat, facts);
    this.turns += 1;
    return facts;
  }

  /** The move of a seat that is out of time (DH-8.1): its first card that fits its space. */
  defaultMove() {
    const hand = this.hands[this.toMove];
    const card = hand.find((it) => this.#board[it[0]].length < (OUTLINES[it[0]] ?? Infinity));
    const open = this.#open(card[0], 1);
    return { cards: [card], target: open.length === 2 ? canonical(open)[0] : undefined };
  }

  #judgeCards(seat, cards) {
    const type = cards[0]?.[0];
    if (cards.length === 0 || cards.some((card) => card[0] !== type)) {
      throw new Broken("DH-4.1", "a play is one or more cards of one type");
    }
    const rest = [...this.hands[seat]];
    for (const card of cards) {
      if (!rest.includes(card)) {
        throw new Broken("DH-4.9", `${cards} are not in the hand ${this.hands[seat]}`);
      }
      rest.splice(rest.indexOf(card), 1);
    }
    if (this.#board[type].length + cards.length > (OUTLINES[type] ?? Infinity)) {
      throw new Broken("DH-4.2", `${cards} do not fit on their space`);
    }
    return type;
  }

  /** Whether a play of so many cards of a type sets its space off (DH-3). */
  #fires(type, count) {
    const outlines = OUTLINES[type];
    return outlines ? this.#board[type].length + count === outlines : type in TAKEN;
  }

  /** The spaces that such a play may take. */
  #open(type, count) {
    const spaces = this.#fires(type, count) ? (TAKEN[type] ?? []) : [];
    return spaces.filter((space) => this.#board[space].length);
  }

  /** Which space a play takes, if any; the log names it only where two are open (DH-4.5). */
  #judgeTarget(open, target) {
    if (open.length === 2 ? !open.includes(target) : target !== undefined) {
      throw new Broken("DH-4.5", `target ${target} where ${open} are open`);
    }
    return target ?? open[0];
  }

  /** Section 4, and section 6 where petrified dragons were taken. */
  #collect(seat, type, source, facts) {
    if (type === "V") {
      this.#board.V = [];
      this.#sailings += 1;
      facts.push(["shipsSailed", { sailings: this.#sailings }]);
      this.#take(seat, "V", this.#underShip, facts);
      this.#underShip = [];
    } else if (type === "D") {
      this.#take(seat, "D", this.#board.D, facts);
      this.#board.D = [];
    } else if (source) {
      this.#take(seat, source, this.#board[source], facts);
      this.#board[source] = [];
    }
    if (type === "H" || type === "K") {
      facts.push(["cardsMovedUnderShip", { cards: this.#board[type] }]);
      this.#underShip.push(...this.#board[type]);
      this.#board[type] = [];
    }
    if (source === "P" && this.owner !== seat) {
      this.#winDragon(seat, facts);
    }
  }

  #take(seat, source, cards, facts) {
    if (cards.length) {
      this.piles[seat].push(...cards);
      facts.push(["cardsTaken", { seat, source, cards }]);
    }
  }

  /** DH-5.1 and DH-5.3. */
  #winDragon(seat, facts) {
    const loser = this.owner;
    this.owner = seat;
    facts.push(["dragonTaken", { seat, previousOwner: loser }]);
    if (loser !== undefined && this.hands[loser].length > HAND) {
      const luck = this.#stream(`lost-dragon:${this.#sentBack++}`);
      const [card] = this.hands[loser].splice(luck.below(this.hands[loser].length), 1);
      this.decks[loser].unshift(card);
      facts.push(["cardSentBack", { seat: loser, card }]);
    }
  }

  /** DH-4.8. */
  #draw(seat, facts) {
    const limit = this.owner === seat ? HAND + 1 : HAND;
    const drawn = this.decks[seat].splice(0, Math.max(0, limit - this.hands[seat].length));
    this.hands[seat] = canonical([...this.hands[seat], ...drawn]);
    if (drawn.length) {
      facts.push(this.#drawn(seat, drawn));
    }
  }

  #drawn(seat, cards) {
    const deckCount = this.decks[seat].length;
    return ["cardsDrawn", { seat, count: cards.length, cards: canonical(cards), deckCount }];
  }

  /** DH-6.1 to DH-6.3. */
  #end(seat, facts) {
    const bySailings = this.#sailings >= LAST_SAILING;
    const byEmptyDeck = this.decks[seat].length === 0;
    this.over = this.#finalTurn;
    this.#finalTurn ||= bySailings || byEmptyDeck;
    this.toMove = this.over ? undefined : 1 - seat;
    if (this.over) {
      facts.push(["scored", { points: this.scores(), dragonOwner: this.owner }]);
    } else if (this.#finalTurn) {
      facts.push(["finalTurnBegan", { seat: this.toMove, bySailings, byEmptyDeck }]);
    }
  }

  /** DH-6.4. */
  scores() {
    return this.piles.map((pile, seat) => sum(pile) + (this.owner === seat ? DRAGON_POINTS : 0));
  }

  /** What decides the ranks: points, then the Great Dragon (DH-6.5). */
  standings() {
    return this.scores().map((score, seat) => [score, Number(this.owner === seat)]);
  }
}

/** A move as section 1 writes it. */
function writeMove({ cards, target }) {
  return cards.join(" ") + (target ? ` > ${spaceName(target)}` : "");
}

export const dragonheart = {
  rulesets: { DRAGONHEART_EDITION_STANDARD: "dragonheart/1" },
  seats: () => 2,
  Match,
  readMove: (move) => ({ cards: move.cards, target: move.target }),
  writeMove,
  secrets: { cardsDrawn: "cards", cardSentBack: "card" },
  present: ["target", "previousOwner", "dragonOwner"], // they are sent even when they are 0
};

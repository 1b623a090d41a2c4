// dragonhall-rng-v1, written from docs/rng.md alone; the numbers are that page's items.

import { createHash, createHmac } from "node:crypto";

const WORDS = 2 ** 32;
const WORDS_PER_BLOCK = 16;

/** H of the page: HMAC-SHA-512. */
function hmac(key, ...parts) {
  return createHmac("sha512", key).update(Buffer.concat(parts)).digest();
}

function uint32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** The length of x in bytes as two bytes, then x; a text counts as its UTF-8 bytes. */
function lp(x) {
  const bytes = Buffer.from(x);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Item 2: what the server publishes before anybody sits down. */
export function commitment(seed, dealId) {
  const parts = [Buffer.from("dragonhall-commit-v1"), lp(dealId), seed];
  return createHash("sha512").update(Buffer.concat(parts)).digest();
}

/** Item 4: contributions are in seat order, one for every seat. */
export function root(seed, dealId, ruleset, contributions) {
  const head = [Buffer.from("dragonhall-rng-v1"), lp(dealId), lp(ruleset)];
  return hmac(seed, ...head, Buffer.from([contributions.length]), ...contributions.map(lp));
}

/** Item 5 and 6: the endless stream of numbers of one label. */
export class Stream {
  #key;
  #block = Buffer.alloc(0);
  #used = 0;

  constructor(rootKey, label) {
    this.#key = hmac(rootKey, Buffer.from("stream"), lp(label));
  }

  #word() {
    const at = this.#used % WORDS_PER_BLOCK;
    if (at === 0) {
      this.#block = hmac(this.#key, uint32(this.#used / WORDS_PER_BLOCK));
    }
    this.#used += 1;
    return this.#block.readUInt32BE(4 * at);
  }

  /** A uniform integer from 0 to n - 1. */
  below(n) {
    const limit = WORDS - (WORDS % n);
    let word = this.#word();
    while (word >= limit) {
      word = this.#word();
    }
    return word % n;
  }

  /** Item 7: the items in a new order, the top first. */
  shuffle(items) {
    const order = [...items];
    for (let i = order.length - 1; i >= 1; i--) {
      const j = this.below(i + 1);
      [order[i], order[j]] = [order[j], order[i]];
    }
    return order;
  }
}

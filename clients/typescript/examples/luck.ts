// Where the programs here get their chance from: the system, or a text that repeats a match.

import { createHmac, randomBytes } from "node:crypto";

/** A stream of random numbers; two of the same text are the same. */
export class Luck {
  readonly #key: Buffer;
  #used = 0;

  constructor(text?: string) {
    this.#key = text === undefined ? randomBytes(32) : Buffer.from(text);
  }

  /** So many random bytes, at most 64. */
  bytes(count: number): Uint8Array {
    const drawn = createHmac("sha512", this.#key).update(String(this.#used++)).digest();
    return Uint8Array.from(drawn.subarray(0, count));
  }

  /** An integer from 0 to n - 1, for n up to some thousands. */
  below(n: number): number {
    return Buffer.from(this.bytes(4)).readUInt32BE() % n;
  }

  /** One of the items. */
  pick<T>(items: T[]): T {
    return items[this.below(items.length)]!;
  }
}

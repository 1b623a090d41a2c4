/** What the texts do not allow: the rule or the place, and what is wrong there. */
export class Broken extends Error {
  constructor(where, message) {
    super(`${where}: ${message}`);
  }
}

/** Throws Broken unless something holds. */
export function must(holds, where, message) {
  if (!holds) {
    throw new Broken(where, message);
  }
}

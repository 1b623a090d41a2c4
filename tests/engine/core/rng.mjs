// dragonhall-rng-v1, written from docs/rng.md alone: the independent derivation of its test vectors.
// Reads a JSON list of questions (docs/rng.md, item 12) from stdin, prints the list of answers.
import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';

const TWO_32 = 2 ** 32;
const bytes = (text) => Buffer.from(text, 'utf8');
const unhex = (text) => Buffer.from(text, 'hex');
const H = (key, data) => createHmac('sha512', key).update(data).digest();

function uint(size, value) {
  const out = Buffer.alloc(size);
  out.writeUIntBE(value, 0, size);
  return out;
}

const lp = (data) => Buffer.concat([uint(2, data.length), data]);

function commitment({ seed, deal_id }) {
  const data = Buffer.concat([bytes('dragonhall-commit-v1'), lp(bytes(deal_id)), unhex(seed)]);
  return createHash('sha512').update(data).digest('hex');
}

function root({ seed, deal_id, ruleset, contributions }) {
  const head = [bytes('dragonhall-rng-v1'), lp(bytes(deal_id)), lp(bytes(ruleset))];
  const seats = uint(1, contributions.length);
  const parts = contributions.map((part) => lp(unhex(part)));
  return H(unhex(seed), Buffer.concat([...head, seats, ...parts])).toString('hex');
}

function* words(rootHex, label) {
  const key = H(unhex(rootHex), Buffer.concat([bytes('stream'), lp(bytes(label))]));
  for (let counter = 0; ; counter += 1) {
    const block = H(key, uint(4, counter));
    for (let at = 0; at < 64; at += 4) yield block.readUInt32BE(at);
  }
}

function below(stream, n) {
  const limit = TWO_32 - (TWO_32 % n);
  let word = stream.next().value;
  while (word >= limit) word = stream.next().value;
  return word % n;
}

function shuffle(stream, size) {
  const items = Array.from({ length: size }, (_, index) => index);
  for (let i = size - 1; i >= 1; i -= 1) {
    const j = below(stream, i + 1);
    [items[i], items[j]] = [items[j], items[i]];
  }
  return items;
}

const ANSWERS = {
  commitment,
  root,
  words: (ask) => {
    const stream = words(ask.root, ask.label);
    return Array.from({ length: ask.count }, () => stream.next().value);
  },
  below: (ask) => {
    const stream = words(ask.root, ask.label);
    return ask.ns.map((n) => below(stream, n));
  },
  shuffle: (ask) => shuffle(words(ask.root, ask.label), ask.size),
  deal: (ask) => shuffle(words(root(ask), ask.label), ask.size),
};

const asks = JSON.parse(readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(asks.map((ask) => ANSWERS[ask.do](ask))));

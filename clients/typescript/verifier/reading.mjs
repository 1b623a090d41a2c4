// Reads protobuf's JSON of dragonhall.v1 as the rules pages write things: cards, colours, spaces.

const LETTERS = {
  DWARF: "D", HUNTRESS: "H", FIRE_DRAGON: "F", TREASURE: "C", TROLL: "T",
  KNIGHT: "K", PETRIFIED_DRAGON: "P", SORCERESS: "S", SHIP: "V",
};
const FORMS = {
  DRAGONHEART_CARD_TYPE: (name) => LETTERS[name],
  DRAGONKEEPERS_COLOUR: (name) => name[0],
  DRAGONKEEPERS_SIDE: (name) => name.toLowerCase(),
  DRAGONKEEPERS_SLOT: (name) => name,
  DRAGONKEEPERS_ENDING: (name) => name,
  DRAGONKEEPERS_EDITION: (name) => name,
};

function readText(text) {
  const enumeration = Object.keys(FORMS).find((name) => text.startsWith(`${name}_`));
  return enumeration ? FORMS[enumeration](text.slice(enumeration.length + 1)) : text;
}

/** Reads a message, a list or a value; a card becomes a text such as D3, V, R|3 or G>W. */
export function read(json) {
  if (Array.isArray(json)) {
    return json.map(read);
  }
  if (typeof json === "string") {
    return readText(json);
  }
  if (typeof json !== "object") {
    return json;
  }
  if ("type" in json) {
    return `${readText(json.type)}${json.value ?? ""}`;
  }
  if ("front" in json) {
    const back = json.colour ? `>${readText(json.colour)}` : `|${json.number}`;
    return `${readText(json.front)}${back}`;
  }
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, read(value)]));
}

/** The name that the rules page of Dragonheart has for a letter. */
export function spaceName(letter) {
  return Object.keys(LETTERS).find((name) => LETTERS[name] === letter).toLowerCase();
}

/** Bytes, which JSON has in base64; an empty field is left out. */
export function bytes(text = "") {
  return Buffer.from(text, "base64");
}

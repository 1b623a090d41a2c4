// The games as the programs here play them.

import type { MessageInitShape } from "@bufbuild/protobuf";
import { DragonheartEdition } from "../gen/dragonhall/v1/dragonheart_pb.js";
import { DragonkeepersEdition } from "../gen/dragonhall/v1/dragonkeepers_pb.js";
import type { GameSetupSchema, Move } from "../gen/dragonhall/v1/game_pb.js";
import type { Luck } from "./luck.js";

/** What to create, and a way to play that is random but comes to an end soon. */
export interface Game {
  setup(luck: Luck): MessageInitShape<typeof GameSetupSchema>;
  choose(moves: Move[], luck: Luck): Move;
}

const dragonheart: Game = {
  setup: () => ({ game: { case: "dragonheart", value: { edition: DragonheartEdition.STANDARD } } }),
  choose(moves, luck) {
    const some = [luck.pick(moves), luck.pick(moves), luck.pick(moves)];
    return some.reduce((most, move) => (cardsOf(move) > cardsOf(most) ? move : most));
  },
};

function cardsOf({ game }: Move): number {
  return game.case === "dragonheart" ? game.value.cards.length : 0;
}

const dragonkeepers: Game = {
  setup(luck) {
    const edition = luck.pick([DragonkeepersEdition.SOURCE, DragonkeepersEdition.PUBLISHED]);
    return { game: { case: "dragonkeepers", value: { edition, seats: 2 + luck.below(3) } } };
  },
  choose(moves, luck) {
    const wanted = ["play", "take"].map((kind) => moves.filter((move) => kindOf(move) === kind));
    return luck.pick(wanted.find((some) => some.length > 0) ?? moves);
  },
};

function kindOf({ game }: Move): string | undefined {
  return game.case === "dragonkeepers" ? game.value.move.case : undefined;
}

export const GAMES: Record<string, Game> = { dragonheart, dragonkeepers };

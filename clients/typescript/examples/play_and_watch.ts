// Plays all seats of matches with random legal moves, watches each match at the same time and
// compares what the players did with what the spectator was told. With --out it writes for
// verifier/verify.mjs, as JSON, the replay of each match and what its readers were told.
//
//   node dist/examples/play_and_watch.js HOST:PORT
//       [--game dragonheart|dragonkeepers] [--matches N] [--out FILE] [--luck TEXT]
//
// The same --luck plays the same matches again: it chooses the moves, and then the seeds too.

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { toJson } from "@bufbuild/protobuf";
import type { Move } from "../gen/dragonhall/v1/game_pb.js";
import {
  EventSchema,
  MoveReason,
  OutcomeCause,
  Visibility,
  type Event,
} from "../gen/dragonhall/v1/match_pb.js";
import { GetReplayResponseSchema } from "../gen/dragonhall/v1/match_service_pb.js";
import { GAMES, type Game } from "./games.js";
import { Luck } from "./luck.js";
import { as, connect, newRequestId, newToken, type Matches } from "./player.js";
import { watchToTheEnd } from "./watcher.js";

const AT_ONCE = 4;
const START_SEATS = [undefined, 0, 1];

/** Creates a public match; returns its id and how many may sit down. */
async function create(
  matches: Matches,
  game: Game,
  luck: Luck,
  deal?: string,
): Promise<[string, number]> {
  const chosen = deal === undefined ? {} : { dealId: deal, seed: luck.bytes(64) };
  const { match } = await matches.createMatch({
    requestId: newRequestId(),
    token: newToken(),
    options: {
      setup: game.setup(luck),
      visibility: Visibility.PUBLIC,
      startSeat: luck.pick(START_SEATS),
    },
    ...chosen,
  });
  return [match!.matchId, match!.seats.length];
}

/** Takes the next open seat and returns the token that holds it. */
async function join(matches: Matches, matchId: string, contribution: Uint8Array): Promise<string> {
  const token = newToken();
  await matches.joinMatch({
    matchId,
    requestId: newRequestId(),
    token,
    playerName: "Node",
    contribution,
  });
  return token;
}

/** Plays all seats to the end and returns the versions that the moves made. */
async function play(
  matches: Matches,
  matchId: string,
  tokens: string[],
  choose: (moves: Move[]) => Move,
): Promise<bigint[]> {
  const versions: bigint[] = [];
  let seat = (await matches.getMatch({ matchId })).match?.seatToMove;
  while (seat !== undefined) {
    const holder = as(tokens[seat]!);
    const { version, moves } = await matches.listLegalMoves({ matchId }, holder);
    const move = choose(moves);
    const done = await matches.submitMove(
      { matchId, requestId: newRequestId(), expectedVersion: version, move },
      holder,
    );
    versions.push(done.version);
    seat = done.events.at(-1)?.seatToMove;
  }
  return versions;
}

/** Lists all that one seat was told of a match. */
async function told(matches: Matches, matchId: string, token: string): Promise<Event[]> {
  const events: Event[] = [];
  let pageToken = "";
  do {
    const page = await matches.listEvents({ matchId, pageToken }, as(token));
    events.push(...page.events);
    pageToken = page.nextPageToken;
  } while (pageToken);
  return events;
}

/** Throws unless the spectator was told of just these moves of players, and of the outcome last. */
function compare(played: bigint[], events: Event[]): void {
  const moves = events.filter(
    ({ body }) => body.case === "moveMade" && body.value.reason === MoveReason.PLAYER,
  );
  if (moves.map((event) => event.version).join() !== played.join()) {
    throw new Error("the moves that were watched are not those that were played");
  }
  if (events.at(-1)?.outcome?.cause !== OutcomeCause.COMPLETED) {
    throw new Error("the last event has no outcome of a match played to the end");
  }
}

/** Plays and watches one match; returns what the verifier needs of it. */
async function record(matches: Matches, game: Game, deal?: string) {
  const luck = new Luck(deal);
  const [matchId, seats] = await create(matches, game, luck, deal);
  let watching: Promise<Event[]> | undefined;
  await new Promise<void>((begun, failed) => {
    watching = watchToTheEnd(matches, matchId, begun);
    watching.catch(failed);
  });
  const tokens: string[] = [];
  while (tokens.length < seats) {
    tokens.push(await join(matches, matchId, luck.bytes(luck.below(65))));
  }
  const playing = play(matches, matchId, tokens, (moves) => game.choose(moves, luck));
  const [events, played] = await Promise.all([watching!, playing]);
  compare(played, events);
  console.log(`${matchId}: ${played.length} moves, version ${events.at(-1)!.version}`);
  const logs = [events, ...(await Promise.all(tokens.map((it) => told(matches, matchId, it))))];
  return {
    replay: toJson(GetReplayResponseSchema, await matches.getReplay({ matchId })),
    logs: logs.map((log) => log.map((event) => toJson(EventSchema, event))),
  };
}

/** Records so many matches, some of them at the same time. */
async function recordAll(matches: Matches, game: Game, count: number, luck?: string) {
  const records: Awaited<ReturnType<typeof record>>[] = [];
  for (let first = 0; first < count; first += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, i) =>
      record(matches, game, luck === undefined ? undefined : `${luck}-${first + i}`),
    );
    records.push(...(await Promise.all(batch)));
  }
  return records;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    game: { type: "string", default: "dragonheart" },
    matches: { type: "string", default: "1" },
    out: { type: "string" },
    luck: { type: "string" },
  },
});
const game = GAMES[values.game];
if (positionals.length !== 1 || !game) {
  const games = Object.keys(GAMES).join("|");
  console.error(`play_and_watch.js HOST:PORT [--game ${games}] [--matches N] [--out FILE] [--luck TEXT]`);
  process.exit(2);
}
const matches = connect(positionals[0]!);
const records = await recordAll(matches, game, Number(values.matches), values.luck);
if (values.out) {
  writeFileSync(values.out, JSON.stringify(records));
}

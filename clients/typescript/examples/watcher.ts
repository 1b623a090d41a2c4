// Watches a match as a spectator and proves what WatchMatch promises.

import type { Event } from "../gen/dragonhall/v1/match_pb.js";
import type { Matches } from "./player.js";

/**
 * Collects every event of a match that follows the watch's first snapshot, to the outcome.
 *
 * @param begun is called when the snapshot is there.
 * @throws Error if a version is missing, comes twice or out of order, or if history was rewound.
 */
export async function watchToTheEnd(
  matches: Matches,
  matchId: string,
  begun: () => void,
): Promise<Event[]> {
  const events: Event[] = [];
  let last = 0n;
  let resumeToken = "";
  while (!events.at(-1)?.outcome) {
    const before = resumeToken;
    for await (const message of matches.watchMatch({ matchId, resumeToken })) {
      resumeToken = message.resumeToken;
      switch (message.body.case) {
        case "snapshot":
          last = message.body.value.match!.version;
          begun();
          break;
        case "event":
          if (message.body.value.version !== last + 1n) {
            throw new Error(`version ${message.body.value.version} came after ${last}`);
          }
          last = message.body.value.version;
          events.push(message.body.value);
          break;
        case "reset":
          throw new Error("the server's history is not what it told before");
        case "superseded":
          throw new Error("somebody else watches with this token");
      }
    }
    if (resumeToken === before) {
      throw new Error("the watch ended before the match and brought nothing");
    }
  }
  return events;
}

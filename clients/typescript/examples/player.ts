// What every call of the programs here needs: a channel, tokens and request ids.

import { randomBytes } from "node:crypto";
import { createClient, type CallOptions, type Client } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { MatchService } from "../gen/dragonhall/v1/match_service_pb.js";

export type Matches = Client<typeof MatchService>;

/** Connects to a server at host:port, by gRPC over HTTP/2 without TLS. */
export function connect(target: string): Matches {
  return createClient(MatchService, createGrpcTransport({ baseUrl: `http://${target}` }));
}

/** Makes a token: the only proof of who you are, so keep it. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** Makes a request_id: a call sent again with the same one acts once. */
export function newRequestId(): string {
  return randomBytes(16).toString("hex");
}

/** The options of a call that is made as the holder of a token. */
export function as(token: string): CallOptions {
  return { headers: { authorization: `Bearer ${token}` } };
}

import type { IncomingMessage } from "node:http";
import { gunzipSync } from "node:zlib";
import { type BatchEntry, type Brand, parseJson, peekToken, readClaims } from "@muster/protocol";

/** A call of the REST API. */
export interface ReceivedCall {
  method: string;
  /** Path below `/api/v1`, without the query. */
  path: string;
  query: Record<string, string>;
  body: unknown;
}

/** An entry that a client sent to the gateway, with the claims of its token. */
export interface ReceivedEntry {
  type: string;
  body: Record<string, unknown>;
  subjectType: "user" | "account";
  asUser?: Record<string, string>;
  asAccount?: Record<string, string>;
}

export async function readBody(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks);
  const plain = incoming.headers["content-encoding"] === "gzip" ? gunzipSync(raw) : raw;
  return parseJson(plain.toString("utf8"));
}

/** The entries of a batch, in the form that tests compare. */
export function readEntries(brand: Brand, body: unknown): ReceivedEntry[] {
  const { batch } = body as { batch: BatchEntry[] };
  return batch.map(({ type, body: content, headers }) => {
    const claims = readClaims(brand, peekToken(headers[brand.headers.accessToken] ?? "") ?? {});
    if (typeof claims === "string") throw new Error(claims);
    const { subjectType, asUser, asAccount } = claims;
    return { type, body: content, subjectType, ...(asUser ? { asUser } : {}), ...(asAccount ? { asAccount } : {}) };
  });
}

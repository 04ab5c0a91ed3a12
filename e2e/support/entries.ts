import { type BatchEntry, createBrand, signToken } from "@muster/protocol";
import { connectorHeaders } from "./call-api.js";
import type { Credentials } from "./credentials.js";

const { headers: names, claims } = createBrand();

// The same for all tokens, so that a batch that is made again is the same batch.
const ISSUED_AT = Math.floor(Date.now() / 1_000);

/** A token of a connector for the user with an external id. */
export function userToken({ id, secret }: Credentials, externalId: string): string {
  return signToken(
    { iss: id, iat: ISSUED_AT, [claims.subjectType]: "user", [claims.asUser]: { external_id: externalId } },
    secret,
  );
}

/** An entry about the user with an external id. */
export function userEntry(
  credentials: Credentials,
  externalId: string,
  type: BatchEntry["type"],
  body: Record<string, unknown>,
): BatchEntry {
  const headers = { [names.accessToken]: userToken(credentials, externalId) };
  return { type, timestamp: new Date().toISOString(), headers, body };
}

/** Posts a batch to the gateway. */
export function postBatch(url: string, credentials: Credentials, batch: readonly BatchEntry[]): Promise<Response> {
  const now = new Date().toISOString();
  return fetch(`${url}/firehose`, {
    method: "POST",
    headers: { ...connectorHeaders(credentials), "content-type": "application/json" },
    body: JSON.stringify({ batch, timestamp: now, sentAt: now }),
  });
}

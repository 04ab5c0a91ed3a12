import { loadSegmentRecords } from "../deliveries/segment-records.js";
import type { Addresses } from "../domain/organizations/addresses.js";
import type { OutboundAnswer } from "../outbound/exchange.js";
import type { TrustedFetch } from "../outbound/trusted-fetch.js";
import type { Queryable } from "../storage/postgres/database.js";
import type { ListedConnector } from "./connector-directory.js";
import { fullConnectorRecord } from "./connector-record.js";
import { credentialedUrl } from "./connector-url.js";

export interface CallEndpointOptions {
  database: Queryable;
  fetch: TrustedFetch;
  addresses: Addresses;
  timeoutMs: number;
}

const MAX_ANSWER_BYTES = 5 * 1024 * 1024;

/** Calls an endpoint of a connector the way schedules, statuses and actions are: who it is in the query, all it needs in the body. */
export async function callEndpoint(
  { database, fetch, addresses, timeoutMs }: CallEndpointOptions,
  { connector, namespace }: Pick<ListedConnector, "connector" | "namespace">,
  path: string,
  { body = {}, signal }: { body?: Record<string, unknown>; signal?: AbortSignal } = {},
): Promise<OutboundAnswer & { content: string }> {
  const url = credentialedUrl(connector, addresses.organizationHost(namespace), path);
  const lists = await loadSegmentRecords(database, connector.organizationId);
  const answer = await fetch(url.href, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ connector: fullConnectorRecord(connector), ...lists, ...body }),
    timeoutMs,
    maxBytes: MAX_ANSWER_BYTES,
    ...(signal ? { signal } : {}),
  });
  return { ...answer, content: await answer.text() };
}

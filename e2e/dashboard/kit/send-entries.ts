import { type BatchAnswer, type BatchEntry, createBrand } from "@muster/protocol";
import { connectorHeaders } from "../../support/call-api.js";
import type { Credentials } from "../../support/credentials.js";
import type { Dashboard } from "./dashboard.js";

const { headers: names } = createBrand();

/** Sends entries in the name of a connector of the dashboard's organization. Some of them may be refused. */
export async function sendEntries(
  { url, organization }: Dashboard,
  connector: Credentials,
  batch: readonly BatchEntry[],
): Promise<BatchAnswer> {
  const now = new Date().toISOString();
  const answer = await fetch(`${url}/firehose`, {
    method: "POST",
    headers: {
      ...connectorHeaders(connector),
      [names.organization]: organization.namespace,
      "content-type": "application/json",
    },
    body: JSON.stringify({ batch, timestamp: now, sentAt: now }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`The gateway answered ${answer.status}: ${text}`);
  return JSON.parse(text) as BatchAnswer;
}

import { setTimeout as sleep } from "node:timers/promises";
import type { History } from "./history.js";
import type { Load } from "./load.js";
import type { Operator } from "./operator.js";
import type { Sender } from "./sender.js";

/** How long the last requests may take, and the last deliveries. */
const LIMIT_MS = 120_000;

interface DrainOptions {
  load: Load;
  sender: Sender;
  operator: Operator;
  connectorId: string;
  history: History;
  limitMs?: number;
}

/**
 * Waits until all requests are acknowledged, all records are searchable, and all messages are delivered. Returns what is
 * not delivered at the limit, which is two minutes unless told otherwise.
 */
export async function drain(options: DrainOptions): Promise<string[]> {
  const { load, sender, operator, connectorId, history, limitMs = LIMIT_MS } = options;
  const limit = setTimeout(() => sender.giveUp(), limitMs);
  await load.stop();
  clearTimeout(limit);
  history.note("all requests have ended");
  // Everything that was acknowledged before this record is searchable when this record is.
  const last = await sender.callAs("last", "/me/traits", "last", { is_last: true });
  if (last) await sender.waitFor(last.position);
  history.note("all records are searchable");
  const deadline = Date.now() + limitMs;
  // The evaluation of the last changes may queue messages.
  for (let quiet = 0; quiet < 3; await sleep(500)) {
    const { queued_messages: queued } = await operator.call<{ queued_messages: number }>(
      "GET",
      `/${connectorId}/delivery`,
    );
    quiet = queued === 0 ? quiet + 1 : 0;
    if (Date.now() > deadline) return [`${queued} messages still wait for the connector`];
  }
  history.note("the queue of the connector is empty");
  return [];
}

import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { signToken } from "@muster/protocol";
import { answerOrders } from "../lib/answer-orders.js";
import { postBatch } from "../lib/post-batch.js";
import { secondsSince } from "../lib/seconds-since.js";

/** An order to send the load of the notify benchmark: new users, each with a number. This module is a process of its own. */
export interface LoadOrder {
  url: string;
  connectorId: string;
  secret: string;
  first: number;
  users: number;
  batchSize: number;
  /** Users a second, or 0 for as many as the server accepts. */
  pace: number;
}

export interface LoadReport {
  /** For each batch: its first user, the number of users, and when it was acknowledged, in unix milliseconds. */
  acknowledged: [number, number, number][];
  seconds: number;
}

const CONNECTIONS = 8;
const RETRY_MS = 100;

answerOrders(run);

async function run(order: LoadOrder): Promise<LoadReport> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const acknowledged: LoadReport["acknowledged"] = [];
  const startedAt = performance.now();
  let next = 0;
  const connection = async () => {
    while (next < order.users) {
      const first = next;
      next += order.batchSize;
      const due = order.pace === 0 ? 0 : startedAt + (first / order.pace) * 1_000 - performance.now();
      if (due > 0) await sleep(due);
      const count = Math.min(order.batchSize, order.users - first);
      await sendUntilAcknowledged(agent, order, batchOf(order, order.first + first, count));
      acknowledged.push([order.first + first, count, Date.now()]);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  agent.destroy();
  return { acknowledged, seconds: secondsSince(startedAt) };
}

/** Sends the same batch again until it is acknowledged, as real clients do. */
async function sendUntilAcknowledged(agent: Agent, order: LoadOrder, body: string): Promise<void> {
  for (;;) {
    const receipt = await postBatch(agent, order, body).catch(() => undefined);
    if (receipt?.status === 200) return;
    await sleep(RETRY_MS);
  }
}

function batchOf({ connectorId, secret }: LoadOrder, first: number, count: number): string {
  const now = new Date().toISOString();
  const issued = { iss: connectorId, iat: Math.floor(Date.now() / 1_000), "io.svc.subjectType": "user" };
  const batch = Array.from({ length: count }, (_, index) => {
    const n = first + index;
    const email = `user-${n}@example.com`;
    return {
      type: "traits",
      timestamp: now,
      headers: {
        "Svc-Access-Token": signToken({ ...issued, "io.svc.asUser": { external_id: `user-${n}`, email } }, secret),
      },
      body: { n, first_name: "Ada", last_name: `Number ${n}`, plan: "pro", country: "FR", seats: n % 50, mrr: n % 500 },
    };
  });
  return JSON.stringify({ timestamp: now, sentAt: now, batch });
}

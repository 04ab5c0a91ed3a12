import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { signToken } from "@muster/protocol";

/** The load of the notify benchmark, in a process of its own: new users, each with a number. */
export interface LoadOrder {
  url: string;
  connectorId: string;
  secret: string;
  first: number;
  users: number;
  batchSize: number;
  /** Users a second, or 0 for as many as are taken. */
  pace: number;
}

export interface LoadReport {
  /** By batch: its first user, how many, and when it was acknowledged, in unix milliseconds. */
  acknowledged: [number, number, number][];
  seconds: number;
}

const CONNECTIONS = 8;
const RETRY_MS = 100;

process.on("message", (order: LoadOrder) => {
  run(order).then(
    (report) => process.send?.(report),
    (error) => {
      console.error(error);
      process.exit(1);
    },
  );
});

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
      await sendUntilTaken(agent, order, batchOf(order, order.first + first, count));
      acknowledged.push([order.first + first, count, Date.now()]);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  agent.destroy();
  return { acknowledged, seconds: (performance.now() - startedAt) / 1_000 };
}

/** As real clients do: the same batch again until it is acknowledged, whatever happened to the server. */
async function sendUntilTaken(agent: Agent, order: LoadOrder, body: string): Promise<void> {
  for (;;) {
    const status = await send(agent, order, body).catch(() => 0);
    if (status === 200) return;
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

function send(agent: Agent, { url, connectorId, secret }: LoadOrder, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(
      `${url}/firehose`,
      {
        method: "POST",
        agent,
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          "svc-organization": "default",
          "svc-app-id": connectorId,
          "svc-access-token": secret,
        },
      },
      (answer) => {
        answer.resume();
        answer.on("end", () => resolve(answer.statusCode ?? 0));
        answer.on("error", reject);
      },
    );
    call.on("error", reject);
    call.end(body);
  });
}

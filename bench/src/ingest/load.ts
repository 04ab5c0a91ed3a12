import { Agent, request } from "node:http";
import { percentile } from "../lib/percentile.js";
import { RecordMix } from "./records.js";

/** The load of the ingest benchmark, in a process of its own: batches over keep-alive connections. */
export interface LoadOrder {
  url: string;
  connectorId: string;
  secret: string;
  users: number;
  batchSize: number;
  connections: number;
  seconds: number;
  /** Most entries a second, or 0 for as many as are taken. */
  pace: number;
}

export interface LoadReport {
  entries: number;
  refused: number;
  seconds: number;
  position: string;
  p50Ms: number;
  p99Ms: number;
}

process.on("message", (order: LoadOrder) => {
  run(order).then(
    (report) => process.send?.(report),
    (error) => {
      console.error(error);
      process.exit(1);
    },
  );
});

// Mixes are kept, so that the tokens of a user are signed once.
let mix: RecordMix | undefined;

async function run(order: LoadOrder): Promise<LoadReport> {
  mix ??= new RecordMix(order);
  const agent = new Agent({ keepAlive: true, maxSockets: order.connections });
  const latencies: number[] = [];
  const startedAt = performance.now();
  const deadline = startedAt + order.seconds * 1_000;
  let entries = 0;
  let refused = 0;
  let position = "";
  const connection = async () => {
    while (performance.now() < deadline) {
      if (order.pace > 0) {
        const due = startedAt + (entries / order.pace) * 1_000;
        entries += order.batchSize;
        const wait = due - performance.now();
        if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      } else entries += order.batchSize;
      const body = mix!.batch(order.batchSize);
      const sentAt = performance.now();
      const answer = await send(agent, order, body);
      latencies.push(performance.now() - sentAt);
      if (answer.status === 200) position = later(position, answer.position);
      else {
        entries -= order.batchSize;
        refused += order.batchSize;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  };
  await Promise.all(Array.from({ length: order.connections }, connection));
  agent.destroy();
  return {
    entries,
    refused,
    seconds: (performance.now() - startedAt) / 1_000,
    position,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };
}

function later(one: string, other: string): string {
  return Number(one.slice(1)) > Number(other.slice(1)) ? one : other;
}

function send(agent: Agent, order: LoadOrder, body: string): Promise<{ status: number; position: string }> {
  return new Promise((resolve, reject) => {
    const call = request(
      `${order.url}/firehose`,
      {
        method: "POST",
        agent,
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          "svc-organization": "default",
          "svc-app-id": order.connectorId,
          "svc-access-token": order.secret,
        },
      },
      (answer) => {
        answer.resume();
        answer.on("end", () =>
          resolve({ status: answer.statusCode ?? 0, position: String(answer.headers["svc-position"] ?? "") }),
        );
        answer.on("error", reject);
      },
    );
    call.on("error", reject);
    call.end(body);
  });
}

import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { CallMix } from "../dataset/calls.js";
import { RecordMix } from "../dataset/records.js";
import { answerOrders } from "../lib/answer-orders.js";
import { percentile } from "../lib/percentile.js";
import { postBatch, postCalls } from "../lib/post-batch.js";
import { secondsSince } from "../lib/seconds-since.js";
import { type Moment, Timeline } from "./timeline.js";

/** An order to send the load of the ingest benchmark: batches over keep-alive connections. This module is a process of its own. */
export interface LoadOrder {
  url: string;
  connectorId: string;
  secret: string;
  users: number;
  batchSize: number;
  connections: number;
  seconds: number;
  /** Most entries a second, or 0 for as many as the server accepts. */
  pace: number;
  /** Sends the records as analytics calls with this key instead. */
  writeKey?: string;
}

export interface LoadReport {
  entries: number;
  refused: number;
  seconds: number;
  position: string;
  p50Ms: number;
  p99Ms: number;
  timeline: Moment[];
}

answerOrders(run);

const RETRY_MS = 200;

// One mix of each kind serves all orders, so that the token of each user is signed only once.
let records: RecordMix | undefined;
let calls: CallMix | undefined;

async function run(order: LoadOrder): Promise<LoadReport> {
  const { writeKey } = order;
  records ??= new RecordMix(order);
  calls ??= new CallMix(order);
  const mix = writeKey === undefined ? records : calls;
  const send = (body: string) =>
    writeKey === undefined ? postBatch(agent, order, body) : postCalls(agent, { url: order.url, writeKey }, body);
  const agent = new Agent({ keepAlive: true, maxSockets: order.connections });
  const latencies: number[] = [];
  const timeline = new Timeline();
  const startedAt = performance.now();
  const deadline = startedAt + order.seconds * 1_000;
  let entries = 0;
  let refused = 0;
  let position = "";
  const connection = async () => {
    while (performance.now() < deadline) {
      const due = startedAt + (entries / order.pace) * 1_000;
      entries += order.batchSize;
      if (order.pace > 0) await sleep(Math.max(0, due - performance.now()));
      const body = mix.batch(order.batchSize);
      // With a pace, the time counts from when the batch was due: waiting for a free connection is part of it.
      let sentAt = order.pace > 0 ? due : performance.now();
      // A batch that is refused is sent again as it is, as the client libraries do.
      for (;;) {
        const answer = await send(body);
        const tookMs = performance.now() - sentAt;
        latencies.push(tookMs);
        if (answer.status === 200) {
          timeline.note(performance.now() - startedAt, tookMs, order.batchSize);
          position = later(position, answer.position);
          break;
        }
        refused += order.batchSize;
        await sleep(RETRY_MS);
        sentAt = performance.now();
        if (sentAt >= deadline) {
          entries -= order.batchSize;
          break;
        }
      }
    }
  };
  await Promise.all(Array.from({ length: order.connections }, connection));
  agent.destroy();
  return {
    entries,
    refused,
    seconds: secondsSince(startedAt),
    position,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    timeline: timeline.moments(),
  };
}

/** The later of two positions. */
function later(one: string, other: string): string {
  return Number(one.slice(1)) > Number(other.slice(1)) ? one : other;
}

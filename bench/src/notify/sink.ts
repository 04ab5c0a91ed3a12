import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * An order to the sink: a connector that notes when it first received each user. This module is a process of its own:
 * `sink.js [MANNER]`.
 */
export type SinkOrder = { ask: "count" } | { ask: "receipts" };

export interface SinkCount {
  messages: number;
  distinct: number;
}

export interface SinkReceipts extends SinkCount {
  /** The number of each user, and when its first message arrived, in unix milliseconds. */
  receivedAt: [number, number][];
  calls: number;
}

const MANIFEST = {
  name: "Sink",
  version: "1.0.0",
  tags: ["smart-notifier"],
  settings_sections: [],
  subscriptions: [{ url: "/notify", conditions: { channels: { only: ["user:update"] } } }],
};

/** How a sink answers: at once, slowly, or mostly with failures. */
export type Manner = "fast" | "slow" | "broken";

const FAST = { type: "next", size: 500, in: 0 };
const SLOW = { type: "next", size: 10, in: 1_000 };
const RETRY = { type: "retry", in: 50 };

const manner = (process.argv[2] ?? "fast") as Manner;

const receivedAt = new Map<number, number>();
let messages = 0;
let calls = 0;

const server = createServer(async (request, response) => {
  if (request.url === "/manifest.json") {
    response.end(JSON.stringify(MANIFEST));
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const now = Date.now();
  const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as { messages: { user: { traits_n?: number } }[] };
  calls++;
  for (const { user } of body.messages) {
    messages++;
    if (user.traits_n !== undefined && !receivedAt.has(user.traits_n)) receivedAt.set(user.traits_n, now);
  }
  answer(response);
});

function answer(response: ServerResponse): void {
  const send = (flow: object) =>
    response.setHeader("content-type", "application/json").end(JSON.stringify({ flow_control: flow }));
  if (manner === "fast") send(FAST);
  else if (manner === "slow") send(SLOW);
  else if (calls % 3 === 0) send(RETRY);
  else if (calls % 3 === 1) response.writeHead(500).end("broken");
  // Every third call of a broken sink gets no answer.
}

server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));

process.on("message", ({ ask }: SinkOrder) => {
  const count: SinkCount = { messages, distinct: receivedAt.size };
  process.send?.(ask === "count" ? count : { ...count, calls, receivedAt: [...receivedAt] });
});

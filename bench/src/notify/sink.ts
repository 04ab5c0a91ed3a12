import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A connector that takes whatever it is told, in a process of its own, and notes when it first heard of each user. */
export type SinkOrder = { ask: "count" } | { ask: "receipts" };

export interface SinkCount {
  messages: number;
  distinct: number;
}

export interface SinkReceipts extends SinkCount {
  /** By the number of the user: when it was first told of, in unix milliseconds. */
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

const ANSWER = JSON.stringify({ flow_control: { type: "next", size: 500, in: 0 } });

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
  response.setHeader("content-type", "application/json").end(ANSWER);
});

server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));

process.on("message", ({ ask }: SinkOrder) => {
  const count: SinkCount = { messages, distinct: receivedAt.size };
  process.send?.(ask === "count" ? count : { ...count, calls, receivedAt: [...receivedAt] });
});

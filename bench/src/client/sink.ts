import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

/**
 * A gateway that takes every library's batches, reads them as a server would, and counts which calls arrived.
 * All of them post `{batch: [...]}`; a call carries its number in the property `n`.
 */
export interface SinkCount {
  arrived: number;
  doubled: number;
  requests: number;
  bytes: number;
}

interface SentEntry {
  properties?: { n?: number };
  body?: { properties?: { n?: number } };
}

let seen = new Set<number>();
let count: SinkCount = { arrived: 0, doubled: 0, requests: 0, bytes: 0 };

function take(entry: SentEntry): void {
  const n = (entry.body ?? entry).properties?.n;
  if (n === undefined) return;
  if (seen.has(n)) count.doubled += 1;
  else count.arrived += 1;
  seen.add(n);
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const raw = Buffer.concat(chunks);
    const isGzipped = raw[0] === 0x1f && raw[1] === 0x8b;
    const body = JSON.parse((isGzipped ? gunzipSync(raw) : raw).toString("utf8")) as { batch?: SentEntry[] };
    count.requests += 1;
    count.bytes += raw.length;
    for (const entry of body.batch ?? []) take(entry);
    response.setHeader("Content-Type", "application/json");
    response.end(
      JSON.stringify({ status: 1, position: String(count.arrived), accepted: body.batch?.length, rejected: [] }),
    );
  });
});

// Asked for a count, the sink answers and starts again from nothing.
process.on("message", () => {
  process.send?.(count);
  seen = new Set();
  count = { arrived: 0, doubled: 0, requests: 0, bytes: 0 };
});

server.listen(0, "127.0.0.1", () => {
  // `address()` is a string only for pipes.
  const { port } = server.address() as AddressInfo;
  process.send?.({ port });
});

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

/**
 * What the sink counted. The sink is a gateway that accepts the batches of every library, reads them as a server would, and
 * counts which calls arrived. All libraries post `{batch: [...]}`, and a call has its number in the property `n`.
 */
export interface SinkCount {
  arrived: number;
  repeated: number;
  requests: number;
  bytes: number;
}

interface SentEntry {
  properties?: { n?: number };
  body?: { properties?: { n?: number } };
}

let seen = new Set<number>();
let count: SinkCount = { arrived: 0, repeated: 0, requests: 0, bytes: 0 };

function take(entry: SentEntry): void {
  const n = (entry.body ?? entry).properties?.n;
  if (n === undefined) return;
  if (seen.has(n)) count.repeated += 1;
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

// The sink answers every message with its count, and starts to count again from zero.
process.on("message", () => {
  process.send?.(count);
  seen = new Set();
  count = { arrived: 0, repeated: 0, requests: 0, bytes: 0 };
});

server.listen(0, "127.0.0.1", () => {
  // `address()` is a string only for pipes.
  const { port } = server.address() as AddressInfo;
  process.send?.({ port });
});

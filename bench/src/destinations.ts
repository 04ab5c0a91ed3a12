import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { DestinationThreads } from "@muster/destinations";
import type { BenchOptions } from "./lib/bench.js";
import type { BenchResult } from "./lib/bench-result.js";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));
const MESSAGES = 2_000;
/** As many as a connector gets in a call. */
const CALL_SIZE = 100;
const IN_USE = 20;
const MB = 1024 * 1024;

/** How many messages a second go through a destination to a service on this machine, and what destinations in use cost in memory. */
export async function run({ scale }: BenchOptions): Promise<BenchResult> {
  const folder = installation();
  const sink = createServer((request, response) => {
    request.resume().on("end", () => response.end("{}"));
  });
  sink.listen(0, "127.0.0.1");
  await once(sink, "listening");
  // `address()` is a string only for pipes.
  const { port } = sink.address() as AddressInfo;
  const thread = new URL("../../apps/server/bundle/destination-thread.js", import.meta.url);
  const threads = new DestinationThreads({
    folder,
    start: (data, resourceLimits) =>
      new Worker(thread, { workerData: { ...data, allowPrivateNetwork: true }, resourceLimits }),
  });
  try {
    const idle = process.memoryUsage().rss;
    const url = `http://127.0.0.1:${port}/`;
    await send(threads, url, false, CALL_SIZE);
    const withOne = process.memoryUsage().rss;
    const single = await send(threads, url, false, Math.ceil(MESSAGES * scale));
    const batched = await send(threads, url, true, Math.ceil(MESSAGES * scale) * 5);
    const names = readdirSync(join(folder, "records")).map((file) => file.replace(/\.json$/, ""));
    for (const name of names.slice(0, IN_USE)) {
      await threads.call(name, "preview", { account: { connectorId: "bench" }, mappings: [], events: [] });
    }
    const withMany = process.memoryUsage().rss;
    return {
      about: "webhook destination, to a service on this machine",
      tables: [
        {
          headings: ["destinations", "measured"],
          rows: [
            ["one call for each message", `${single.toFixed(0)} messages/s`],
            [`batches of ${CALL_SIZE}`, `${batched.toFixed(0)} messages/s`],
            ["the first destination in use adds", `${((withOne - idle) / MB).toFixed(0)} MB`],
            [`${IN_USE} more add`, `${((withMany - withOne) / MB).toFixed(0)} MB`],
          ],
        },
      ],
    };
  } finally {
    await threads.close();
    sink.close();
  }
}

/** Sends messages in calls like those of a connector. Returns how many a second. */
async function send(threads: DestinationThreads, url: string, isBatched: boolean, count: number): Promise<number> {
  const fields = { url, method: "POST", data: { "@path": "$.properties" }, enable_batching: isBatched };
  const mapping = { id: "m", name: "m", action: "send", enabled: true, trigger: 'type = "track"', fields };
  const account = { connectorId: "bench", settings: {}, secrets: [] };
  const startedAt = performance.now();
  for (let sent = 0; sent < count; sent += CALL_SIZE) {
    const items = Array.from({ length: CALL_SIZE }, (_each, index) => {
      const time = new Date().toISOString();
      const properties = { order: sent + index, total: 12.5 };
      return {
        subject: `user-${index}`,
        event: {
          type: "track" as const,
          event: "Order placed",
          messageId: `message-${sent + index}`,
          userId: `user-${index}`,
          timestamp: time,
          sentAt: time,
          receivedAt: time,
          properties,
          context: {},
          integrations: {},
        },
        done: [],
      };
    });
    const outcomes = await threads.call("webhook", "deliver", { account, mappings: [mapping], items });
    const failed = outcomes.flat().find(({ outcome }) => outcome.kind !== "accepted");
    if (failed) throw new Error(`A message was not accepted: ${failed.outcome.reason}`);
  }
  return count / ((performance.now() - startedAt) / 1_000);
}

/** The cache of `npm run test:destinations`. */
function installation(): string {
  const cache = join(REPOSITORY, ".cache/destinations");
  const [newest] = readdirSync(cache).filter((name) => /^[0-9a-f]+$/.test(name));
  if (newest === undefined) throw new Error("Run `npm run test:destinations` first: it installs the package.");
  return join(cache, newest);
}

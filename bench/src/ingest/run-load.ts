import type { Child } from "../lib/child.js";
import { secondsSince } from "../lib/seconds-since.js";
import type { RunningServer } from "../lib/start-server.js";
import { waitForPosition } from "../lib/wait-for-position.js";
import type { LoadOrder, LoadReport } from "./load.js";

const USERS = 100_000;

/** Sends a load, and waits until all of it is searchable. */
export async function runLoad(
  server: RunningServer,
  load: Child,
  order: Pick<LoadOrder, "batchSize" | "seconds" | "pace">,
): Promise<{ entries: number; elapsed: number }> {
  const { url, connectorId, secret } = server;
  const startedAt = performance.now();
  load.send({ url, connectorId, secret, users: USERS, connections: 8, ...order } satisfies LoadOrder);
  const { entries, position } = await load.next<LoadReport>();
  await waitForPosition(server, position);
  return { entries, elapsed: secondsSince(startedAt) };
}

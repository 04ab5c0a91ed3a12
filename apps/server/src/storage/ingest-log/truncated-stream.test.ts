// @module-tag long
import { randomBytes } from "node:crypto";
import { createId } from "@muster/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { canTest } from "../../../../../testing/can-test.js";
import { HAS_NATS, type NatsNodes, NO_NATS, startNats } from "../../../../../testing/start-nats.js";
import type { Entry } from "../../domain/entries/entry.js";
import { LANE } from "../../domain/entries/lanes.js";
import { openTestDatabase } from "../../testing/test-database.js";
import type { Database } from "../postgres/database.js";
import { readApplyCursors, saveApplyCursor } from "../postgres/ingest/apply-cursors.js";
import { createPartitions } from "../postgres/partitions.js";
import { compressEntries, decompressEntries } from "./compressed-entries.js";
import type { LogBatch } from "./log-batch.js";
import type { TruncatedStream } from "./log-home.js";
import { LogStreams } from "./nats/log-streams.js";
import { NatsClient } from "./nats/nats-client.js";
import { closeHome } from "./postgres/log-homes.js";
import { CLOSED_MS, RoutedLog } from "./routed/routed-log.js";

const PATIENTLY = { timeout: 30_000, interval: 100 };
const lane = LANE.live;

describe.runIf(canTest(HAS_NATS, NO_NATS))("a stream that has lost its end", () => {
  let database: Database;
  let nats: NatsNodes;
  let opened: RoutedLog[];
  let truncated: TruncatedStream[];
  let organizationId: string;

  beforeEach(async () => {
    database = await openTestDatabase();
    await createPartitions(database, new Date());
    nats = await startNats();
    opened = [];
    truncated = [];
    organizationId = createId("organization");
  });
  afterEach(async () => {
    await Promise.all(opened.map((log) => log.close()));
    await database.close();
    await nats.close();
  });

  /** The log as another process has it. */
  function open(): RoutedLog {
    const client = new NatsClient({ url: nats.url, name: "test", onUnavailable() {}, onLost() {}, onConnected() {} });
    const log = new RoutedLog({
      database,
      client,
      streams: new LogStreams({ client, count: 1, replicas: 1 }),
      onTruncated: (stream) => truncated.push(stream),
      onProblem() {},
    });
    opened.push(log);
    return log;
  }

  const append = async (log: RoutedLog, ...names: string[]) =>
    (await log.append(organizationId, [batch(...names)]))[0]!.positions[lane]!;

  /** Appends as a sender does, who tries again while NATS is away. */
  async function appended(log: RoutedLog, ...names: string[]): Promise<number> {
    let position = 0;
    await expect
      .poll(async () => {
        position = await append(log, ...names).catch(() => 0);
        return position;
      }, PATIENTLY)
      .toBeGreaterThan(0);
    return position;
  }

  async function applyAll(log: RoutedLog, maxEntries = 1_000): Promise<unknown[]> {
    const names: unknown[] = [];
    for (;;) {
      const step = await database.transaction(async (tx) => {
        const [before] = await readApplyCursors(tx, organizationId, [lane]);
        const heads = await log.knownHeads(tx, organizationId);
        if (!before || (heads[lane] ?? 0) <= before.position) return [];
        const batches = await log.read(tx, organizationId, lane, before, { maxEntries, maxBytes: 1e6 });
        const last = batches.at(-1)!;
        const entries = batches.flatMap(decompressEntries).slice(before.offset);
        const after = { lane, position: last.position, offset: 0, receivedAt: last.receivedAt };
        await saveApplyCursor(tx, organizationId, before, after, entries.length);
        return entries.map(({ body }) => body.name);
      });
      if (step.length === 0) return names;
      names.push(...step);
    }
  }

  async function keepCopy(): Promise<void> {
    await nats.kill(0);
    await nats.copyStore(0);
    await nats.start(0);
  }

  async function loseEnd(): Promise<void> {
    await nats.kill(0);
    await nats.restoreStore(0);
    await nats.start(0);
  }

  const refusal = (log: RoutedLog) =>
    append(log, "refused").then(
      () => "accepted",
      (error: unknown) => String(error),
    );

  /** Begins the renewal as if it was asked for long ago, so that no test waits for it. */
  async function renew(log: RoutedLog): Promise<void> {
    await closeHome(database, organizationId, 1, "nats");
    await database.query("update log_placements set closing_at = closing_at - $1 * interval '1 millisecond'", [
      CLOSED_MS + 1_000,
    ]);
    await log.renew(organizationId);
  }

  test("nothing is acknowledged at a position that was given before, by any process, and it is told once", async () => {
    const log = open();
    await append(log, "kept");
    await keepCopy();
    const last = await appended(log, "applied");
    await log.noteHeads();
    expect(await applyAll(log)).toEqual(["kept", "applied"]);
    await loseEnd();
    const other = open();
    await expect.poll(() => refusal(other), PATIENTLY).toContain("has lost its last records");
    await expect.poll(() => refusal(log), PATIENTLY).toContain("has lost its last records");
    await log.noteHeads();
    expect(truncated).toMatchObject([{ name: "MUSTER_LOG_0", found: 1, known: expect.any(Number) }]);
    await renew(log);
    const next = await appended(other, "after");
    expect(next).toBeGreaterThan(last);
    await log.noteHeads();
    expect(await applyAll(log)).toEqual(["after"]);
    expect(await applyAll(other)).toEqual([]);
  }, 60_000);

  test("records that were lost before they were applied are not said to be searchable, and all others are applied", async () => {
    const log = open();
    const kept = await append(log, "kept");
    await keepCopy();
    const lost = [await appended(log, "lost 1"), await appended(log, "lost 2")];
    await loseEnd();
    await expect.poll(() => refusal(log), PATIENTLY).toContain("has lost its last records");
    await renew(log);
    const next = await appended(log, "after");
    await log.noteHeads();
    const other = open();
    expect(await applyAll(other)).toEqual(["kept", "after"]);
    const lacks = (position: number) => log.lacks(organizationId, { [lane]: position });
    expect(await Promise.all([kept, ...lost, next].map(lacks))).toEqual([false, true, true, false]);
  }, 60_000);

  test("the rest of a lost batch is not taken from the batch that has its place now", async () => {
    const log = open();
    await append(log, "kept");
    await keepCopy();
    await appended(log, "1", "2", "3");
    await log.noteHeads();
    // The first entry of the second batch is applied.
    await database.transaction(async (tx) => {
      const [before] = await readApplyCursors(tx, organizationId, [lane]);
      const [first] = await log.read(tx, organizationId, lane, before!, { maxEntries: 1, maxBytes: 1 });
      const begun = { lane, position: first!.position, offset: 1, receivedAt: first!.receivedAt };
      await saveApplyCursor(tx, organizationId, before!, begun, 2);
    });
    await database.transaction(async (tx) => {
      const [begun] = await readApplyCursors(tx, organizationId, [lane]);
      await log.read(tx, organizationId, lane, begun!, { maxEntries: 1, maxBytes: 1 }).catch(() => {});
    });
    await loseEnd();
    await expect.poll(() => refusal(log), PATIENTLY).toContain("has lost its last records");
    await renew(log);
    await appended(log, "a", "b", "c");
    await log.noteHeads();
    const other = open();
    expect(await applyAll(other)).toEqual(["a", "b", "c"]);
  }, 60_000);
});

function batch(...names: string[]): LogBatch {
  const shared = { type: "traits", at: 0, connectorId: "c", subject: "user", create: true, active: false } as const;
  const entries: Entry[] = names.map((name) => ({ ...shared, body: { name } }));
  const payload = compressEntries(Buffer.from(JSON.stringify(entries)));
  const parts = [{ lane, entryCount: names.length, payload }];
  return { connectorId: "c", receivedAt: new Date(), digest: randomBytes(32), parts, answer: "" };
}

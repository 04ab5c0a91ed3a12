import { HOUR_MS } from "@muster/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Entry } from "../../../domain/entries/entry.js";
import { LANE } from "../../../domain/entries/lanes.js";
import { openTestDatabase } from "../../../testing/test-database.js";
import { LogGap } from "../../logs/log-gap.js";
import type { Database } from "../../postgres/database.js";
import { createPartitions } from "../../postgres/partitions.js";
import { compressEntries } from "../compressed-entries.js";
import { appendBatches, readBatches } from "./ingest-log.js";

const NOW = Date.UTC(2026, 5, 15, 12);

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
  await createPartitions(database, new Date(NOW));
});
afterAll(() => database.close());

const entry = { type: "traits", at: 0, connectorId: "c", subject: "user", create: true, active: false } as const;

/** Appends a batch with one entry for each time, as a process whose clock shows that time. */
async function append(organizationId: string, ...times: number[]): Promise<void> {
  for (const time of times) {
    const entries: Entry[] = [{ ...entry, body: { time } }];
    await appendBatches(database, organizationId, [
      {
        connectorId: "c",
        receivedAt: new Date(time),
        digest: undefined,
        parts: [{ lane: LANE.live, entryCount: 1, payload: compressEntries(Buffer.from(JSON.stringify(entries))) }],
        answer: "",
      },
    ]);
  }
}

function read(organizationId: string, position: number, receivedAt: number, maxEntries = 100) {
  const limits = { maxEntries, maxBytes: 1_000_000 };
  return readBatches(database, organizationId, LANE.live, { position, receivedAt: new Date(receivedAt) }, limits);
}

test("batches are found by their positions, also when the clock has stepped back by hours or into another day", async () => {
  await append("back", NOW, NOW - 5 * HOUR_MS, NOW - 30 * HOUR_MS, NOW);
  const positions = async (after: number, receivedAt: number) =>
    (await read("back", after, receivedAt)).map(({ position }) => position);
  expect(await positions(1, NOW)).toEqual([2, 3, 4]);
  expect(await positions(2, NOW)).toEqual([3, 4]);
});

test("batches are found after the clock ran days ahead and was set right", async () => {
  await append("ahead", NOW, NOW + 120 * HOUR_MS, NOW, NOW);
  const found = await read("ahead", 2, NOW + 120 * HOUR_MS);
  expect(found.map(({ position }) => position)).toEqual([3, 4]);
});

test("batches before a hidden one are read first, and then the hidden one", async () => {
  await append("between", NOW, NOW, NOW - 5 * HOUR_MS, NOW);
  expect((await read("between", 1, NOW)).map(({ position }) => position)).toEqual([2]);
  expect((await read("between", 2, NOW)).map(({ position }) => position)).toEqual([3, 4]);
});

test("a missing position is an error that names the log and the position, and nothing after it is read", async () => {
  await append("gap", NOW, NOW, NOW);
  await database.query("delete from ingest_log where organization_id = 'gap' and position = 2");
  expect((await read("gap", 0, NOW)).map(({ position }) => position)).toEqual([1]);
  await expect(read("gap", 1, NOW)).rejects.toThrow(LogGap);
  await expect(read("gap", 1, NOW)).rejects.toThrow("Position 2 of the ingestion log, lane l, is missing");
});

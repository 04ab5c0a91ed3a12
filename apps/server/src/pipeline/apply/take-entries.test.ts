import { expect, test } from "vitest";
import type { Entry } from "../../domain/entries/entry.js";
import { LANE } from "../../domain/entries/lanes.js";
import { compressEntries } from "../../storage/ingest-log/compressed-entries.js";
import type { Transaction } from "../../storage/postgres/database.js";
import type { ApplyCursor } from "../../storage/postgres/ingest/apply-cursors.js";
import { BatchBuffer } from "../buffers/batch-buffer.js";
import { takeEntries } from "./take-entries.js";

const ORGANIZATION = "org";

/** Fails when it is asked, because all batches of these tests are in the buffer. */
const NO_LOG = { read: () => Promise.reject(new Error("The log was read.")) };
// Only the log would use it.
const NO_TRANSACTION = {} as Transaction;

function entry(name: string, quiet: boolean): Entry {
  const shared = { type: "traits", at: 0, connectorId: "c", subject: "user", create: true, active: false } as const;
  return { ...shared, body: { name }, ...(quiet ? { quiet } : {}) };
}

/** Entries as a row of the log holds them. */
function compressed(entries: Entry[]) {
  return { entryCount: entries.length, payload: compressEntries(Buffer.from(JSON.stringify(entries))) };
}

function bufferOf(...batches: { names: string[]; quiet?: boolean; bytes?: number }[]): BatchBuffer {
  const buffer = new BatchBuffer();
  buffer.open();
  const parts = batches.map(({ names, quiet = false, bytes = 100 }, index) => {
    const entries = names.map((name) => entry(name, quiet));
    return {
      lane: LANE.live,
      batch: { position: index + 1, receivedAt: new Date(index), ...compressed(entries), bytes },
    };
  });
  buffer.put(ORGANIZATION, parts);
  return buffer;
}

const BEGIN: ApplyCursor = { lane: LANE.live, position: 0, offset: 0, receivedAt: Number.NEGATIVE_INFINITY };

async function take(buffer: BatchBuffer, maxEntries: number, cursor = BEGIN) {
  const taken = await takeEntries(NO_TRANSACTION, { log: NO_LOG, batchBuffer: buffer }, ORGANIZATION, [cursor], {
    lane: LANE.live,
    maxEntries,
  });
  return { names: taken.entries.map(({ body }) => body.name), cursor: taken.cursor };
}

test("entries of several batches are taken together", async () => {
  const { names, cursor } = await take(bufferOf({ names: ["a", "b"] }, { names: ["c"] }), 10);
  expect(names).toEqual(["a", "b", "c"]);
  expect(cursor).toEqual({ lane: LANE.live, position: 2, offset: 0, receivedAt: new Date(1) });
});

test("a batch that does not fit is taken in parts, and the cursor says how far", async () => {
  const buffer = bufferOf({ names: ["a", "b", "c"] }, { names: ["d"] });
  const first = await take(buffer, 2);
  expect(first).toMatchObject({ names: ["a", "b"], cursor: { position: 0, offset: 2 } });
  const second = await take(buffer, 2, first.cursor);
  expect(second).toMatchObject({ names: ["c", "d"], cursor: { position: 2, offset: 0 } });
});

test("quiet batches are not taken together with others", async () => {
  const buffer = bufferOf({ names: ["a"] }, { names: ["b"], quiet: true }, { names: ["c"], quiet: true });
  const first = await take(buffer, 10);
  expect(first.names).toEqual(["a"]);
  expect((await take(buffer, 10, first.cursor)).names).toEqual(["b", "c"]);
});

test("batches are taken together until they are large, and a large one is taken alone", async () => {
  const half = 1_200_000;
  const buffer = bufferOf({ names: ["a"], bytes: half }, { names: ["b"], bytes: half }, { names: ["c"], bytes: half });
  const first = await take(buffer, 10);
  expect(first.names).toEqual(["a", "b"]);
  expect((await take(buffer, 10, first.cursor)).names).toEqual(["c"]);
});

/** A batch of entries with 1,500 values each. */
function wideBatch(position: number, count: number) {
  const attributes = Object.fromEntries(Array.from({ length: 1_500 }, (_, index) => [`a${index}`, 1]));
  const entries = Array.from({ length: count }, (_, index) => {
    return { ...entry("", false), body: { name: String(index), ...attributes } };
  });
  return { lane: LANE.live, batch: { position, receivedAt: new Date(0), ...compressed(entries), bytes: 100 } };
}

test("entries with many values are taken in small parts", async () => {
  const buffer = bufferOf();
  buffer.put(ORGANIZATION, [wideBatch(1, 30)]);
  const first = await take(buffer, 4_000);
  expect(first.names).toHaveLength(27);
  expect(first.cursor).toMatchObject({ position: 0, offset: 27 });
});

test("batches after the last one that is needed stay compressed", async () => {
  const buffer = bufferOf();
  const unreadable = { position: 2, receivedAt: new Date(0), entryCount: 1, payload: Buffer.from("?"), bytes: 1 };
  buffer.put(ORGANIZATION, [wideBatch(1, 27), { lane: LANE.live, batch: unreadable }]);
  const taken = await take(buffer, 4_000);
  expect(taken.names).toHaveLength(27);
  expect(taken.cursor).toMatchObject({ position: 1, offset: 0 });
});

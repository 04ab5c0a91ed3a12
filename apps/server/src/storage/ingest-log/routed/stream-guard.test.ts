import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createId } from "@muster/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openTestDatabase } from "../../../testing/test-database.js";
import type { Database } from "../../postgres/database.js";
import { skipTo } from "../../postgres/ingest/apply-cursors.js";
import type { LogBatch } from "../log-batch.js";
import type { LogHome, TruncatedStream } from "../log-home.js";
import type { PublishedBatch } from "../nats/publish-batches.js";
import { placeInStream } from "../postgres/log-homes.js";
import { receiptsIn } from "../postgres/part-receipts.js";
import { StreamGuard } from "./stream-guard.js";

const organizationId = createId("organization");
const stream = { name: "MUSTER_LOG_0", created: "2026-11-18T00:00:00Z", base: 0, afterSequence: 0 };
const home: LogHome & { stream: typeof stream } = { number: 1, stream, closingAt: undefined, until: undefined };

let database: Database;
let truncated: TruncatedStream[];
let guard: StreamGuard;
let lastSequence: number;

beforeEach(async () => {
  database = await openTestDatabase();
  await placeInStream(database, organizationId, stream);
  truncated = [];
  guard = open();
});
afterEach(() => database.close());

/** The guard of another process. */
function open(): StreamGuard {
  return new StreamGuard({
    database,
    streams: { readLastSequence: async () => lastSequence },
    onTruncated: (found) => truncated.push(found),
    onError(error) {
      throw error;
    },
  });
}

const applyTo = (position: number) => database.transaction((tx) => skipTo(tx, organizationId, "l", position));
const batch = (): LogBatch => {
  return { connectorId: "c", receivedAt: new Date(), digest: randomBytes(32), parts: [], answer: "" };
};
const published = (seq: number, { isCopy = false } = {}): PublishedBatch => ({
  receipt: { positions: { l: seq }, answer: "", duplicate: false, isDense: false },
  parts: [{ lane: "l", part: "l0", seq, isCopy }],
});

/** Whether a batch that got a sequence is acknowledged, when other things happen while it is published. */
async function isAcknowledged(
  seq: number,
  { isCopy = false, sent = batch(), meanwhile = async () => {} } = {},
): Promise<boolean> {
  const known = await guard.before(organizationId, home, [sent.digest!], {});
  await meanwhile();
  return guard.check(organizationId, stream, [sent], [published(seq, { isCopy })], known!).then(
    () => true,
    () => false,
  );
}

test("a batch is acknowledged with a sequence above those that were applied, and not with another one", async () => {
  await applyTo(10);
  expect(await isAcknowledged(11)).toBe(true);
  expect(truncated).toEqual([]);
  expect(await isAcknowledged(10)).toBe(false);
  expect(truncated).toEqual([{ name: stream.name, created: stream.created, known: 11, found: 10 }]);
  await expect(guard.before(organizationId, home, [], {})).rejects.toThrow("muster log renew");
});

test("sequences that another process was given are known after it has noted them", async () => {
  const other = open();
  other.note(stream, 20);
  await other.close();
  expect(await isAcknowledged(20)).toBe(false);
});

test("batches that are published at the same time may be acknowledged in any order", async () => {
  const sent = batch();
  const known = await guard.before(organizationId, home, [], {});
  await guard.check(organizationId, stream, [sent], [published(5)], known!);
  await guard.check(organizationId, stream, [sent], [published(4)], known!);
  expect(truncated).toEqual([]);
});

test("a copy of a batch is acknowledged when the batch was applied or will be", async () => {
  await applyTo(10);
  await guard.before(organizationId, home, [], {});
  guard.note(stream, 15);
  expect(await isAcknowledged(12, { isCopy: true })).toBe(true);
  const sent = batch();
  const part = { digest: sent.digest!, lane: "l", position: 9, part: "l0", partCount: 2, answer: "" } as const;
  await database.transaction((tx) => receiptsIn(tx, organizationId).note([{ ...part, receivedAt: new Date() }]));
  expect(await isAcknowledged(9, { isCopy: true, sent })).toBe(true);
  expect(truncated).toEqual([]);
  expect(await isAcknowledged(9, { isCopy: true })).toBe(false);
  expect(truncated).toHaveLength(1);
});

test("a cursor that has passed the sequence while NATS was started again is noticed", async () => {
  const meanwhile = async () => {
    await applyTo(30);
    await sleep(250);
  };
  expect(await isAcknowledged(25, { meanwhile })).toBe(false);
  expect(truncated).toHaveLength(1);
});

test("a stream that ends too early is noticed when nobody sends, and one that is only slow is not", async () => {
  await applyTo(10);
  lastSequence = 9;
  const looking = guard.look(stream);
  setTimeout(() => {
    lastSequence = 10;
  }, 500);
  expect(await looking).toBe(false);
  lastSequence = 9;
  expect(await guard.look(stream)).toBe(true);
  expect(truncated).toMatchObject([{ known: 10, found: 9 }]);
});

import { randomBytes } from "node:crypto";
import { createId } from "@muster/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canTest } from "../../../../../testing/can-test.js";
import { HAS_NATS, type NatsNodes, NO_NATS, startNats } from "../../../../../testing/start-nats.js";
import type { Entry } from "../../domain/entries/entry.js";
import { LANE, type Lane } from "../../domain/entries/lanes.js";
import { openTestDatabase } from "../../testing/test-database.js";
import type { Database } from "../postgres/database.js";
import { readApplyCursors, saveApplyCursor } from "../postgres/ingest/apply-cursors.js";
import { createPartitions } from "../postgres/partitions.js";
import { compressEntries, decompressEntries } from "./compressed-entries.js";
import type { IngestionLog } from "./ingestion-log.js";
import type { LogBatch } from "./log-batch.js";
import { encodeBatch } from "./nats/log-message.js";
import { LogStreams, subjectOf } from "./nats/log-streams.js";
import { NatsClient } from "./nats/nats-client.js";
import { NatsLog } from "./nats/nats-log.js";
import { readHomes } from "./postgres/log-homes.js";
import { PostgresLog } from "./postgres/postgres-log.js";
import { relocateToPostgres } from "./postgres/relocate-log.js";
import { RoutedLog } from "./routed/routed-log.js";

const LIMITS = { maxEntries: 1_000, maxBytes: 1_000_000 };

const hasNats = canTest(HAS_NATS, NO_NATS);

describe.each(["PostgreSQL", "NATS"])("the ingestion log in %s", (kind) => {
  const isNats = kind === "NATS";
  if (isNats && !hasNats) {
    test.skip("needs nats-server", () => {});
    return;
  }
  let database: Database;
  let nats: NatsNodes | undefined;
  let log: IngestionLog;
  const others: IngestionLog[] = [];

  beforeAll(async () => {
    database = await openTestDatabase();
    await createPartitions(database, new Date());
    nats = isNats ? await startNats() : undefined;
    log = openLog();
  });
  afterAll(async () => {
    await Promise.all([log, ...others].map((opened) => opened.close()));
    await database.close();
    await nats?.close();
  });

  function openLog(): IngestionLog {
    if (!nats) return new PostgresLog(database);
    const client = new NatsClient({ url: nats.url, name: "test", onUnavailable() {}, onLost() {}, onConnected() {} });
    const streams = new LogStreams({ client, count: 2, replicas: undefined });
    return new RoutedLog({
      database,
      client,
      streams,
      onTruncated() {},
      onProblem(error) {
        throw error;
      },
    });
  }

  /** The names of the entries that are applied next, as the apply stage takes them. */
  async function applyNext(organizationId: string, lane: Lane = LANE.live, from = log, limits = LIMITS) {
    return database.transaction(async (tx) => {
      const [before] = await readApplyCursors(tx, organizationId, [lane]);
      const heads = await from.knownHeads(tx, organizationId);
      if (!before || (heads[lane] ?? 0) <= before.position) return [];
      const batches = await from.read(tx, organizationId, lane, before, limits);
      const last = batches.at(-1)!;
      const entries = batches.flatMap(decompressEntries);
      const after = { lane, position: last.position, offset: 0, receivedAt: last.receivedAt };
      await saveApplyCursor(tx, organizationId, before, after, entries.length);
      return namesOf(entries);
    });
  }

  async function applyAll(organizationId: string, lane: Lane = LANE.live, from = log): Promise<unknown[]> {
    const applied: unknown[] = [];
    for (;;) {
      const names = await applyNext(organizationId, lane, from);
      if (names.length === 0) return applied;
      applied.push(...names);
    }
  }

  test("gives back what was appended, in order, and each lane by itself", async () => {
    const organizationId = createId("organization");
    await log.append(organizationId, [batch(["a", "b"]), batch(["c"], LANE.bulk)]);
    const [last] = await log.append(organizationId, [batch(["d"])]);
    await log.noteHeads();
    expect(await applyAll(organizationId)).toEqual(["a", "b", "d"]);
    expect(await applyAll(organizationId, LANE.bulk)).toEqual(["c"]);
    const [cursor] = await readApplyCursors(database, organizationId, [LANE.live]);
    expect(cursor?.position).toBe(last?.positions.l);
  });

  test("reads no more than the limits and goes on from the cursor, also in another process", async () => {
    const organizationId = createId("organization");
    await log.append(
      organizationId,
      Array.from({ length: 9 }, (_, index) => batch([`n${index}`, `m${index}`])),
    );
    await log.noteHeads();
    const taken = await applyNext(organizationId, LANE.live, log, { ...LIMITS, maxEntries: 3 });
    expect(taken.length).toBeLessThanOrEqual(4);
    const other = openLog();
    others.push(other);
    const rest = await applyAll(organizationId, LANE.live, other);
    const all = Array.from({ length: 9 }, (_, index) => [`n${index}`, `m${index}`]).flat();
    expect([...taken, ...rest]).toEqual(all);
    expect(await applyNext(organizationId)).toEqual([]);
  });

  test("recognises a batch that is sent again: at the same time, before it is applied and after", async () => {
    const organizationId = createId("organization");
    const sent = { ...batch(["once"]), digest: randomBytes(32), answer: "the first answer" };
    const again = { ...sent, answer: "another answer" };
    const [first, second] = await log.append(organizationId, [sent, again]);
    expect(first).toMatchObject({ answer: "the first answer", duplicate: false });
    expect(second).toMatchObject({ answer: "the first answer", duplicate: true, positions: first?.positions });
    const before = await log.append(organizationId, [again]);
    await log.noteHeads();
    expect(await applyAll(organizationId)).toEqual(["once"]);
    const after = await log.append(organizationId, [again]);
    for (const [receipt] of [before, after]) {
      expect(receipt).toMatchObject({ answer: "the first answer", duplicate: true, positions: first?.positions });
    }
    await log.noteHeads();
    expect(await applyAll(organizationId)).toEqual([]);
  });

  test("knows where something was written, and where nothing was", async () => {
    const organizationId = createId("organization");
    const [receipt] = await log.append(organizationId, [batch(["a"])]);
    const other = openLog();
    others.push(other);
    const position = receipt!.positions.l!;
    const heads = async (wanted: number) => (await other.heads(organizationId, { l: wanted })).l;
    expect(await heads(position)).toBe(position);
    expect(await heads(position + 1)).toBe(position);
    expect(await other.heads(createId("organization"), { l: 1 })).toEqual({});
  });

  test("keeps a batch of several parts in order, and answers with the position of the last one", async () => {
    const organizationId = createId("organization");
    const parts = Array.from({ length: 20 }, (_, index) => part([`p${index}`], index % 2 ? LANE.live : LANE.active));
    const whole = { ...batch([]), parts, digest: randomBytes(32) };
    const [receipt] = await log.append(organizationId, [whole]);
    await log.noteHeads();
    expect(await applyAll(organizationId, LANE.active)).toEqual(even);
    expect(await applyAll(organizationId)).toEqual(odd);
    for (const lane of [LANE.active, LANE.live]) {
      const [cursor] = await readApplyCursors(database, organizationId, [lane]);
      expect(cursor?.position).toBe(receipt?.positions[lane]);
    }
    expect((await log.append(organizationId, [whole]))[0]).toEqual({ ...receipt, duplicate: true });
  });

  test("drops entries of applied batches, and leaves those alone that wait", async () => {
    const organizationId = createId("organization");
    await log.append(organizationId, [batch(["kept"]), batch(["erased"])]);
    await log.noteHeads();
    await applyAll(organizationId);
    await log.append(organizationId, [batch(["erased"])]);
    const drop = (after: number) =>
      database.transaction((tx) =>
        log.dropEntries(tx, organizationId, { lane: LANE.live, after }, isErased, () => false),
      );
    let removed = 0;
    for (let page = await drop(0); page.end !== undefined; page = await drop(page.end)) removed += page.removed;
    expect(removed).toBe(1);
    expect((await drop(0)).removed).toBe(0);
    await log.noteHeads();
    expect(await applyAll(organizationId)).toEqual(["erased"]);
  });

  test("loses nothing that waits when old batches are trimmed", async () => {
    const organizationId = createId("organization");
    await log.append(organizationId, [batch(["applied"])]);
    await log.noteHeads();
    await applyAll(organizationId);
    await log.append(organizationId, [batch(["waits"])]);
    await log.trim(new Date(Date.now() + 60_000));
    await log.noteHeads();
    expect(await applyAll(organizationId)).toEqual(["waits"]);
  });

  test("forgets a batch that is not whole when the log is moved, so that it is new when it is sent again", async () => {
    if (!isNats || !nats) return;
    const organizationId = createId("organization");
    const whole = { ...batch(["whole"]), digest: randomBytes(32) };
    await log.append(organizationId, [whole]);
    // The second part was never stored, and the sender was told nothing.
    const parts = [part(["cut a"], LANE.active), part(["cut l"], LANE.live)];
    const cut = { ...batch([]), parts, digest: randomBytes(32) };
    const [first] = encodeBatch(organizationId, cut);
    const client = new NatsClient({ url: nats.url, name: "test", onUnavailable() {}, onLost() {}, onConnected() {} });
    const { js } = await client.use();
    const { name } = (await readHomes(database, organizationId))[0].stream!;
    await js.publish(subjectOf(name, organizationId, LANE.active), first!.data, { headers: first!.headers });
    const natsLog = new NatsLog({ client, streams: new LogStreams({ client, count: 2, replicas: 1 }) });
    await relocateToPostgres(database, organizationId, natsLog);
    await natsLog.close();
    await client.close();
    const moved = new PostgresLog(database);
    const receipts = await moved.append(organizationId, [whole, cut]);
    expect(receipts.map(({ duplicate }) => duplicate)).toEqual([true, false]);
    expect(await applyAll(organizationId, LANE.active)).toEqual(["cut a"]);
    expect(await applyAll(organizationId)).toEqual(["whole", "cut l"]);
  });

  test("tells other processes that batches were appended", async () => {
    if (!isNats) return;
    const organizationId = createId("organization");
    const other = openLog();
    others.push(other);
    const told: string[] = [];
    other.listen((id) => told.push(id));
    await expect
      .poll(async () => {
        await log.append(organizationId, [batch(["a"])]);
        return told;
      })
      .toContain(organizationId);
    // Nothing was noted in PostgreSQL yet, and the other process knows of the batch.
    expect((await applyNext(organizationId, LANE.live, other)).length).toBeGreaterThan(0);
  });
});

const even = Array.from({ length: 10 }, (_, index) => `p${index * 2}`);
const odd = Array.from({ length: 10 }, (_, index) => `p${index * 2 + 1}`);

function part(names: string[], lane: Lane) {
  const shared = { type: "traits", at: 0, connectorId: "c", subject: "user", create: true, active: false } as const;
  const entries: Entry[] = names.map((name) => ({ ...shared, body: { name } }));
  return { lane, entryCount: names.length, payload: compressEntries(Buffer.from(JSON.stringify(entries))) };
}

function batch(names: string[], lane: Lane = LANE.live): LogBatch {
  return { connectorId: "c", receivedAt: new Date(), digest: undefined, parts: [part(names, lane)], answer: "" };
}

function namesOf(entries: readonly Entry[]): unknown[] {
  return entries.map(({ body }) => body.name);
}

function isErased({ body }: Entry): boolean {
  return body.name === "erased";
}

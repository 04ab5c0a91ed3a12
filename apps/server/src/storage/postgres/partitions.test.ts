import { createId, DAY_MS } from "@muster/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LANE } from "../../domain/entries/lanes.js";
import { openTestDatabase } from "../../testing/test-database.js";
import { appendBatches } from "../ingest-log/postgres/ingest-log.js";
import { openSnapshot } from "./backup/snapshot.js";
import { BatchedWriter } from "./batched-writer.js";
import { CONNECTOR_LOGS, type ConnectorLogRow, listConnectorLogs } from "./connectors/connector-logs.js";
import type { Database } from "./database.js";
import { createPartitions, dropPartitions } from "./partitions.js";

const NOON = new Date("2026-03-15T12:00:00Z");
const later = (days: number) => new Date(NOON.getTime() + days * DAY_MS);

let database: Database;
beforeEach(async () => {
  database = await openTestDatabase();
});
afterEach(() => database.close());

async function partitions(table: string): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1",
    [table],
  );
  return rows.map(({ name }) => name);
}

test.each(["ingest_log", "connector_logs", "traces"])(
  "%s has partitions from yesterday to a week ahead",
  async (table) => {
    await createPartitions(database, NOON);
    const names = await partitions(table);
    expect(names).toHaveLength(9);
    expect([names.at(0), names.at(-1)]).toEqual([`${table}_20260314`, `${table}_20260322`]);
    await createPartitions(database, later(1));
    expect(await partitions(table)).toEqual([...names, `${table}_20260323`]);
  },
);

test("several processes can create partitions at the same time", async () => {
  await Promise.all(Array.from({ length: 4 }, () => createPartitions(database, NOON)));
  expect(await partitions("traces")).toHaveLength(9);
});

const MONTH = { ingest_log: 30, connector_logs: 30, traces: 30 };

test("each daily table is dropped after its own retention, and not before", async () => {
  await createPartitions(database, NOON);
  const retention = { ingest_log: 31, connector_logs: 29, traces: 30 };
  expect(await dropPartitions(database, later(28), retention)).toEqual([]);
  expect(await dropPartitions(database, later(30), retention)).toEqual([
    "connector_logs_20260314",
    "connector_logs_20260315",
    "traces_20260314",
  ]);
  expect(await dropPartitions(database, later(31), retention)).toEqual([
    "ingest_log_20260314",
    "connector_logs_20260316",
    "traces_20260315",
  ]);
});

test("several processes can drop partitions at the same time", async () => {
  await createPartitions(database, NOON);
  const dropped = await Promise.all(Array.from({ length: 4 }, () => dropPartitions(database, later(60), MONTH)));
  expect(dropped.flat()).toHaveLength(27);
  expect(await partitions("traces")).toEqual([]);
});

test("no partition is dropped while a backup reads, and new ones can be created meanwhile", async () => {
  await createPartitions(database, NOON);
  const snapshot = await openSnapshot(database);
  // What the backup has read stays locked against statements that need a table alone.
  for (const table of snapshot.tables) for await (const _ of table.open());
  expect(await dropPartitions(database, later(60), MONTH)).toEqual([]);
  await createPartitions(database, later(10));
  await snapshot.close();
  await expect.poll(async () => (await dropPartitions(database, later(60), MONTH)).length).toBeGreaterThan(27);
});

const batch = (receivedAt: Date) => ({
  connectorId: "c",
  receivedAt,
  digest: undefined,
  parts: [{ lane: LANE.live, entryCount: 1, payload: Buffer.from("x") }],
  answer: "",
});

const applyUpTo = (position: number, receivedAt: Date) =>
  database.query(
    `insert into apply_cursors (organization_id, lane, position, received_at) values ('o', 'l', $1, $2)
     on conflict (organization_id, lane) do update set position = excluded.position`,
    [position, receivedAt],
  );

test("a partition of the ingestion log is kept while one of its batches is not applied", async () => {
  await createPartitions(database, NOON);
  await appendBatches(database, "o", [batch(NOON)]);
  await dropPartitions(database, later(60), MONTH);
  expect(await partitions("ingest_log")).toEqual(["ingest_log_20260315"]);
  await applyUpTo(1, NOON);
  expect(await dropPartitions(database, later(60), MONTH)).toEqual(["ingest_log_20260315"]);
});

test("a batch that was received while the clock was set back is kept until it is applied", async () => {
  await appendBatches(database, "o", [batch(NOON)]);
  await applyUpTo(1, NOON);
  await appendBatches(database, "o", [batch(later(-40))]);
  await dropPartitions(database, NOON, MONTH);
  const { rows } = await database.query("select position from ingest_log where organization_id = 'o' and position > 1");
  expect(rows).toEqual([{ position: 2 }]);
});

test.each([-400, 0, 400])("a batch is accepted %i days from now although there is no partition", async (days) => {
  await createPartitions(database, NOON);
  const time = later(days);
  const receipts = await Promise.all(
    Array.from({ length: 3 }, () => appendBatches(database, "o", [batch(time), batch(NOON)])),
  );
  expect(receipts.flat()).toHaveLength(6);
  const { rows } = await database.query("select count(*) as batches from ingest_log where received_at = $1", [time]);
  expect(rows).toEqual([{ batches: days === 0 ? 6 : 3 }]);
});

test("a log line is stored although there is no partition for the present day", async () => {
  const errors: unknown[] = [];
  const writer = new BatchedWriter({ ...CONNECTOR_LOGS, database, onError: (error) => errors.push(error) });
  const [organizationId, connectorId] = [createId("organization"), createId("connector")];
  writer.add([{ organizationId, connectorId, at: NOON, level: "info", message: "", data: {}, summary: "" }]);
  await writer.flush();
  expect(errors).toEqual([]);
  expect(await listConnectorLogs(database, organizationId, connectorId, { limit: 2, offset: 0 })).toMatchObject({
    total: 1,
  });
});

test("a log line is stored whatever time it has, and listed by that time", async () => {
  await createPartitions(database, new Date());
  const errors: unknown[] = [];
  const writer = new BatchedWriter({ ...CONNECTOR_LOGS, database, onError: (error) => errors.push(error) });
  const [organizationId, connectorId] = [createId("organization"), createId("connector")];
  const line = (at: string): ConnectorLogRow => {
    return { organizationId, connectorId, at: new Date(at), level: "info", message: "", data: {}, summary: "" };
  };
  writer.add([line("2000-01-01T00:00:00Z"), line("2999-12-31T23:59:59.999Z"), line("2020-06-01T00:00:00Z")]);
  await writer.flush();
  expect(errors).toEqual([]);
  const { total, rows } = await listConnectorLogs(database, organizationId, connectorId, { limit: 2, offset: 0 });
  expect(total).toBe(3);
  expect(rows.map(({ at }) => at.toISOString())).toEqual(["2999-12-31T23:59:59.999Z", "2020-06-01T00:00:00.000Z"]);
});

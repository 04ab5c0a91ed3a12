import { createId, DAY_MS } from "@muster/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openTestDatabase } from "../../testing/test-database.js";
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

test("connector logs and traces are dropped after 30 days, the ingestion log after its own retention", async () => {
  await createPartitions(database, NOON);
  expect(await dropPartitions(database, later(29), 60)).toEqual([]);
  expect(await dropPartitions(database, later(30), 60)).toEqual(["connector_logs_20260314", "traces_20260314"]);
  expect(await dropPartitions(database, later(31), 31)).toEqual([
    "ingest_log_20260314",
    "connector_logs_20260315",
    "traces_20260315",
  ]);
});

test("several processes can drop partitions at the same time", async () => {
  await createPartitions(database, NOON);
  const dropped = await Promise.all(Array.from({ length: 4 }, () => dropPartitions(database, later(60), 30)));
  expect(dropped.flat()).toHaveLength(27);
  expect(await partitions("traces")).toEqual([]);
});

test("a partition of the ingestion log is kept while a batch in it is not applied, whatever the clock showed", async () => {
  await createPartitions(database, NOON);
  // The clock was right for the first batch and two days behind for the second.
  await database.query("insert into log_heads (organization_id, lane, position) values ('o', 'l', 2)");
  await database.query(
    `insert into ingest_log (organization_id, lane, position, received_at, connector_id, entry_count, payload)
     values ('o', 'l', 1, $1, 'c', 1, ''), ('o', 'l', 2, $2, 'c', 1, '')`,
    [later(1), later(-1)],
  );
  await database.query(
    "insert into apply_cursors (organization_id, lane, position, received_at) values ('o', 'l', 1, $1)",
    [later(1)],
  );
  const dropped = await dropPartitions(database, later(31), 31);
  expect(dropped.filter((name) => name.startsWith("ingest_log"))).toEqual([]);
  await database.query("update apply_cursors set position = 2");
  expect(await dropPartitions(database, later(31), 31)).toEqual(["ingest_log_20260314"]);
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

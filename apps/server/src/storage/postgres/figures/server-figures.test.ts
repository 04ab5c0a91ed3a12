import { afterAll, beforeAll, expect, test } from "vitest";
import { LANE } from "../../../domain/entries/lanes.js";
import { openTestDatabase } from "../../../testing/test-database.js";
import type { Database } from "../database.js";
import { createPartitions } from "../partitions.js";
import { readDatabaseSizes, readSchemaVersion } from "./database-sizes.js";
import { readWaitingStages } from "./server-figures.js";

const FIRST = new Date("2026-01-01T10:00:00Z");
const SECOND = new Date("2026-01-01T10:05:00Z");
const LANES = [LANE.active, LANE.live];

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

test("nothing waits in a new database", async () => {
  const nothing = { since: undefined, rows: 0 };
  expect(await readWaitingStages(database, LANES)).toEqual({ apply: nothing, project: nothing });
});

test("the oldest record of all organizations counts, and rows of imports count as rows only", async () => {
  await createPartitions(database, FIRST);
  await database.query(
    `insert into log_heads (organization_id, lane, position) values ('a', 'l', 3), ('b', 'l', 1), ('b', 'b', 5)`,
  );
  await database.query(
    `insert into apply_cursors (organization_id, lane, position, received_at) values ('a', 'l', 2, $1)`,
    [FIRST],
  );
  await database.query(
    `insert into ingest_log (organization_id, lane, position, received_at, connector_id, entry_count, payload)
     values ('a', 'l', 2, $1, 'c', 1, ''), ('a', 'l', 3, $2, 'c', 1, ''), ('b', 'l', 1, $2, 'c', 1, ''), ('b', 'b', 1, $1, 'c', 1, '')`,
    [FIRST, SECOND],
  );
  await database.query("insert into change_heads (organization_id, sequence) values ('a', 10), ('b', 4)");
  await database.query("insert into project_cursors (organization_id, sequence) values ('a', 9), ('b', 4)");
  await database.query(
    `insert into changes (organization_id, sequence, lane, position, payload, created_at)
     values ('a', 9, 'l', 1, '', $1), ('a', 10, 'l', 2, '', $2)`,
    [FIRST, SECOND],
  );
  expect(await readWaitingStages(database, LANES)).toEqual({
    apply: { since: SECOND, rows: 7 },
    project: { since: SECOND, rows: 1 },
  });
});

test("the largest tables are listed with their partitions", async () => {
  const { version, bytes, tables } = await readDatabaseSizes(database, 100);
  expect(version).toMatch(/^\d+\.\d+$/);
  expect(bytes).toBeGreaterThan(1_000_000);
  const names = tables.map(({ name }) => name);
  expect(names).toContain("ingest_log");
  expect(names.filter((name) => name.startsWith("ingest_log"))).toEqual(["ingest_log"]);
  expect(await readSchemaVersion(database)).toMatch(/^\d{4}-[a-z-]+$/);
});

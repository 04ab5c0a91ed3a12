import { createId, DAY_MS, HOUR_MS } from "@muster/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openTestDatabase } from "../../testing/test-database.js";
import type { Database } from "./database.js";
import { createOrganization } from "./objects/organizations.js";
import { ROWS_PER_STEP, removeOldRows } from "./retention.js";

const NOW = new Date("2031-05-05T12:00:00Z");
const RETENTION = { historyDays: 90 };
const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS);

let database: Database;
let organizationId: string;
const connectorId = createId("connector");
beforeEach(async () => {
  database = await openTestDatabase();
  organizationId = (await createOrganization(database, { namespace: "acme", name: "Acme" })).id;
  await database.query(
    "insert into connectors (organization_id, id, name, sealed_secret) values ($1, $2, 'Shop', '\\x00')",
    [organizationId, connectorId],
  );
});
afterEach(() => database.close());

async function insert(table: string, row: Record<string, unknown>): Promise<void> {
  const names = Object.keys(row);
  const places = names.map((_, index) => `$${index + 1}`);
  await database.query(
    `insert into ${table} (organization_id, ${names.join(", ")}) values ('${organizationId}', ${places.join(", ")})`,
    Object.values(row),
  );
}

async function count(table: string): Promise<number> {
  const { rows } = await database.query<{ count: number }>(`select count(*) from ${table}`);
  return rows[0]?.count ?? 0;
}

/** Puts a row into a table, as old as asked. */
const ROWS: Record<string, (at: Date) => Promise<void>> = {
  rejected_entries: (at) =>
    insert("rejected_entries", { connector_id: connectorId, code: "c", message: "", entry: "{}", rejected_at: at }),
  dead_letters: (at) =>
    insert("dead_letters", {
      connector_id: connectorId,
      url: "/",
      channel: "user:update",
      kind: "user",
      object_id: "u",
      message: Buffer.from("x"),
      request: "{}",
      reason: "",
      attempts: 1,
      created_at: at,
    }),
  jobs: async (at) => void (await finishedJob(at)),
  job_rejections: async (at) => {
    const id = await finishedJob(at);
    await insert("job_rejections", { job_id: id, line: 1, code: "c", message: "" });
  },
  erased: (at) => insert("erased", { id: createId("user"), cleaned_at: at }),
};

async function finishedJob(at: Date, fields: Record<string, unknown> = {}): Promise<string> {
  const id = createId("job");
  await insert("jobs", {
    id,
    type: "import",
    object: "users",
    status: "completed",
    name: "",
    connector_id: connectorId,
    parameters: "{}",
    finished_at: at,
    ...fields,
  });
  return id;
}

test.each(Object.keys(ROWS))("rows of %s are removed after their retention, and not before", async (table) => {
  await ROWS[table]?.(daysAgo(89));
  await ROWS[table]?.(daysAgo(91));
  expect(await removeOldRows(database, daysAgo(2), RETENTION)).toEqual({});
  expect(await removeOldRows(database, NOW, RETENTION)).toMatchObject({ [table]: 1 });
  expect(await count(table)).toBe(1);
  expect(await removeOldRows(database, new Date(NOW.getTime() + 2 * DAY_MS), RETENTION)).toMatchObject({ [table]: 1 });
});

test("the answer to a batch is remembered for a day", async () => {
  const receipt = (hours: number) =>
    insert("ingest_receipts", {
      digest: Buffer.from([hours]),
      positions: "{}",
      answer: "",
      received_at: new Date(NOW.getTime() - hours * HOUR_MS),
    });
  await receipt(23);
  await receipt(25);
  expect(await removeOldRows(database, NOW, RETENTION)).toEqual({ ingest_receipts: 1 });
});

test("the receipt of a batch from a log in NATS stays while a copy of the batch may wait there", async () => {
  const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * HOUR_MS);
  const receipt = { positions: "{}", answer: "", parts: '{"l0": 5, "count": 1}' };
  await insert("ingest_receipts", { ...receipt, digest: Buffer.from([1]), received_at: hoursAgo(90) });
  await insert("ingest_receipts", { ...receipt, digest: Buffer.from([2]), received_at: hoursAgo(70) });
  await insert("log_heads", { lane: "l", position: 9, is_elsewhere: true });
  await insert("apply_cursors", { lane: "l", position: 5, received_at: hoursAgo(67) });
  expect(await removeOldRows(database, NOW, RETENTION)).toEqual({});
  await database.query("update apply_cursors set received_at = $1, position = 6", [hoursAgo(60)]);
  expect(await removeOldRows(database, NOW, RETENTION)).toEqual({ ingest_receipts: 1 });
  await database.query("update apply_cursors set position = 9");
  expect(await removeOldRows(database, NOW, RETENTION)).toEqual({ ingest_receipts: 1 });
});

test("what people have changed can be looked up for a year", async () => {
  const entry = (days: number) =>
    insert("audit_log", { happened_at: daysAgo(days), who: "operator", action: "POST /x", address: "" });
  for (const days of [400, 366, 364]) await entry(days);
  expect(await removeOldRows(database, NOW, RETENTION)).toEqual({ audit_log: 2 });
  expect(await count("audit_log")).toBe(1);
});

test("carried ids that were used are removed when they are over", async () => {
  for (const minutes of [-1, 1]) {
    const expiresAt = new Date(NOW.getTime() + minutes * 60_000);
    await insert("used_carried_ids", { digest: Buffer.from([minutes]), expires_at: expiresAt });
  }
  expect(await removeOldRows(database, NOW, RETENTION)).toEqual({ used_carried_ids: 1 });
  expect(await removeOldRows(database, NOW, RETENTION)).toEqual({});
});

test("sessions, links and invitations are removed when they are over", async () => {
  await database.query("insert into members (id, email, name) values ('m', 'ann@example.com', 'Ann')");
  for (const minutes of [-1, 1]) {
    const expiresAt = new Date(NOW.getTime() + minutes * 60_000);
    const tokenHash = Buffer.from([minutes]);
    await insert("invitations", {
      id: `${minutes}`,
      email: `${minutes}@example.com`,
      role: "viewer",
      token_hash: tokenHash,
      invited_by: "Ann",
      expires_at: expiresAt,
    });
    await database.query(
      "insert into member_sessions (id, member_id, token_hash, user_agent, address, expires_at) values ($1, 'm', $2, '', '', $3)",
      [`${minutes}`, tokenHash, expiresAt],
    );
    await database.query(
      "insert into sign_in_links (token_hash, member_id, is_mailed, expires_at) values ($1, 'm', false, $2)",
      [tokenHash, expiresAt],
    );
  }
  const removed = { invitations: 1, member_sessions: 1, sign_in_links: 1 };
  expect(await removeOldRows(database, NOW, RETENTION)).toEqual(removed);
  expect(await removeOldRows(database, NOW, RETENTION)).toEqual({});
});

test("the last status of a connector is kept however old it is", async () => {
  for (const days of [300, 200]) {
    await insert("status_history", {
      connector_id: connectorId,
      status: "ok",
      messages: [],
      source: "poll",
      created_at: daysAgo(days),
    });
  }
  expect(await removeOldRows(database, NOW, RETENTION)).toEqual({ status_history: 1 });
  expect(await removeOldRows(database, NOW, RETENTION)).toEqual({});
});

test("a job that has not ended, and one whose file is kept, stay", async () => {
  await finishedJob(daysAgo(300), { type: "extract", file_bytes: 1, file_expires_at: NOW });
  await insert("jobs", {
    id: createId("job"),
    type: "import",
    object: "users",
    name: "",
    connector_id: connectorId,
    parameters: "{}",
    created_at: daysAgo(300),
    due_at: daysAgo(-300),
  });
  expect(await removeOldRows(database, NOW, RETENTION)).toEqual({});
});

test("an erased subject stays listed until the logs are cleaned", async () => {
  await insert("erased", { id: createId("user"), erased_at: daysAgo(300) });
  expect(await removeOldRows(database, NOW, RETENTION)).toEqual({});
});

test("a signing key stays for a week after it was replaced, and the present key always", async () => {
  const key = (id: string, days: number) =>
    database.query("insert into signing_keys values ($1, 'public', 'sealed', $2)", [id, daysAgo(days)]);
  await key("first", 100);
  await key("second", 20);
  await key("third", 6);
  expect(await removeOldRows(database, NOW, RETENTION)).toEqual({ signing_keys: 1 });
  const { rows } = await database.query("select id from signing_keys order by id");
  expect(rows).toEqual([{ id: "second" }, { id: "third" }]);
});

test("a step removes a limited number of rows, and the next step goes on", async () => {
  const id = await finishedJob(daysAgo(100));
  await database.query(
    `insert into job_rejections (organization_id, job_id, line, code, message)
     select $1, $2, line, 'c', '' from generate_series(1, $3) as line`,
    [organizationId, id, ROWS_PER_STEP + 5],
  );
  expect(await removeOldRows(database, NOW, RETENTION)).toEqual({ job_rejections: ROWS_PER_STEP });
  expect(await removeOldRows(database, NOW, RETENTION)).toEqual({ job_rejections: 5, jobs: 1 });
});

test("two processes that remove rows at the same time remove each row once", async () => {
  for (let row = 0; row < 20; row++) await ROWS.rejected_entries?.(daysAgo(100));
  const removed = await Promise.all([1, 2].map(() => removeOldRows(database, NOW, RETENTION)));
  expect(removed.reduce((sum, { rejected_entries: rows = 0 }) => sum + rows, 0)).toBe(20);
});

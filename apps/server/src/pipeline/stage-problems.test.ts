// @module-tag long
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { NO_CHANGE } from "../domain/changes/change-set.js";
import { createMetrics } from "../runtime/measures/metrics.js";
import { compress } from "../storage/logs/compression.js";
import { openOrganization, Sender } from "../testing/sender.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";
import { StageProblems } from "./stage-problems.js";

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
});
afterAll(() => server.close());

const problems = async (of: Sender) => (await of.call("GET", "/status")).json().problems;
const metrics = async () => (await server.app.inject({ url: "/metrics", remoteAddress: "127.0.0.1" })).body;
const organizationId = () => server.first.organization.id;
const person = (name: string) => ({ user: { external_id: name } });

const byName = (name: string) => ({ query: { term: { external_id: name } } });

/** Moves a number of a row of the organization. */
async function shift(table: string, column: string): Promise<void> {
  await server.database.query(`update ${table} set ${column} = ${column} + 1 where organization_id = $1`, [
    organizationId(),
  ]);
}

test("a gap in the ingestion log stops that organization with a status and a metric, and no other organization", async () => {
  const globex = await openOrganization(server, "globex");
  await sender.settle([sender.traits(person("ann"), { a: 1 })]);
  expect(await problems(sender)).toEqual([]);

  await shift("log_heads", "position");
  const { position } = await sender.send([sender.traits(person("bob"), { a: 1 })]);
  const message = expect.stringContaining("Position 2 of the ingestion log, lane l, is missing");
  await expect
    .poll(() => problems(sender))
    .toEqual([{ kind: "stage", id: "apply", name: "apply", message, since: expect.any(String) }]);
  expect(await metrics()).toContain(`muster_pipeline_failing{stage="apply",organization="${organizationId()}"} 1`);
  expect(await sender.isKnown({ external_id: "bob" })).toBe(false);
  await globex.settle([globex.traits(person("eve"), { a: 1 })]);
  expect(await problems(globex)).toEqual([]);

  // As an operator who has no backup may decide: the missing batch is given up.
  await shift("apply_cursors", "position");
  await expect.poll(() => problems(sender), { timeout: 15_000 }).toEqual([]);
  await expect.poll(() => sender.isKnown({ external_id: "bob" })).toBe(true);
  expect(position).toBe("l3");
  expect(await metrics()).not.toContain("muster_pipeline_failing{");
});

test("a gap in the change log stops the relay, and nothing after it is told or searchable", async () => {
  await sender.settle([sender.traits(person("cid"), { a: 1 })]);
  // As if a change had been made and its row were lost.
  await shift("change_heads", "sequence");
  await sender.send([sender.traits(person("dan"), { a: 1 })]);
  const message = expect.stringMatching(/^Position \d+ of the change log is missing/);
  await expect.poll(() => problems(sender)).toMatchObject([{ kind: "stage", id: "project", message }]);
  expect((await sender.call("POST", "/search/user_reports", { payload: byName("dan") })).json().data).toEqual([]);
  // As if the row were restored from a backup.
  await server.database.query(
    `insert into changes (organization_id, sequence, lane, position, payload)
     select organization_id, sequence + 1, 'l', 0, $2 from project_cursors where organization_id = $1`,
    [organizationId(), compress(NO_CHANGE)],
  );
  await expect.poll(() => problems(sender), { timeout: 15_000 }).toEqual([]);
  await expect.poll(() => sender.isKnown({ external_id: "dan" })).toBe(true);
});

test("the backlog is shown for each organization", async () => {
  const shown = async () =>
    (await metrics()).match(
      new RegExp(`^muster_ingest_backlog_entries\\{organization="${organizationId()}"\\} \\d+$`, "m"),
    );
  await server.database.transaction(async (tx) => {
    // The apply stage waits for this row.
    await tx.query("select from change_heads where organization_id = $1 for update", [organizationId()]);
    await sender.send([sender.traits(person("fay"), { a: 1 })]);
    await expect.poll(shown, { timeout: 20_000 }).not.toBeNull();
  });
  await expect.poll(shown, { timeout: 20_000 }).toBeNull();
});

test("a problem that a process has stored and not removed before it died is removed by another one", async () => {
  await sender.settle([sender.traits(person("gil"), { a: 1 })]);
  // The server may remove them at any moment from here on.
  const { rowCount } = await server.database.query(
    "insert into stage_problems (organization_id, stage, message) values ($1, 'apply', 'old'), ($1, 'project', 'old')",
    [organizationId()],
  );
  expect(rowCount).toBe(2);
  await expect.poll(() => problems(sender), { timeout: 25_000 }).toEqual([]);
});

test("a stage that another process has taken does not fail here any more", async () => {
  const logger = pino({ level: "silent" });
  const ownMetrics = createMetrics();
  const own = new StageProblems({ database: server.database, metrics: ownMetrics, logger });
  const failing = async () => (await ownMetrics.failingStages.get()).values;
  own.note("organization", "apply", new Error("broken"));
  expect(await failing()).toHaveLength(1);
  own.leave("organization", "apply");
  expect(await failing()).toEqual([]);
});

import { afterEach, beforeEach, expect, test } from "vitest";
import { createVault } from "../../../runtime/secrets/vault.js";
import { openTestDatabase } from "../../../testing/test-database.js";
import type { Database } from "../database.js";
import { createOrganization } from "../objects/organizations.js";
import { ConnectorStore } from "./connectors.js";
import { listSchedules, nextDueAt, readDue, saveRun, syncSchedules, type WantedSchedule } from "./schedule-runs.js";

const at = (minute: number) => new Date(Date.UTC(2026, 2, 15, 12, minute));

let database: Database;
let organizationId: string;
let connectorId: string;
beforeEach(async () => {
  database = await openTestDatabase();
  organizationId = (await createOrganization(database, { namespace: "acme", name: "Acme" })).id;
  connectorId = (await new ConnectorStore(database, createVault("key")).create(organizationId, { name: "one" })).id;
});
afterEach(() => database.close());

function wanted(url: string, timing: string, minute: number): WantedSchedule {
  return { organizationId, connectorId, kind: "schedule", url, timing, dueAt: at(minute) };
}

const list = async () =>
  (await listSchedules(database, organizationId, connectorId)).map(({ url, timing, dueAt }) => [url, timing, dueAt]);

test("a schedule keeps its due time and last run until its timing changes, and goes when it is not wanted", async () => {
  await syncSchedules(database, [wanted("/a", "5", 5), wanted("/b", "5", 5), wanted("/c", "5", 5)]);
  await saveRun(database, wanted("/a", "5", 5), { at: at(1), result: "ok", durationMs: 12.6 });
  await syncSchedules(database, [wanted("/a", "5", 9), wanted("/b", "10", 9)]);
  expect(await list()).toEqual([
    ["/a", "5", at(5)],
    ["/b", "10", at(9)],
  ]);
  const [first] = await listSchedules(database, organizationId, connectorId);
  expect(first).toMatchObject({ lastRunAt: at(1), lastResult: "ok", lastDurationMs: 13 });
});

test("a schedule of a connector that was removed meanwhile is ignored", async () => {
  const removed = { ...wanted("/a", "5", 5), connectorId: "000000000000000000000000" };
  await syncSchedules(database, [removed, wanted("/b", "5", 5)]);
  expect(await list()).toEqual([["/b", "5", at(5)]]);
});

test("due schedules are read with the most overdue first", async () => {
  expect(await nextDueAt(database)).toBeUndefined();
  await syncSchedules(database, [wanted("/a", "5", 3), wanted("/b", "5", 1), wanted("/c", "5", 4)]);
  expect(await nextDueAt(database)).toEqual(at(1));
  expect((await readDue(database, at(3))).map(({ url }) => url)).toEqual(["/b", "/a"]);
});

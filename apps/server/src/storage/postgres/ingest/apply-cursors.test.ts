import { afterEach, beforeEach, expect, test } from "vitest";
import { openTestDatabase } from "../../../testing/test-database.js";
import type { Database } from "../database.js";
import { LeaseLost } from "../leases/lease-lost.js";
import {
  type ApplyCursor,
  backlogOf,
  backlogs,
  organizationsWithWork,
  readApplyCursors,
  saveApplyCursor,
} from "./apply-cursors.js";

let database: Database;
beforeEach(async () => {
  database = await openTestDatabase();
  await database.query(
    `insert into log_heads (organization_id, lane, position, entries)
     values ('one', 'l', 5, 50), ('one', 'b', 2, 1000), ('two', 'l', 3, 7)`,
  );
});
afterEach(() => database.close());

const RECEIVED = new Date("2026-03-15T12:00:00Z");

async function save(
  organizationId: string,
  cursor: Partial<ApplyCursor>,
  appliedEntries: number,
  begin?: Partial<ApplyCursor>,
): Promise<void> {
  const { lane = "l" } = cursor;
  await database.transaction(async (tx) => {
    const [present] = await readApplyCursors(tx, organizationId, [lane]);
    const after = { lane, position: 0, offset: 0, receivedAt: RECEIVED, ...cursor };
    await saveApplyCursor(tx, organizationId, { ...present!, ...begin }, after, appliedEntries);
  });
}

test("a lane of which nothing was applied is at position 0, and the cursors are in the order of the lanes", async () => {
  await save("one", { position: 4, offset: 6 }, 46);
  expect(await readApplyCursors(database, "one", ["b", "l"])).toEqual([
    { lane: "b", position: 0, offset: 0, receivedAt: Number.NEGATIVE_INFINITY },
    { lane: "l", position: 4, offset: 6, receivedAt: RECEIVED },
  ]);
});

test("a later cursor replaces the position and adds its entries to those that were applied before", async () => {
  expect(await backlogOf(database, "one")).toBe(1_050);
  await save("one", { position: 4 }, 40);
  await save("one", { position: 5 }, 10);
  expect(await backlogOf(database, "one")).toBe(1_000);
  expect(await readApplyCursors(database, "one", ["l"])).toMatchObject([{ position: 5, offset: 0 }]);
});

test("a cursor that has moved since a step began is not moved by that step", async () => {
  await save("one", { position: 4, offset: 6 }, 46);
  await expect(save("one", { position: 3 }, 30, { position: 2, offset: 0 })).rejects.toThrow(LeaseLost);
  await expect(save("one", { position: 5 }, 4, { position: 4, offset: 0 })).rejects.toThrow(LeaseLost);
  expect(await readApplyCursors(database, "one", ["l"])).toMatchObject([{ position: 4, offset: 6 }]);
  expect(await backlogOf(database, "one")).toBe(1_004);
});

test("the backlog of an organization does not include that of others", async () => {
  await save("one", { position: 5 }, 50);
  expect(await backlogOf(database, "two")).toBe(7);
  expect(await backlogs(database)).toEqual(
    new Map([
      ["one", 1_000],
      ["two", 7],
    ]),
  );
  expect(await backlogOf(database, "three")).toBe(0);
});

test("an organization has work while a lane is behind the log, or its changes are not projected or not computed", async () => {
  expect((await organizationsWithWork(database)).apply.sort()).toEqual(["one", "two"]);
  await save("one", { position: 5 }, 50);
  await save("two", { position: 3 }, 7);
  expect(await organizationsWithWork(database)).toEqual({ apply: ["one"], project: [] });
  await save("one", { lane: "b", position: 2 }, 1_000);
  await database.query("insert into change_heads (organization_id, sequence) values ('one', 2), ('two', 2)");
  await database.query("insert into project_cursors (organization_id, sequence, computed_until) values ('two', 2, 2)");
  expect(await organizationsWithWork(database)).toEqual({ apply: [], project: ["one"] });
  await database.query("update project_cursors set computed_until = 1 where organization_id = 'two'");
  expect((await organizationsWithWork(database)).project.sort()).toEqual(["one", "two"]);
});

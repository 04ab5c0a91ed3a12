import { afterAll, beforeAll, expect, test } from "vitest";
import { NO_CHANGE } from "../../../domain/changes/change-set.js";
import { LANE } from "../../../domain/entries/lanes.js";
import { openTestDatabase } from "../../../testing/test-database.js";
import { compress } from "../../logs/compression.js";
import { LogGap } from "../../logs/log-gap.js";
import type { Database } from "../database.js";
import { appendChange, lockChangeHead, readNextChanges } from "./changes.js";
import { changeBefore } from "./rewrite-logs.js";

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

async function append(organizationId: string, changes: number): Promise<void> {
  for (let made = 0; made < changes; made++) {
    await database.transaction(async (tx) => {
      const sequence = (await lockChangeHead(tx, organizationId)) + 1;
      await appendChange(tx, organizationId, { sequence, lane: LANE.live, position: 1, payload: compress(NO_CHANGE) });
    });
  }
}

const next = async (organizationId: string, after: number) =>
  (await readNextChanges(database, organizationId, after, { changes: 16, bytes: 1e6 })).map(({ sequence }) => sequence);

test("the next changes are read in order, and none when there is none", async () => {
  expect(await next("whole", 0)).toEqual([]);
  await append("whole", 3);
  expect(await next("whole", 1)).toEqual([2, 3]);
  expect(await next("whole", 3)).toEqual([]);
});

test("a missing change is an error, and no change after it is read", async () => {
  await append("torn", 4);
  await database.query("delete from changes where organization_id = 'torn' and sequence in (2, 4)");
  expect(await next("torn", 0)).toEqual([1]);
  await expect(next("torn", 1)).rejects.toThrow("Position 2 of the change log is missing");
  expect(await next("torn", 2)).toEqual([3]);
  await expect(next("torn", 3)).rejects.toThrow(LogGap);
});

test("the clean-up of erased subjects begins early enough when the clock has stepped back after their creation", async () => {
  await append("stepped", 5);
  const times = { 1: "2026-03-01", 2: "2026-03-10", 3: "2026-03-11", 4: "2020-01-01", 5: "2026-03-12" };
  for (const [sequence, time] of Object.entries(times)) {
    await database.query("update changes set created_at = $2 where organization_id = 'stepped' and sequence = $1", [
      sequence,
      time,
    ]);
  }
  const before = (since: string) => database.transaction((tx) => changeBefore(tx, "stepped", new Date(since)));
  expect(await before("2026-03-10")).toBe(1);
  expect(await before("2026-03-11")).toBe(2);
  // No change is as new as the subject: the clock was ahead when the subject was created.
  expect(await before("2030-01-01")).toBe(0);
});

import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openTestDatabase } from "../../testing/test-database.js";
import type { Database } from "./database.js";
import { WorkLocks } from "./work-locks.js";

let database: Database;

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

test("one process at a time can claim work, and another one after the first has released it", async () => {
  const first = new WorkLocks(database, () => {});
  const second = new WorkLocks(database, () => {});
  expect(await first.claim("delivery")).toBe(true);
  expect(await first.claim("delivery")).toBe(true);
  expect(await second.claim("delivery")).toBe(false);
  expect(await second.claim("something else")).toBe(true);
  await first.release("delivery");
  expect(await second.claim("delivery")).toBe(true);
  await second.close();
  expect(await first.claim("delivery")).toBe(true);
  await first.close();
});

test("a process that loses its connection loses its claims, and onLost is called", async () => {
  const onLost = vi.fn();
  const first = new WorkLocks(database, onLost);
  const second = new WorkLocks(database, () => {});
  expect(await first.claim("lost")).toBe(true);
  await database.query(
    "select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid) where locktype = 'advisory' and application_name = 'muster-session'",
  );
  await vi.waitFor(() => expect(onLost).toHaveBeenCalled());
  expect(await second.claim("lost")).toBe(true);
  expect(await first.claim("lost")).toBe(false);
  await first.close();
  await second.close();
});

import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openTestDatabase } from "../../testing/test-database.js";
import type { Database } from "./database.js";
import { WorkLocks } from "./work-locks.js";

let database: Database;

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

test("one process at a time can lock work, and another one after the first has released it", async () => {
  const first = new WorkLocks(database, () => {});
  const second = new WorkLocks(database, () => {});
  expect(await first.take("delivery")).toBe(true);
  expect(await first.take("delivery")).toBe(true);
  expect(await second.take("delivery")).toBe(false);
  expect(await second.take("something else")).toBe(true);
  await first.release("delivery");
  expect(await second.take("delivery")).toBe(true);
  await second.close();
  expect(await first.take("delivery")).toBe(true);
  await first.close();
});

test("a process that loses its connection loses its locks, and onLost is called", async () => {
  const onLost = vi.fn();
  const first = new WorkLocks(database, onLost);
  const second = new WorkLocks(database, () => {});
  expect(await first.take("lost")).toBe(true);
  await database.query(
    "select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid) where locktype = 'advisory' and application_name = 'muster-session'",
  );
  await vi.waitFor(() => expect(onLost).toHaveBeenCalled());
  expect(await second.take("lost")).toBe(true);
  expect(await first.take("lost")).toBe(false);
  await first.close();
  await second.close();
});

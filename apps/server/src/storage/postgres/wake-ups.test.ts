import { pino } from "pino";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openTestDatabase } from "../../testing/test-database.js";
import type { Database } from "./database.js";
import { WakeUps } from "./wake-ups.js";

const PATIENTLY = { timeout: 20_000, interval: 20 };
let database: Database;
let first: WakeUps;
let second: WakeUps;

beforeAll(async () => {
  database = await openTestDatabase();
  const open = async () => {
    const wakeUps = new WakeUps({ database, logger: pino({ level: "silent" }) });
    await wakeUps.start();
    return wakeUps;
  };
  [first, second] = [await open(), await open()];
});
afterAll(async () => {
  await first.close();
  await second.close();
  await database.close();
});

test("a wake-up reaches other processes and not the one that told it, and what is told together comes together", async () => {
  const [own, other] = [vi.fn(), vi.fn()];
  first.on("appended", own);
  second.on("appended", other);
  const ids = Array.from({ length: 450 }, (_, index) => `organization ${index}`);
  for (const id of ids) first.tell("appended", [id]);
  await vi.waitFor(() => expect(other.mock.calls.flatMap(([told]) => told).length).toBe(ids.length), PATIENTLY);
  expect(new Set(other.mock.calls.flatMap(([told]) => told))).toEqual(new Set(ids));
  expect(other.mock.calls.length).toBeLessThan(10);
  expect(own).not.toHaveBeenCalled();
});

test("after its connection was lost, a process is told that it may have missed something", async () => {
  const listener = vi.fn();
  second.on("queued", listener);
  await database.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'muster-listen'",
  );
  await vi.waitFor(() => expect(listener).toHaveBeenCalledWith(undefined), PATIENTLY);
  await vi.waitFor(() => {
    first.tell("queued", ["connector"]);
    expect(listener).toHaveBeenCalledWith(["connector"]);
  }, PATIENTLY);
});

test("a message that is not understood is ignored", async () => {
  const listener = vi.fn();
  second.on("jobs", listener);
  await database.query(`select pg_notify('wake_ups', 'garbage'), pg_notify('wake_ups', '{"wakeUp":"later","ids":[]}')`);
  first.tell("jobs");
  await vi.waitFor(() => expect(listener).toHaveBeenCalledTimes(1), PATIENTLY);
});

import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openTestDatabase } from "../../testing/test-database.js";
import { ClaimLost } from "./claim-lost.js";
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
  expect(await first.take("delivery")).toBeDefined();
  expect(await first.take("delivery")).toBeDefined();
  expect(await second.take("delivery")).toBeUndefined();
  expect(await second.take("something else")).toBeDefined();
  await first.release("delivery");
  expect(await second.take("delivery")).toBeDefined();
  await second.close();
  expect(await first.take("delivery")).toBeDefined();
  await first.close();
});

test("a process that loses its connection loses its locks, and onLost is called", async () => {
  const onLost = vi.fn();
  const first = new WorkLocks(database, onLost);
  const second = new WorkLocks(database, () => {});
  expect(await first.take("lost")).toBeDefined();
  await database.query(
    "select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid) where locktype = 'advisory' and application_name = 'muster-session'",
  );
  await vi.waitFor(() => expect(onLost).toHaveBeenCalled());
  expect(await second.take("lost")).toBeDefined();
  expect(await first.take("lost")).toBeUndefined();
  await first.close();
  await second.close();
});

test("a process that lost its connection cannot save anything once another one has taken over", async () => {
  const first = new WorkLocks(database, () => {});
  const second = new WorkLocks(database, () => {});
  const claim = await first.take("stage", "organization");
  await database.transaction((tx) => claim!.confirm(tx));
  await first.close();
  // Nobody has taken over yet, so what it does is not in question.
  await database.transaction((tx) => claim!.confirm(tx));
  const next = await second.take("stage", "organization");
  await expect(database.transaction((tx) => claim!.confirm(tx))).rejects.toThrow(ClaimLost);
  await database.transaction((tx) => next!.confirm(tx));
  await second.close();
});

test("nobody can take over while a transaction that confirmed its claim is open", async () => {
  const first = new WorkLocks(database, () => {});
  const second = new WorkLocks(database, () => {});
  const claim = await first.take("open");
  let taking: Promise<unknown> = Promise.resolve();
  let isTaken = false;
  await database.transaction(async (tx) => {
    await claim!.confirm(tx);
    await first.close();
    taking = second.take("open").then(() => {
      isTaken = true;
    });
    await tx.query("select pg_sleep(0.1)");
    expect(isTaken).toBe(false);
  });
  await taking;
  expect(isTaken).toBe(true);
  await second.close();
});

test("a claim says whether another process has had the work in between", async () => {
  const first = new WorkLocks(database, () => {});
  const second = new WorkLocks(database, () => {});
  const takeAndRelease = async (locks: WorkLocks) => {
    const claim = await locks.take("turns");
    expect((await locks.take("turns"))?.isContinued).toBe(true);
    await locks.release("turns");
    return claim?.isContinued;
  };
  expect(await takeAndRelease(first)).toBe(false);
  expect(await takeAndRelease(first)).toBe(true);
  expect(await takeAndRelease(second)).toBe(false);
  expect(await takeAndRelease(first)).toBe(false);
  await first.close();
  await second.close();
});

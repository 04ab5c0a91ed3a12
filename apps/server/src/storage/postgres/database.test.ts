import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openDatabaseProxy } from "../../testing/database-proxy.js";
import { createTestDatabase } from "../../testing/test-database.js";
import { type Database, isDataError, isUniqueViolation, openDatabase, type Transaction } from "./database.js";

const PATIENTLY = { timeout: 20_000, interval: 20 };

let url: string;
let database: Database;
let errors: Error[];
let slow: string[];
beforeEach(async () => {
  url = await createTestDatabase();
  errors = [];
  slow = [];
  database = openDatabase({
    url,
    slowQueryMs: 200,
    onSlowQuery: (sql) => slow.push(sql),
    onError: (error) => errors.push(error),
  });
  await database.query("create table numbers (n int primary key)");
});
afterEach(() => database.close());

const OWN_PID = "select pg_backend_pid() as pid";

async function countNumbers(): Promise<number | undefined> {
  const { rows } = await database.query<{ count: number }>("select count(*) as count from numbers");
  return rows[0]?.count;
}

test("an error does not contain the values of a row, because errors are logged", async () => {
  await database.query("create table secrets (text text, n int check (n > 0))");
  const failing = [
    database.query("insert into secrets values ($1, $2)", ["s3cret", 0]),
    database.transaction((tx) => tx.query("insert into secrets values ($1, $2)", ["s3cret", 0])),
  ];
  for (const { reason } of (await Promise.allSettled(failing)) as PromiseRejectedResult[]) {
    expect(reason).toMatchObject({ code: "23514", constraint: "secrets_n_check" });
    expect(JSON.stringify({ ...reason })).not.toContain("s3cret");
  }
});

test("a statement that would write one row twice fails because of its data", async () => {
  const twice = database.query(
    "insert into numbers select unnest($1::int[]) on conflict (n) do update set n = excluded.n",
    [[1, 1]],
  );
  await expect(twice).rejects.toSatisfy(isDataError);
});

test("a transaction that fails writes nothing", async () => {
  await database.transaction((tx) => tx.query("insert into numbers values ($1)", [1]));
  const failing = database.transaction(async (tx) => {
    await tx.query("insert into numbers values ($1)", [2]);
    throw new Error("changed my mind");
  });
  await expect(failing).rejects.toThrow("changed my mind");
  expect(await countNumbers()).toBe(1);
});

test("a statement that comes after the end of its transaction is refused", async () => {
  const ended: Transaction[] = [];
  await database.transaction(async (tx) => ended.push(tx));
  const failing = database.transaction((tx) => {
    ended.push(tx);
    return tx.query("select 1 / 0");
  });
  await expect(failing).rejects.toThrow("division by zero");
  for (const tx of ended) {
    await expect(tx.query("insert into numbers values (1)")).rejects.toThrow("after the end of its transaction");
  }
  expect(await countNumbers()).toBe(0);
});

test("statements sent together run in order, and those after a failed one fail with the same error", async () => {
  const add = "insert into numbers values ($1)";
  await database.transaction(async (tx) => {
    const [, before, , after] = await Promise.all([
      tx.query(add, [1]),
      tx.query<{ count: number }>("select count(*) as count from numbers"),
      tx.query(add, [2]),
      tx.query<{ count: number }>("select count(*) as count from numbers"),
    ]);
    expect([before.rows[0]?.count, after.rows[0]?.count]).toEqual([1, 2]);
  });
  let outcomes: unknown;
  const careless = database.transaction(async (tx) => {
    outcomes = await Promise.allSettled([
      tx.query(add, [3]),
      tx.query(add, [1]),
      tx.query(add, [4]),
      tx.query("select 1"),
    ]);
  });
  await expect(careless).rejects.toMatchObject({ code: "23505" });
  expect(outcomes).toMatchObject([
    { status: "fulfilled" },
    ...Array(3).fill({ status: "rejected", reason: { code: "23505" } }),
  ]);
  expect(await countNumbers()).toBe(2);
});

test("isUniqueViolation recognises a violated unique constraint and nothing else", async () => {
  await database.query("insert into numbers values (1)");
  const twice = await database.query("insert into numbers values (1)").catch((error: unknown) => error);
  expect(isUniqueViolation(twice)).toBe(true);
  const nonsense = await database.query("insert into nowhere values (1)").catch((error: unknown) => error);
  expect(isUniqueViolation(nonsense)).toBe(false);
});

test("a connection lost between two statements of a transaction fails the transaction, not the process", async () => {
  const lost = database.transaction(async (tx) => {
    const { rows } = await tx.query<{ pid: number }>(OWN_PID);
    await database.query("select pg_terminate_backend($1)", [rows[0]?.pid]);
    await vi.waitFor(() => expect(errors).not.toEqual([]));
    await tx.query("insert into numbers values (1)");
  });
  await expect(lost).rejects.toThrow();
  expect(errors[0]?.message).toMatch(/terminating connection/);
  expect(errors[0]).not.toHaveProperty("client");
  expect(await countNumbers()).toBe(0);
});

test("an idle connection that is lost is reported and replaced", async () => {
  const { rows } = await database.query<{ pid: number }>(OWN_PID);
  const other = openDatabase({ url, slowQueryMs: 60_000, onSlowQuery: () => {}, onError: () => {} });
  await other.query("select pg_terminate_backend($1)", [rows[0]?.pid]);
  await other.close();
  await vi.waitFor(() => expect(errors).toHaveLength(1));
  expect(await countNumbers()).toBe(0);
});

test("after close the server has no connection of the pool any more", async () => {
  const closing = openDatabase({ url, slowQueryMs: 60_000, onSlowQuery: () => {}, onError: () => {} });
  // The lock keeps every query waiting until all eight are under way, each on its own connection.
  const locked = `${OWN_PID}, pg_advisory_xact_lock_shared(1)`;
  const asking = await database.transaction(async (tx) => {
    await tx.query("select pg_advisory_xact_lock(1)");
    const queries = Array.from({ length: 8 }, () => closing.query<{ pid: number }>(locked));
    const waiting = "select count(*) as count from pg_locks where locktype = 'advisory' and not granted";
    const countWaiting = async () => (await tx.query<{ count: number }>(waiting)).rows;
    await expect.poll(countWaiting, { timeout: 20_000 }).toEqual([{ count: 8 }]);
    return { queries };
  });
  const pids = (await Promise.all(asking.queries)).map(({ rows }) => rows[0]?.pid);
  expect(new Set(pids).size).toBe(8);
  await closing.close();
  const { rows } = await database.query("select pid from pg_stat_activity where pid = any($1)", [pids]);
  expect(rows).toEqual([]);
});

test("a notification reaches the listeners of its channel", async () => {
  const messages: string[] = [];
  await database.listen("news", (payload) => messages.push(payload));
  await database.query("select pg_notify('news', 'hello')");
  await vi.waitFor(() => expect(messages).toEqual(["hello"]));
});

test("a listener whose connection is lost listens again, and is called once for what it may have missed", async () => {
  const messages: string[] = [];
  await database.listen("news", (payload) => messages.push(payload));
  await database.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'muster-listen' and datname = current_database()",
  );
  await vi.waitFor(() => expect(messages).toEqual([""]), PATIENTLY);
  await database.query("select pg_notify('news', 'hello')");
  await vi.waitFor(() => expect(messages).toEqual(["", "hello"]), PATIENTLY);
});

test.each(["stop", "freeze"] as const)(
  "when the database goes away (%s), statements are refused as unavailable",
  async (how) => {
    const proxy = await openDatabaseProxy(url);
    const limits = { connectMs: 1_500, statementMs: 1_000, lockMs: 500 };
    const behind = openDatabase({
      url: proxy.url,
      limits,
      slowQueryMs: 60_000,
      onSlowQuery: () => {},
      onError: () => {},
    });
    await behind.query("select 1");
    await proxy[how]();
    const refused = { name: "Refusal", code: "unavailable", retryAfter: 2, message: "The database does not answer." };
    const attempts = await Promise.allSettled([
      behind.query("insert into numbers values (7)"),
      behind.prepared("select $1::int", [1]),
      behind.transaction((tx) => tx.query("insert into numbers values (8)")),
    ]);
    for (const attempt of attempts) expect(attempt).toMatchObject({ status: "rejected", reason: refused });
    await proxy.resume();
    await vi.waitFor(async () => {
      expect((await behind.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    }, PATIENTLY);
    await behind.close();
    await proxy.close();
  },
  30_000,
);

test("a statement that takes too long or waits too long for a lock is ended, except in a patient transaction", async () => {
  const limits = { connectMs: 5_000, statementMs: 300, lockMs: 100 };
  const hasty = openDatabase({ url, limits, slowQueryMs: 60_000, onSlowQuery: () => {}, onError: () => {} });
  await expect(hasty.query("select pg_sleep(5)")).rejects.toMatchObject({
    code: "unavailable",
    message: "The database took too long.",
  });
  await database.transaction(async (tx) => {
    await tx.query("lock table numbers");
    await expect(hasty.query("insert into numbers values (1)")).rejects.toMatchObject({ code: "unavailable" });
  });
  await hasty.transaction((tx) => tx.query("select pg_sleep(0.6)"), { isPatient: true });
  await hasty.close();
});

test("a slow statement is reported without its values", async () => {
  await database.query("select pg_sleep($1)", [0.3]);
  expect(slow).toEqual(["select pg_sleep($1)"]);
});

test("bigint values are read as numbers, and the time zone is UTC", async () => {
  const { rows } = await database.query("select 9007199254740991::bigint as n, current_setting('timezone') as zone");
  expect(rows).toEqual([{ n: 9_007_199_254_740_991, zone: "UTC" }]);
});

test("connections take writes again after a full disk, also one whose transaction was rolled back meanwhile", async () => {
  const single = openDatabase({ url, slowQueryMs: 60_000, onSlowQuery() {}, onError() {}, maxConnections: 1 });
  single.setReadOnly(true);
  await expect(single.query("insert into numbers values (1)")).rejects.toMatchObject({ code: "unavailable" });
  const failing = single.transaction(async (tx) => {
    await tx.query("select 1");
    single.setReadOnly(false);
    await tx.query("select 1");
    throw new Error("changed my mind");
  });
  await expect(failing).rejects.toThrow("changed my mind");
  await single.query("insert into numbers values (1)");
  await single.transaction((tx) => tx.query("insert into numbers values (2)"));
  single.setReadOnly(true);
  const refused = single.transaction((tx) => tx.query("insert into numbers values (3)"));
  await expect(refused).rejects.toMatchObject({ code: "unavailable" });
  await single.close();
  expect(await countNumbers()).toBe(2);
});

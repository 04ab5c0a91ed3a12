import { afterEach, beforeEach, expect, test } from "vitest";
import { openTestDatabase } from "../../../testing/test-database.js";
import type { Database } from "../database.js";
import { endPass, findErased, listToClean, lockPass, organizationsToClean, savePass } from "./erasures.js";

let database: Database;
beforeEach(async () => {
  database = await openTestDatabase();
  await database.query(
    `insert into erased (organization_id, id, identifiers, sequence)
     values ('o', 'early', '{email a@example.com}', 0),
            ('o', 'late', '{email b@example.com}', 1),
            ('another', 'early', '{}', 0)`,
  );
});
afterEach(() => database.close());

const lock = () => database.transaction((tx) => lockPass(tx, "o"));

test("a pass removes the subjects that were erased before it started, and continues where it was saved", async () => {
  const pass = await lock();
  expect(pass).toMatchObject({ step: "changes", after: 0 });
  await database.transaction((tx) => savePass(tx, "o", { step: "l", after: 42, counts: { changes: 3 } }));
  expect(await lock()).toEqual({ ...pass, step: "l", after: 42, counts: { changes: 3 } });
  const subjects = await database.transaction((tx) => listToClean(tx, "o", pass!));
  expect(subjects).toMatchObject([{ id: "early", identifiers: ["email a@example.com"] }]);
});

test("a pass that another process has locked is not returned", async () => {
  await lock();
  await database.transaction(async (tx) => {
    expect(await lockPass(tx, "o")).toMatchObject({ step: "changes", after: 0 });
    expect(await lock()).toBeUndefined();
  });
});

test("the end of a pass deletes the identifiers and event keys of its subjects, whose ids stay erased", async () => {
  await database.query(
    `insert into event_keys (organization_id, event_id, recorded_at, event, created_at, user_id)
     values ('o', '1', 0, 'Order', 0, 'early'), ('o', '2', 0, 'Order', 0, 'late'), ('another', '1', 0, 'Order', 0, 'early')`,
  );
  await lock();
  await database.transaction((tx) => endPass(tx, "o", ["early"]));
  const { rows: keys } = await database.query("select organization_id, user_id from event_keys order by 1, 2");
  expect(keys).toEqual([
    { organization_id: "another", user_id: "early" },
    { organization_id: "o", user_id: "late" },
  ]);
  const { rows } = await database.query("select id, identifiers from erased where organization_id = 'o' order by id");
  expect(rows).toEqual([
    { id: "early", identifiers: [] },
    { id: "late", identifiers: ["email b@example.com"] },
  ]);
  expect(await findErased(database, "o", ["early", "late", "other"])).toEqual(new Set(["early", "late"]));
  expect((await organizationsToClean(database)).sort()).toEqual(["another"]);
  // The next pass is a new one, about the subject that is left.
  const next = await lock();
  expect(next).toMatchObject({ step: "changes", after: 0 });
});

const erasedAt = (time: string) =>
  database.query(`update erased set erased_at = now() + interval '${time}' where organization_id = 'o'`);

test.for<[string, boolean]>([
  ["-1 hour", true],
  ["-1 second", false],
  ["1 second", false],
  // The clock of the database was set back since then.
  ["1 hour", true],
])("an erasure %s from now is settled: %s", async ([time, isSettled]) => {
  await erasedAt(time);
  const found = await organizationsToClean(database, { settleMs: 5_000, paceMs: 0 });
  expect(found.includes("o")).toBe(isSettled);
});

test.for<[string, boolean]>([
  ["-1 hour", true],
  ["-1 second", false],
  ["1 hour", true],
])("the next pass may begin when the last one ended %s from now: %s", async ([time, mayBegin]) => {
  await erasedAt("-1 hour");
  await database.query(
    `insert into erased (organization_id, id, cleaned_at) values ('o', 'done', now() + interval '${time}')`,
  );
  const found = await organizationsToClean(database, { settleMs: 0, paceMs: 60_000 });
  expect(found.includes("o")).toBe(mayBegin);
});

test("a pass removes the subjects that its changes erased, whatever the clock said then", async () => {
  await erasedAt("1 hour");
  const pass = await lock();
  const subjects = await database.transaction((tx) => listToClean(tx, "o", pass!));
  expect(subjects).toMatchObject([{ id: "early" }]);
});

test("a pass has about a thousand subjects at most, and all of one change", async () => {
  await database.query(
    `insert into erased (organization_id, id, sequence)
     select 'o', 'many ' || n, n / 10 from generate_series(10, 3000) as n`,
  );
  await database.query(
    "insert into project_cursors (organization_id, sequence, computed_until) values ('o', 400, 400)",
  );
  const pass = await lock();
  const subjects = await database.transaction((tx) => listToClean(tx, "o", pass!));
  expect(subjects.length).toBeGreaterThanOrEqual(1_000);
  expect(subjects.length).toBeLessThan(1_010);
  const ids = subjects.map(({ id }) => id);
  await database.transaction((tx) => endPass(tx, "o", ids));
  // So many are left that the next pass does not wait.
  expect(await organizationsToClean(database, { settleMs: 0, paceMs: 60_000 })).toContain("o");
});

test("a pass leaves the changes that computed attributes have not followed yet", async () => {
  await database.query("insert into project_cursors (organization_id, sequence, computed_until) values ('o', 1, 0)");
  const subjects = await database.transaction(async (tx) => listToClean(tx, "o", (await lockPass(tx, "o"))!));
  expect(subjects).toMatchObject([{ id: "early" }]);
});

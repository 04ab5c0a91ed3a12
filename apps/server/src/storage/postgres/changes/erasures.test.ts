import { afterEach, beforeEach, expect, test } from "vitest";
import { openTestDatabase } from "../../../testing/test-database.js";
import type { Database } from "../database.js";
import { endPass, findErased, listToClean, lockPass, organizationsToClean, savePass } from "./erasures.js";

let database: Database;
beforeEach(async () => {
  database = await openTestDatabase();
  await database.query(
    `insert into erased (organization_id, id, identifiers, erased_at)
     values ('o', 'early', '{email a@example.com}', now() - interval '1 hour'),
            ('o', 'late', '{email b@example.com}', now() + interval '1 hour'),
            ('another', 'early', '{}', now())`,
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

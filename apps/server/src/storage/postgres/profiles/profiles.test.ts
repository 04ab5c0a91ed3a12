import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestDatabase } from "../../../testing/test-database.js";
import { type Database, isDataError } from "../database.js";
import { saveIdentifiers } from "./profiles.js";

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const email = { kind: "email", value: "ann@example.com" };

const save = (changes: Parameters<typeof saveIdentifiers>[3]) =>
  database.transaction((tx) => saveIdentifiers(tx, "user", "org", changes));

async function owners() {
  const { rows } = await database.query<{ user_id: string }>("select user_id from user_identifiers");
  return rows.map(({ user_id }) => user_id);
}

test("an identifier moves only from a profile that has lost it, and any other move is a data error", async () => {
  await save({ claimed: [{ ...email, id: "ann", from: [] }], released: [] });
  await expect(save({ claimed: [{ ...email, id: "thief", from: [] }], released: [] })).rejects.toSatisfy(isDataError);
  await expect(save({ claimed: [{ ...email, id: "thief", from: ["bob"] }], released: [] })).rejects.toSatisfy(
    isDataError,
  );
  await save({ claimed: [], released: [{ ...email, from: ["bob"] }] });
  expect(await owners()).toEqual(["ann"]);

  await save({ claimed: [{ ...email, id: "survivor", from: ["ann"] }], released: [] });
  expect(await owners()).toEqual(["survivor"]);
  await save({ claimed: [], released: [{ ...email, from: ["survivor"] }] });
  expect(await owners()).toEqual([]);
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestDatabase } from "../../testing/test-database.js";
import type { Database } from "./database.js";
import { readPage } from "./read-page.js";

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
  await database.query("create table letters as select chr(96 + n) as letter, n from generate_series(1, 9) as n");
});
afterAll(() => database.close());

const LISTING = { columns: "letter", from: "letters where n > $1", orderBy: "n desc", values: [3] };

test("a page has its rows in order, and the number of all rows that match", async () => {
  expect(await readPage(database, LISTING, { limit: 2, offset: 1 })).toEqual({
    total: 6,
    rows: [{ letter: "h" }, { letter: "g" }],
  });
});

test("a page after the last row is empty, and all rows are still counted", async () => {
  expect(await readPage(database, LISTING, { limit: 2, offset: 6 })).toEqual({ total: 6, rows: [] });
});

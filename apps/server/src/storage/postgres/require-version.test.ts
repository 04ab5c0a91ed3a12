import { expect, test } from "vitest";
import { openTestDatabase } from "../../testing/test-database.js";
import type { Queryable } from "./database.js";
import { requireVersion } from "./require-version.js";

/** A server that says which version it is. No older PostgreSQL is at hand. */
function serverOf(number: string, version: string): Queryable {
  return { query: async () => ({ rows: [{ number, version }], rowCount: 1 }) } as unknown as Queryable;
}

test("a PostgreSQL before 15 is refused with what to do", async () => {
  await expect(requireVersion(serverOf("140011", "14.11"))).rejects.toThrow(
    "The PostgreSQL of DATABASE_URL is version 14.11, and Muster needs 15 or later. Move the database to a newer server.",
  );
  await requireVersion(serverOf("150000", "15.0"));
});

test("the PostgreSQL of the tests is new enough", async () => {
  const database = await openTestDatabase();
  await requireVersion(database);
  await database.close();
});

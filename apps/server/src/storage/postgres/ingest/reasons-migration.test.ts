import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { generalReason } from "../../../domain/entries/general-reason.js";
import { openTestDatabase } from "../../../testing/test-database.js";
import type { Database } from "../database.js";

const MIGRATION = new URL("../../../../migrations/0026-reasons-of-rejected-entries.sql", import.meta.url);

const MESSAGES = [
  'Nobody is known by email "ann@example.com", external_id "4".',
  `The attribute "age" was refused: the attribute's type is numeric, and a string was given. The attribute "b" was refused: no.`,
  'The attribute "born_at" was refused: "long ago" cannot be read as a date.',
  'The user 018f6d2b4c0010a1b2000001 already has the email "a@b.example"; "c@d.example" was not added.',
  "The user is not linked to an account.",
  `It could not be stored: ${"x".repeat(500)}.`,
];

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

test("entries that were rejected before get the same reason as new ones", async () => {
  await database.query(
    `insert into rejected_entries (organization_id, connector_id, code, message, entry)
     select 'acme', 'shop', 'internal', message, '{}' from unnest($1::text[]) as r (message)`,
    [MESSAGES],
  );
  const [fill] = /^update [^;]+;/m.exec(await readFile(MIGRATION, "utf8")) ?? [];
  await database.query(fill ?? "");
  const { rows } = await database.query<{ message: string; reason: string }>(
    "select message, reason from rejected_entries where organization_id = 'acme' order by id",
  );
  expect(rows).toEqual(MESSAGES.map((message) => ({ message, reason: generalReason(message) })));
});

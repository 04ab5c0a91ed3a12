import { createId } from "@muster/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestDatabase } from "../../../testing/test-database.js";
import type { Database } from "../database.js";
import { createSegment, organizationsToSweep } from "./segments.js";

let database: Database;
let organizationId: string;
beforeAll(async () => {
  database = await openTestDatabase();
  organizationId = createId("organization");
  await database.query("insert into organizations (id, namespace, name) values ($1, 'acme', 'Acme')", [organizationId]);
});
afterAll(() => database.close());

test("a segment that changes with time is swept when its evaluation is too old, or in the future because a clock was ahead", async () => {
  const definition = { name: "Recent", query: {}, predicate: {}, changesWithTime: true };
  await createSegment(database, organizationId, "user", definition);
  const isDueAfter = async (seconds: number) => {
    await database.query(
      "update segments set evaluated_revision = revision, evaluated_at = now() - make_interval(secs => $1)",
      [seconds],
    );
    return (await organizationsToSweep(database, 20)).includes(organizationId);
  };
  expect(await isDueAfter(1)).toBe(false);
  expect(await isDueAfter(30)).toBe(true);
  expect(await isDueAfter(-3_600)).toBe(true);
});

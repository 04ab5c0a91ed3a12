import { createId } from "@muster/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestDatabase } from "../../../testing/test-database.js";
import type { Database } from "../database.js";
import {
  createSegment,
  listSegments,
  markBroken,
  markEvaluated,
  organizationsToSweep,
  updateSegment,
} from "./segments.js";

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
    return (await organizationsToSweep(database, new Date(), { sweepSeconds: 20, retrySeconds: 60 })).includes(
      organizationId,
    );
  };
  expect(await isDueAfter(1)).toBe(false);
  expect(await isDueAfter(30)).toBe(true);
  expect(await isDueAfter(-3_600)).toBe(true);
});

test("a broken segment is tried again after a minute, at once when its query is edited, and is whole when it was evaluated", async () => {
  const definition = { name: "Broken", query: { a: 1 }, predicate: {}, changesWithTime: false };
  await database.query("delete from segments");
  const { id, revision } = await createSegment(database, organizationId, "user", definition);
  const present = async () => (await listSegments(database, organizationId)).find((segment) => segment.id === id)!;
  const isDue = async () => {
    const due = await organizationsToSweep(database, new Date(), { sweepSeconds: 1e9, retrySeconds: 60 });
    return due.includes(organizationId);
  };
  const broken = { id, revision, problem: "It is refused." };
  await database.transaction((tx) => markBroken(tx, organizationId, [broken], new Date()));
  expect(await present()).toMatchObject({ problem: "It is refused.", problemSince: expect.any(Date) });
  expect(await isDue()).toBe(false);
  await database.query("update segments set evaluated_at = now() - interval '61 seconds' where id = $1", [id]);
  expect(await isDue()).toBe(true);
  await updateSegment(database, organizationId, id, { ...definition, query: { a: 2 } });
  expect([await isDue(), (await present()).problem]).toEqual([true, null]);
  // What was found about the query before the edit says nothing about the new one.
  await database.transaction((tx) => markBroken(tx, organizationId, [broken], new Date()));
  expect((await present()).problem).toBe(null);
  const before = await present();
  await database.transaction((tx) =>
    markBroken(tx, organizationId, [{ ...broken, revision: revision + 1 }], new Date()),
  );
  // An evaluation that began before the problem was found says nothing about it.
  await markEvaluated(database, organizationId, [before], new Date());
  expect((await present()).problem).toBe("It is refused.");
  await markEvaluated(database, organizationId, [await present()], new Date());
  expect(await present()).toMatchObject({ problem: null, problemSince: null });
  expect(await isDue()).toBe(false);
});

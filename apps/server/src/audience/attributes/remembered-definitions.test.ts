import { createId } from "@muster/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database, Queryable } from "../../storage/postgres/database.js";
import { saveAttributes } from "../../storage/postgres/definitions/attribute-definitions.js";
import { createAttribute, updateAttribute } from "../../storage/postgres/definitions/attribute-rows.js";
import { createSegment, markBroken, removeSegment, updateSegment } from "../../storage/postgres/segments/segments.js";
import { openTestDatabase } from "../../testing/test-database.js";
import { loadSegments } from "../segments/known-segments.js";
import { hiddenKeys, loadAttributes, loadAttributeTypes } from "./attribute-definitions.js";

let database: Database;
let organizationId: string;
beforeAll(async () => {
  database = await openTestDatabase();
  organizationId = createId("organization");
  await database.query("insert into organizations (id, namespace, name) values ($1, 'acme', 'Acme')", [organizationId]);
});
afterAll(() => database.close());

const PLAN = {
  name: "plan",
  type: "string",
  visible: true,
  trackChanges: true,
  serverOnly: null,
  label: "",
  description: "",
} as const;
const SEGMENT = { name: "All", query: {}, predicate: {}, changesWithTime: false };

/** The statements that `work` sends. */
async function statementsOf(work: (counting: Queryable) => Promise<unknown>): Promise<string[]> {
  const sent: string[] = [];
  await work({
    query(text, values) {
      sent.push(text);
      return database.query(text, values);
    },
    prepared(text, values) {
      sent.push(text);
      return database.prepared(text, values);
    },
  });
  return sent;
}

test("attributes that have not changed are not read again, and a change is seen at once", async () => {
  await createAttribute(database, organizationId, "user", PLAN);
  const load = (from: Queryable) => loadAttributes(from, organizationId, "user", 100);
  expect((await load(database)).get("plan")).toMatchObject({ visible: true });

  const again = await statementsOf(load);
  expect(again).toHaveLength(1);
  expect(again[0]).not.toContain("attribute_definitions");

  await updateAttribute(database, organizationId, "user", "plan", {
    visible: false,
    trackChanges: true,
    serverOnly: null,
    label: "",
    description: "",
  });
  expect((await load(database)).get("plan")).toMatchObject({ visible: false });
  expect(await hiddenKeys(database, organizationId, "user")).toHaveLength(1);

  await saveAttributes(database, organizationId, "account", [
    { ...PLAN, name: "size", type: "numeric", source: "a connector", byEndUser: false },
  ]);
  expect((await loadAttributeTypes(database, organizationId)).typeOf("account", "size")).toBe("numeric");
});

test("attributes of a transaction that is rolled back are seen by nobody", async () => {
  const failing = database.transaction(async (tx) => {
    await createAttribute(tx, organizationId, "user", { ...PLAN, name: "undone" });
    throw new Error("rolled back");
  });
  await expect(failing).rejects.toThrow("rolled back");
  expect((await loadAttributes(database, organizationId, "user", 100)).get("undone")).toBeUndefined();
});

test("an attribute that records carry is stored as seen once a minute, also when its definition is not read again", async () => {
  const seenAt = async (time: number) => {
    const attributes = await loadAttributes(database, organizationId, "user", 100);
    attributes.see("plan");
    return attributes.takeSeen(time);
  };
  const now = Date.now() + 3_600_000;
  expect(await seenAt(now)).toEqual(["plan"]);
  expect(await seenAt(now + 1_000)).toEqual([]);
  expect(await seenAt(now + 61_000)).toEqual(["plan"]);
});

test("segments that have not changed are not read again, and a change is seen at once", async () => {
  const { id, revision } = await createSegment(database, organizationId, "user", SEGMENT);
  const load = (from: Queryable = database) => loadSegments(from, organizationId);
  expect(await load()).toMatchObject([{ id, name: "All" }]);

  const again = await statementsOf(load);
  expect(again).toHaveLength(1);
  expect(again[0]).not.toContain("from segments");

  await updateSegment(database, organizationId, id, { ...SEGMENT, name: "Everybody" });
  expect(await load()).toMatchObject([{ id, name: "Everybody" }]);
  const broken = { id, revision, problem: "It is too slow." };
  await database.transaction((tx) => markBroken(tx, organizationId, [broken], new Date()));
  expect(await load()).toMatchObject([{ id, problem: "It is too slow." }]);
  await removeSegment(database, organizationId, id);
  expect(await load()).toEqual([]);
});

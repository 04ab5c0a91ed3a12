import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "../../storage/postgres/database.js";
import { openEngine } from "../../storage/questions/contract/open-engine.js";
import {
  evaluationOf,
  idOf,
  type Organization,
  openOrganization,
} from "../../storage/questions/contract/organization.test.kit.js";
import { changeOf, eventOf, stepOf, userDocument } from "../../storage/questions/contract/steps.test.kit.js";
import type { Questions } from "../../storage/questions/questions.js";
import { openTestDatabase } from "../../testing/test-database.js";
import { eraseLateWrites } from "./erase-late-writes.js";

const [ann, bob] = [idOf("ann"), idOf("bob")];

let database: Database;
let engine: Questions;
let questions: Questions;
let organization: Organization;

beforeAll(async () => {
  database = await openTestDatabase();
  engine = await openEngine();
  questions = eraseLateWrites(database, engine);
});
afterAll(async () => {
  await engine.close();
  await database.close();
});

/** Another process has written up to change 5, which erased Ann, and has cleaned the engine. */
beforeEach(async () => {
  organization = await openOrganization(engine);
  await database.query("insert into project_cursors (organization_id, sequence) values ($1, 5)", [organization.id]);
  await database.query("insert into erased (organization_id, id, sequence, cleaned_at) values ($1, $2, 5, now())", [
    organization.id,
    ann,
  ]);
});

/** The users, events and memberships in the engine. */
async function held(): Promise<{ users: string; events: number; members: number }> {
  const memberships = await engine.membershipsOf(organization.id, [ann, bob]);
  return {
    users: await organization.find(),
    events: await organization.count({}, "event"),
    members: [...memberships.values()].flat().length,
  };
}

const written = [userDocument(ann, {}), userDocument(bob, {})];
const events = [eventOf(idOf("e1"), ann), eventOf(idOf("e2"), bob)];

describe("a process that was suspended brings no erased subject back", () => {
  test("with changes: documents, events and memberships", async () => {
    const evaluation = evaluationOf("buyers", { entered: ["ann", "bob"] });
    const changes = [changeOf(3, { events }), changeOf(4, { evaluation })];
    await questions.writeChanges(organization.id, stepOf(changes, { users: { written } }));
    // Bob has his own event and that he entered the segment.
    expect(await held()).toEqual({ users: "bob", events: 2, members: 1 });
  });

  test("with an evaluation", async () => {
    await questions.writeEvaluation(organization.id, 4, evaluationOf("buyers", { entered: ["ann", "bob"] }));
    expect(await held()).toMatchObject({ events: 1, members: 1 });
  });

  test("with a page of a rebuild", async () => {
    await questions.writeDocuments(organization.id, written, { kind: "user", afterId: bob }, () => undefined);
    expect(await held()).toMatchObject({ users: "bob" });
  });
});

test("a process that nobody has overtaken writes as it did", async () => {
  await database.query("update project_cursors set sequence = 2 where organization_id = $1", [organization.id]);
  await questions.writeChanges(organization.id, stepOf([changeOf(3, { events })], { users: { written } }));
  expect(await held()).toEqual({ users: "ann bob", events: 2, members: 0 });
});

import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canTest } from "../../../../../../../testing/can-test.js";
import type { Questions } from "../../questions.js";
import { ENGINE, makeFolder, openEngine, openFolder } from "../open-engine.js";
import { evaluationOf, idOf, openOrganization } from "../organization.test.kit.js";
import { accountDocument, changeOf, eventOf, stepOf, typesOf, userDocument } from "../steps.test.kit.js";

let questions: Questions;

beforeAll(async () => {
  questions = await openEngine();
});

afterAll(() => questions.close());

const ORG = idOf("progress");
const typeOf = typesOf({ user: {}, account: {} });

test("an open engine answers a ping, and names its version", async () => {
  await expect(questions.ping()).resolves.toBeUndefined();
  expect(await questions.version()).toMatch(/^(DuckDB|ClickHouse) \d+\.\d+/);
});

test("an organization that was never written has no progress", async () => {
  const progress = await questions.progress(idOf("unheard of"));
  expect(progress).toMatchObject({ generation: undefined, sequence: 0 });
});

describe("progress", () => {
  test("starts with accounts", async () => {
    await questions.begin(ORG, "one");
    expect(await questions.progress(ORG)).toEqual({
      generation: "one",
      sequence: 0,
      documents: { kind: "account", afterId: "" },
      documentsUntil: 0,
      documentCount: 0,
    });
  });

  test("is the last written page of documents", async () => {
    const accountsWritten = { kind: "account", afterId: idOf("acme") } as const;
    await questions.writeDocuments(ORG, [accountDocument(idOf("acme"), {})], accountsWritten, typeOf);
    expect(await questions.progress(ORG)).toMatchObject({ documents: accountsWritten, documentCount: 1 });

    const usersWritten = { kind: "user", afterId: idOf("ann") } as const;
    await questions.writeDocuments(ORG, [userDocument(idOf("ann"), {})], usersWritten, typeOf);
    expect(await questions.progress(ORG)).toMatchObject({ documents: usersWritten, documentCount: 2 });
  });

  test("continues with an empty page, because there may be no accounts or users", async () => {
    const usersWritten = { kind: "user", afterId: idOf("zoe") } as const;
    await questions.writeDocuments(ORG, [], usersWritten, typeOf);
    expect(await questions.progress(ORG)).toMatchObject({ documents: usersWritten, documentCount: 2 });
  });

  test("shows that all documents are written, and up to which sequence", async () => {
    await questions.endDocuments(ORG, 7);
    expect(await questions.progress(ORG)).toEqual({
      generation: "one",
      sequence: 0,
      documents: undefined,
      documentsUntil: 7,
      documentCount: 2,
    });
  });

  test("is the sequence of the last change that was written", async () => {
    await questions.writeChanges(ORG, stepOf([changeOf(1), changeOf(2), changeOf(5)]));
    expect(await questions.progress(ORG)).toMatchObject({ sequence: 5, documentsUntil: 7 });
    await questions.writeChanges(ORG, stepOf([changeOf(6)]));
    expect(await questions.progress(ORG)).toMatchObject({ sequence: 6, documentsUntil: 7 });
  });

  test("does not change when changes are written again", async () => {
    await questions.writeChanges(ORG, stepOf([changeOf(1), changeOf(2)]));
    expect((await questions.progress(ORG)).sequence).toBe(6);
  });

  test("does not change when an evaluation is written before earlier changes", async () => {
    await questions.writeEvaluation(ORG, 9, evaluationOf("buyers", { entered: ["ann"] }));
    expect((await questions.progress(ORG)).sequence).toBe(6);
  });

  test("can have sequences of more than 32 bits", async () => {
    await questions.writeChanges(ORG, stepOf([changeOf(2 ** 40)]));
    expect((await questions.progress(ORG)).sequence).toBe(2 ** 40);
  });

  test("starts again with a new generation, which is empty", async () => {
    await questions.begin(ORG, "two");
    expect(await questions.progress(ORG)).toEqual({
      generation: "two",
      sequence: 0,
      documents: { kind: "account", afterId: "" },
      documentsUntil: 0,
      documentCount: 0,
    });
  });
});

describe("the data of an organization", () => {
  const write = async () => {
    const organization = await openOrganization(questions);
    await organization.write(
      { events: [eventOf(idOf("e1"), idOf("ann"))], evaluation: evaluationOf("buyers", { entered: ["ann"] }) },
      {
        users: { written: [userDocument(idOf("ann"), {})] },
        accounts: { written: [accountDocument(idOf("acme"), {})] },
      },
    );
    return organization;
  };
  const sizes = async (organization: Awaited<ReturnType<typeof write>>) => ({
    users: await organization.count({}),
    accounts: await organization.count({}, "account"),
    events: await organization.count({}, "event"),
    memberships: (await questions.membershipsOf(organization.id, [idOf("ann")])).get(idOf("ann"))?.length,
  });
  const NOTHING = { users: 0, accounts: 0, events: 0, memberships: 0 };

  test("is deleted when a generation starts, and can be written again", async () => {
    const organization = await write();
    expect(await sizes(organization)).toEqual({ users: 1, accounts: 1, events: 2, memberships: 1 });
    await questions.begin(organization.id, "second");
    expect(await sizes(organization)).toEqual(NOTHING);
    await questions.endDocuments(organization.id, 0);
    const step = stepOf([changeOf(1, { events: [eventOf(idOf("e1"), idOf("ann"))] })]);
    await questions.writeChanges(organization.id, step);
    expect(await sizes(organization)).toEqual({ ...NOTHING, events: 1 });
  });

  test("is deleted when it is dropped, and that of others is not", async () => {
    const [dropped, kept] = [await write(), await write()];
    await questions.drop(dropped.id);
    expect(await sizes(dropped)).toEqual(NOTHING);
    expect(await questions.progress(dropped.id)).toMatchObject({ generation: undefined, sequence: 0 });
    expect(await sizes(kept)).toEqual({ users: 1, accounts: 1, events: 2, memberships: 1 });
  });

  test("may be dropped twice, or before it exists", async () => {
    const organization = await write();
    await questions.drop(organization.id);
    await questions.drop(organization.id);
    await questions.drop(idOf("never there"));
    expect(await sizes(organization)).toEqual(NOTHING);
  });
});

const canReopen = canTest(
  ENGINE === "duckdb",
  "Opening an engine again is not tested on ClickHouse: chdb cannot open a folder twice in one process. " +
    "To test it on DuckDB, run this file without MUSTER_TEST_QUESTIONS.",
);

test.runIf(canReopen)("everything is still there when the engine is opened again", async () => {
  const folder = await makeFolder();
  const first = await openFolder(folder);
  const organization = await openOrganization(first, { user: { traits_plan: "string" } });
  await organization.write(
    { events: [eventOf(idOf("e1"), idOf("ann"))] },
    { users: { written: [userDocument(idOf("ann"), { traits_plan: "pro" })] } },
  );
  await first.writeEvaluation(organization.id, 5, evaluationOf("buyers", { entered: ["ann"] }));
  const progress = await first.progress(organization.id);
  await first.close();

  const second = await openFolder(folder);
  expect(await second.progress(organization.id)).toEqual(progress);
  expect(await second.count(organization.id, organization.select({ term: { plan: "pro" } }))).toBe(1);
  expect((await second.actionsOf(organization.id, idOf("ann"))).counts).toEqual({ Order: 1 });
  expect(await second.membersAfter(organization.id, idOf("buyers"), "", 10)).toEqual([idOf("ann")]);

  // The evaluation that was written before earlier changes is not written again.
  const evaluation = evaluationOf("buyers", { entered: ["ann"] });
  await second.writeChanges(organization.id, stepOf([changeOf(2), changeOf(5, { evaluation })]));
  expect(
    await second.count(organization.id, organization.select({ term: { event: "Entered segment" } }, "event")),
  ).toBe(1);
  await second.close();
  await rm(folder, { recursive: true, force: true });
});

describe("an organization that was never written", () => {
  test("has an empty answer to every question", async () => {
    const organization = await openOrganization(questions);
    const id = organization.id;
    await questions.drop(id);
    const ann = idOf("ann");
    const buyers = { id: idOf("buyers"), query: organization.select({}).query };
    const reading = { target: "user", attributeTypes: organization.attributeTypes, now: new Date() } as const;
    const span = { from: new Date(0), to: new Date(), interval: "day" } as const;
    expect(await organization.find({})).toBe("");
    expect(await organization.find({ has_child: { query: { term: { event: "Order" } } } })).toBe("");
    expect(await questions.aggregate(id, organization.select({}), [])).toEqual({});
    expect(await questions.explain(id, organization.select({}), ann)).toBeUndefined();
    expect([...(await questions.countAttributes(id, "user")).counts.values()].filter((count) => count > 0)).toEqual([]);
    expect(await questions.membershipsOf(id, [ann])).toEqual(new Map([[ann, []]]));
    expect([...(await questions.segmentSizes(id, [idOf("buyers")])).values()].filter((size) => size > 0)).toEqual([]);
    expect(await questions.membersAfter(id, idOf("buyers"), "", 10)).toEqual([]);
    expect(await questions.changesOf(id, [buyers], [ann], reading)).toEqual([]);
    expect(await questions.changesOfSegments(id, [buyers], { limit: 10 }, reading)).toEqual([]);
    expect((await questions.answer(id, [buyers], [ann], reading)).get(ann) ?? new Set()).toEqual(new Set());
    expect(await questions.findEvent(id, idOf("e1"))).toBeUndefined();
    expect((await questions.actionsOf(id, ann)).counts).toEqual({});
    expect(await questions.countEventsByName(id, ["Order"])).toEqual([]);
    expect(await questions.countEventsPerInterval(id, span, { top: 3 })).toEqual([]);
    expect(await questions.countMovesPerInterval(id, span, [idOf("buyers")])).toEqual([]);
    expect(await questions.countEntityActions(id, [ann])).toEqual(new Map([[ann, { actions: {}, likes: 0 }]]));
    expect((await questions.actionsOf(id, ann)).liked).toBe(0);
    expect(await questions.lastKey(id, "user")).toBeUndefined();
    await questions.erase(id, [ann]);
  });
});

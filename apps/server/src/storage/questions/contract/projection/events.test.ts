import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { UnmergedSubjects } from "../../../../domain/changes/change-set.js";
import type { EventKey, StoredEvent } from "../../../../domain/events/stored-event.js";
import { undecidedOrigin } from "../../../../domain/events/undecided-origin.js";
import type { Questions } from "../../questions.js";
import { openEngine } from "../open-engine.js";
import { idOf, openOrganization } from "../organization.test.kit.js";
import { accountDocument, changeOf, eventOf, stepOf, userDocument } from "../steps.test.kit.js";

let questions: Questions;

beforeAll(async () => {
  questions = await openEngine();
});

afterAll(() => questions.close());

const [ann, bob, cat, dan] = [idOf("ann"), idOf("bob"), idOf("cat"), idOf("dan")];

function keyOf({ id, event, created_at }: StoredEvent): EventKey {
  return { id, event, createdAt: Date.parse(created_at) };
}

function did(event: string) {
  return { has_child: { query: { term: { event } } } };
}

describe("an event that is recorded again", () => {
  test("exists once, as it was recorded last", async () => {
    const organization = await openOrganization(questions);
    const first = eventOf(idOf("e1"), ann, { properties: { amount: 1 }, session_id: "s-1" });
    const { session_id: _, ...last } = { ...first, properties: { amount: 2 }, event_source: "api" };
    await organization.write({ events: [first] });
    await organization.write({ events: [{ ...last, session_id: null }] });
    expect(await organization.count({}, "event")).toBe(1);
    expect(await organization.find({ term: { "properties.amount": 2 } }, "event")).toBe("e1");
    expect(await organization.find({ term: { "properties.amount": 1 } }, "event")).toBe("");
    expect(await organization.find({ exists: { field: "session_id" } }, "event")).toBe("");
    expect(await organization.find({ term: { source: "api" } }, "event")).toBe("e1");
  });

  test("may belong to another user then", async () => {
    const organization = await openOrganization(questions);
    await organization.writeUsers(userDocument(ann, {}), userDocument(bob, {}));
    await organization.write({ events: [eventOf(idOf("e1"), ann)] });
    await organization.write({ events: [eventOf(idOf("e1"), bob)] });
    expect(await organization.find(did("Order"))).toBe("bob");
    await organization.write({ events: [eventOf(idOf("e1"), ann)] });
    expect(await organization.find(did("Order"))).toBe("ann");
  });

  test("may be recorded twice within one step", async () => {
    const organization = await openOrganization(questions);
    const order = (amount: number) => eventOf(idOf("e1"), ann, { properties: { amount } });
    await questions.writeChanges(
      organization.id,
      stepOf([changeOf(1, { events: [order(1)] }), changeOf(2, { events: [order(2)] })]),
    );
    expect(await organization.find({ term: { "properties.amount": 2 } }, "event")).toBe("e1");
    expect(await organization.count({}, "event")).toBe(1);
  });

  test("may be one of many that are recorded again together", async () => {
    const organization = await openOrganization(questions);
    const orders = (count: number, amount: number) =>
      Array.from({ length: count }, (_, index) => eventOf(idOf(`e${index}`), ann, { properties: { amount } }));
    await organization.write({ events: orders(300, 1) });
    await organization.write({ events: orders(200, 2) });
    expect(await organization.count({}, "event")).toBe(300);
    expect(await organization.count({ term: { "properties.amount": 2 } }, "event")).toBe(200);
  });
});

describe("an event that was overwritten", () => {
  test("is deleted when the later one has another id", async () => {
    const organization = await openOrganization(questions);
    const early = eventOf(idOf("e1"), ann, { event_id: "given" });
    const late = eventOf(idOf("e2"), ann, { event_id: "given", created_at: "2024-06-02T00:00:00.000Z" });
    await organization.write({ events: [early] });
    await organization.write({ events: [late], replaced: [keyOf(early)] });
    expect(await organization.find({}, "event")).toBe("e2");
    expect(await questions.findEvent(organization.id, early.id)).toBeUndefined();
    expect((await questions.actionsOf(organization.id, ann)).counts).toEqual({ Order: 1 });
  });

  test("is deleted when the later one has the same id and another name", async () => {
    const organization = await openOrganization(questions);
    await organization.writeUsers(userDocument(ann, {}));
    const early = eventOf(idOf("e1"), ann, { event: "Ordered" });
    await organization.write({ events: [early] });
    await organization.write({ events: [{ ...early, event: "Bought" }], replaced: [keyOf(early)] });
    expect(await organization.count({}, "event")).toBe(1);
    expect(await organization.find(did("Ordered"))).toBe("");
    expect(await organization.find(did("Bought"))).toBe("ann");
    expect(await questions.findEvent(organization.id, early.id)).toMatchObject({ event: "Bought" });
  });

  test("may be recorded once more", async () => {
    const organization = await openOrganization(questions);
    const early = eventOf(idOf("e1"), ann, { event: "Ordered" });
    const late = { ...early, event: "Bought" };
    await organization.write({ events: [early] });
    await organization.write({ events: [late], replaced: [keyOf(early)] });
    await organization.write({ events: [early], replaced: [keyOf(late)] });
    expect((await questions.actionsOf(organization.id, ann)).counts).toEqual({ Ordered: 1 });
  });

  test("is deleted in the same step in which it was written", async () => {
    const organization = await openOrganization(questions);
    const early = eventOf(idOf("e1"), ann, { event: "Ordered" });
    const late = { ...early, event: "Bought" };
    await questions.writeChanges(
      organization.id,
      stepOf([
        changeOf(1, { events: [early, eventOf(idOf("e2"), ann)] }),
        changeOf(2, { events: [late], replaced: [keyOf(early)] }),
        changeOf(3, { events: [], replaced: [keyOf(eventOf(idOf("e2"), ann))] }),
      ]),
    );
    expect((await questions.actionsOf(organization.id, ann)).counts).toEqual({ Bought: 1 });
  });
});

describe("the events of a merged user", () => {
  const merge = (loser: string, survivor: string) => ({ kind: "user", survivor, loser, hasEvents: true }) as const;

  test("belong to the survivor, in all queries and answers", async () => {
    const organization = await openOrganization(questions);
    const events = [eventOf(idOf("e1"), bob, { properties: { user_id: bob } }), eventOf(idOf("e2"), ann)];
    await organization.write({ events }, { users: { written: [userDocument(ann, {}), userDocument(bob, {})] } });
    await organization.write({ merges: [merge(bob, ann)] }, { users: { gone: [bob] } });
    expect(await organization.find({ has_child: { query: {}, min_children: 2 } })).toBe("ann");
    expect(await organization.find({ term: { user_id: ann } }, "event")).toBe("e1 e2");
    expect(await organization.find({ term: { user_id: bob } }, "event")).toBe("");
    expect((await questions.actionsOf(organization.id, ann)).counts).toEqual({ Order: 2 });
    expect((await questions.actionsOf(organization.id, bob)).counts).toEqual({});
    const { origin_id: _, ...shown } = { ...eventOf(idOf("e1"), ann), properties: { user_id: bob } };
    expect(await organization.read(idOf("e1"), "event")).toEqual(shown);
    expect(await questions.findEvent(organization.id, idOf("e1"))).toMatchObject({ user_id: ann });
  });

  test("move on when the survivor is merged too, in later steps or in the same", async () => {
    for (const inOneStep of [false, true]) {
      const organization = await openOrganization(questions);
      await organization.writeUsers(userDocument(ann, {}), userDocument(bob, {}), userDocument(cat, {}));
      const changes = [
        changeOf(2, { events: [eventOf(idOf("e1"), cat), eventOf(idOf("e2"), bob), eventOf(idOf("e3"), dan)] }),
        changeOf(3, { merges: [merge(cat, bob)] }),
        changeOf(4, { merges: [merge(bob, ann)] }),
      ];
      for (const step of inOneStep ? [changes] : changes.map((change) => [change])) {
        await questions.writeChanges(organization.id, stepOf(step));
      }
      expect(await organization.find({ term: { user_id: ann } }, "event")).toBe("e1 e2");
      expect(await organization.find({ term: { user_id: dan } }, "event")).toBe("e3");
    }
  });

  test("go to the right survivors when several are merged at the same time", async () => {
    const organization = await openOrganization(questions);
    const events = [bob, cat, dan].map((user, index) => eventOf(idOf(`e${index}`), user));
    await organization.write({ events });
    await organization.write({ merges: [merge(bob, ann), merge(dan, cat)] });
    expect(await organization.find({ term: { user_id: ann } }, "event")).toBe("e0");
    expect(await organization.find({ term: { user_id: cat } }, "event")).toBe("e1 e2");
  });

  test("count for the account with which they were recorded", async () => {
    const organization = await openOrganization(questions);
    await organization.write(
      { events: [eventOf(idOf("e1"), bob, { account_id: idOf("acme") })] },
      { accounts: { written: [accountDocument(idOf("acme"), {}), accountDocument(idOf("globex"), {})] } },
    );
    await organization.write({ merges: [merge(bob, ann)] });
    expect(await organization.find(did("Order"), "account")).toBe("acme");
  });

  test("may also be recorded after the merge", async () => {
    const organization = await openOrganization(questions);
    await organization.write({ events: [eventOf(idOf("e1"), bob)] });
    await organization.write({
      merges: [merge(bob, ann)],
      events: [eventOf(idOf("e2"), ann, { origin_id: bob })],
    });
    expect(await organization.find({ term: { user_id: ann } }, "event")).toBe("e1 e2");
  });
});

describe("the events of a user whose merge is undone", () => {
  const merged = { kind: "user", survivor: ann, loser: bob, hasEvents: true } as const;
  const undone = (more: Partial<UnmergedSubjects> = {}): UnmergedSubjects => {
    return { kind: "user", survivor: ann, restored: bob, origins: [bob], ...more };
  };
  const events = [
    eventOf(idOf("e1"), bob, { properties: { user_id: ann } }),
    eventOf(idOf("e2"), ann),
    eventOf(idOf("e3"), cat),
  ];
  const since = [
    eventOf(idOf("e4"), ann, { origin_id: bob }),
    eventOf(idOf("e5"), ann, { origin_id: undecidedOrigin(ann) }),
  ];
  const of = async (organization: Awaited<ReturnType<typeof openOrganization>>, user: string) =>
    organization.find({ term: { user_id: user } }, "event");

  test.each([
    ["in steps of their own", false],
    ["in one step", true],
  ])("go back by their origin: %s", async (_, isOneStep) => {
    const organization = await openOrganization(questions);
    const changes = [
      changeOf(1, { events }),
      changeOf(2, { merges: [merged] }),
      changeOf(3, { events: since }),
      changeOf(4, { unmerges: [undone()] }),
    ];
    for (const step of isOneStep ? [changes] : changes.map((change) => [change])) {
      await questions.writeChanges(organization.id, stepOf(step));
    }
    expect(await of(organization, bob)).toBe("e1 e4");
    expect(await of(organization, ann)).toBe("e2 e5");
    expect(await of(organization, cat)).toBe("e3");
    expect((await questions.actionsOf(organization.id, bob)).counts).toEqual({ Order: 2 });
    const { origin_id: _origin, ...shown } = events[0]!;
    expect(await organization.read(idOf("e1"), "event")).toEqual(shown);
  });

  test("take along those of other origins, if somebody has decided so", async () => {
    const organization = await openOrganization(questions);
    await organization.write({ events });
    await organization.write({ merges: [merged] });
    await organization.write({ events: since });
    await organization.write({ unmerges: [undone({ origins: [bob, undecidedOrigin(ann)] })] });
    expect(await of(organization, bob)).toBe("e1 e4 e5");
    expect(await of(organization, ann)).toBe("e2");
  });

  test("include those of all who had been merged into that user", async () => {
    const organization = await openOrganization(questions);
    await organization.write({ events });
    await organization.write({ merges: [{ ...merged, survivor: bob, loser: cat }] });
    await organization.write({ merges: [merged] });
    await organization.write({ unmerges: [undone({ origins: [bob, cat] })] });
    expect(await of(organization, bob)).toBe("e1 e3");
    expect(await of(organization, ann)).toBe("e2");
  });
});

test("an event whose user has no document is found", async () => {
  const organization = await openOrganization(questions);
  await organization.write({ events: [eventOf(idOf("e1"), ann)] });
  expect(await organization.find({}, "event")).toBe("e1");
  expect(await organization.find({ has_parent: { type: "user", query: {} } }, "event")).toBe("");
});

test("many events of one step are all written", async () => {
  const organization = await openOrganization(questions);
  const users = Array.from({ length: 50 }, (_, index) => userDocument(idOf(`u${index}`), {}));
  const events = Array.from({ length: 5_000 }, (_, index) =>
    eventOf(idOf(`e${index}`), idOf(`u${index % 50}`), {
      event: `Event ${index % 7}`,
      created_at: new Date(Date.UTC(2020, 0, 1) + index * 86_400_000 * 0.3).toISOString(),
      properties: { index },
    }),
  );
  await organization.write({ events }, { users: { written: users } });
  expect(await organization.count({}, "event")).toBe(5_000);
  expect(await organization.find({ term: { "properties.index": 4_321 } }, "event")).toBe("e4321");
  expect(await organization.count({ has_child: { query: {}, min_children: 100, max_children: 100 } })).toBe(50);
});

describe("an event name that was merged into another", () => {
  test("is the other one for all stored events, also those of the same step, and for no later ones", async () => {
    const organization = await openOrganization(questions);
    await organization.writeUsers(userDocument(ann, {}), userDocument(bob, {}));
    // The name is also that of a property, which stays.
    const bought = eventOf(idOf("e1"), ann, { event: 'Bought "it"', properties: { event: 'Bought "it"' } });
    await organization.write({ events: [bought] });
    const renamed = [{ from: 'Bought "it"', into: "Order" }];
    await organization.write({ events: [eventOf(idOf("e2"), bob, { event: 'Bought "it"' })], renamed });
    await organization.write({ events: [eventOf(idOf("e3"), bob, { event: "Other" })] });
    expect(await organization.find({ term: { event: "Order" } }, "event")).toBe("e1 e2");
    expect(await organization.count({ term: { event: 'Bought "it"' } }, "event")).toBe(0);
    expect(await organization.find(did("Order"))).toBe("ann bob");
    expect(await questions.findEvent(organization.id, bought.id)).toMatchObject({
      event: "Order",
      properties: { event: 'Bought "it"' },
    });
    expect(await organization.count({}, "event")).toBe(3);
  });

  test("gets exactly its own events back, also those that came after the merge", async () => {
    const organization = await openOrganization(questions);
    await organization.writeUsers(userDocument(ann, {}));
    const of = (id: string, event: string, sent_as?: string) =>
      // The property looks like the fields of the event, which stay.
      eventOf(idOf(id), ann, { event, ...(sent_as ? { sent_as } : {}), properties: { event: "B", sent_as: "A" } });
    await organization.write({ events: [of("e1", "A"), of("e2", "B"), of("e3", "C")] });
    await organization.write({ events: [], renamed: [{ from: "A", into: "B" }] });
    await organization.write({ events: [of("e4", "B", "A"), of("e5", "B")], renamed: [{ from: "B", into: "C" }] });
    await organization.write({ events: [of("e6", "C", "A"), of("e7", "C", "B"), of("e8", "C")] });
    const found = (event: string) => organization.find({ term: { event } }, "event");
    expect(await found("C")).toBe("e1 e2 e3 e4 e5 e6 e7 e8");
    await organization.write({ events: [], renamed: [{ from: "C", into: "B", sentAs: ["B", "A"] }] });
    expect([await found("C"), await found("B")]).toEqual(["e3 e8", "e1 e2 e4 e5 e6 e7"]);
    expect(await questions.findEvent(organization.id, idOf("e6"))).toMatchObject({ event: "B", sent_as: "A" });
    expect(await questions.findEvent(organization.id, idOf("e7"))).not.toHaveProperty("sent_as");
    await organization.write({ events: [], renamed: [{ from: "B", into: "A", sentAs: ["A"] }] });
    expect([await found("C"), await found("B"), await found("A")]).toEqual(["e3 e8", "e2 e5 e7", "e1 e4 e6"]);
    expect(await questions.findEvent(organization.id, idOf("e1"))).toMatchObject({
      event: "A",
      properties: { event: "B", sent_as: "A" },
    });
    expect(await questions.findEvent(organization.id, idOf("e1"))).not.toHaveProperty("sent_as");
  });
});

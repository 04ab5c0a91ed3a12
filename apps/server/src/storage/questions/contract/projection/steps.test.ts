import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Questions } from "../../questions.js";
import { openEngine } from "../open-engine.js";
import { evaluationOf, idOf, openOrganization } from "../organization.test.kit.js";
import { changeOf, eventOf, stepOf, userDocument } from "../steps.test.kit.js";

let questions: Questions;

beforeAll(async () => {
  questions = await openEngine();
});

afterAll(() => questions.close());

const [ann, bob, cat] = [idOf("ann"), idOf("bob"), idOf("cat")];

describe("a step that is written again", () => {
  test("changes nothing", async () => {
    const organization = await openOrganization(questions, { user: { traits_plan: "string" } });
    const renamed = eventOf(idOf("e3"), ann, { event: "Old" });
    await organization.write({ events: [renamed] });
    const step = stepOf(
      [
        changeOf(2, { events: [eventOf(idOf("e1"), ann), eventOf(idOf("e2"), bob), eventOf(idOf("e4"), cat)] }),
        changeOf(3, { merges: [{ kind: "user", survivor: ann, loser: bob, hasEvents: true }] }),
        changeOf(4, {
          replaced: [{ id: renamed.id, event: "Old", createdAt: Date.parse(renamed.created_at) }],
          evaluation: evaluationOf("buyers", { entered: ["ann", "cat"] }),
        }),
        changeOf(5, { evaluation: evaluationOf("buyers", { left: ["cat"] }) }),
      ],
      {
        users: { written: [userDocument(ann, { traits_plan: "pro" }), userDocument(cat, {})], gone: [bob] },
        typeOf: organization.typeOf,
      },
    );
    const look = async () => ({
      users: await organization.find({}),
      pros: await organization.find({ term: { plan: "pro" } }),
      ofAnn: await organization.find({ term: { user_id: ann } }, "event"),
      ofCat: (await questions.actionsOf(organization.id, cat)).counts,
      entered: await organization.count({ term: { event: "Entered segment" } }, "event"),
      left: await organization.count({ term: { event: "Left segment" } }, "event"),
      events: await organization.count({}, "event"),
      members: await questions.membersAfter(organization.id, idOf("buyers"), "", 10),
      sequence: (await questions.progress(organization.id)).sequence,
    });
    await questions.writeChanges(organization.id, step);
    const once = await look();
    expect(once).toMatchObject({ users: "ann cat", pros: "ann", ofCat: { Order: 1 }, events: 6, members: [ann] });
    expect(once).toMatchObject({ entered: 2, left: 1, sequence: 5 });
    await questions.writeChanges(organization.id, step);
    expect(await look()).toEqual(once);
  });

  test("writes only its new changes", async () => {
    const organization = await openOrganization(questions);
    const changes = [1, 2, 3, 4].map((sequence) =>
      changeOf(sequence, { events: [eventOf(idOf(`e${sequence}`), ann)] }),
    );
    await questions.writeChanges(organization.id, stepOf(changes.slice(0, 3)));
    await questions.writeChanges(organization.id, stepOf(changes.slice(1)));
    expect(await organization.find({}, "event")).toBe("e1 e2 e3 e4");
    expect((await questions.actionsOf(organization.id, ann)).counts).toEqual({ Order: 4 });
  });

  test("does not write the subjects again that its first changes have added", async () => {
    const organization = await openOrganization(questions, { user: { traits_plan: "string" } });
    const added = (id: string, addedBy: number, plan: string) => ({
      ...userDocument(id, { traits_plan: plan }),
      addedBy,
    });
    const write = (sequences: number[], written: ReturnType<typeof added>[]) => {
      const changes = sequences.map((sequence) => changeOf(sequence));
      return questions.writeChanges(
        organization.id,
        stepOf(changes, { users: { written }, typeOf: organization.typeOf }),
      );
    };
    await write([1, 2], [added(ann, 1, "free"), added(bob, 2, "free")]);
    await write([2, 3], [added(ann, 1, "pro"), added(bob, 2, "pro"), added(cat, 3, "pro")]);
    expect(await organization.find({})).toBe("ann bob cat");
    expect(await organization.find({ term: { plan: "pro" } })).toBe("ann bob cat");
    expect(await organization.count({})).toBe(3);
  });

  test("ignores changes with a sequence that is already written", async () => {
    const organization = await openOrganization(questions);
    await organization.write({ events: [eventOf(idOf("e1"), ann)] });
    await organization.write({ events: [eventOf(idOf("e2"), ann)] });
    const late = [
      changeOf(1, { events: [eventOf(idOf("late"), ann)] }),
      changeOf(2, { merges: [{ kind: "user", survivor: bob, loser: ann, hasEvents: true }] }),
    ];
    await questions.writeChanges(organization.id, stepOf(late));
    expect(await organization.find({ term: { user_id: ann } }, "event")).toBe("e1 e2");
  });
});

test("changes older than the first documents add only their events, and later changes add documents too", async () => {
  const organization = await openOrganization(questions, { user: { traits_plan: "string" } });
  await questions.begin(organization.id, "second");
  const document = userDocument(ann, { traits_plan: "free" }, { version: 2 });
  const progress = { kind: "user", afterId: ann } as const;
  await questions.writeDocuments(organization.id, [document], progress, organization.typeOf);
  await questions.endDocuments(organization.id, 2);
  await organization.write({ events: [eventOf(idOf("e1"), ann)] });
  await organization.write({ users: [{ id: ann, isNew: true, changes: {} }], events: [eventOf(idOf("e2"), ann)] });
  expect(await organization.find({ bool: { must: [{ term: { plan: "free" } }, { has_child: { query: {} } }] } })).toBe(
    "ann",
  );
  await organization.writeUsers(userDocument(ann, { traits_plan: "pro" }, { version: 3 }));
  expect(await organization.find({ term: { plan: "pro" } })).toBe("ann");
  expect(await organization.find({ term: { plan: "free" } })).toBe("");
});

describe("writing at the same time", () => {
  test("works in several organizations", async () => {
    const organizations = await Promise.all(Array.from({ length: 6 }, () => openOrganization(questions)));
    await Promise.all(
      organizations.map(async (organization, index) => {
        for (let sequence = 1; sequence <= 5; sequence += 1) {
          const events = Array.from({ length: index + 1 }, (_, at) => eventOf(idOf(`e${sequence}.${at}`), ann));
          await organization.write({ events }, { users: { written: [userDocument(ann, {}, { version: sequence })] } });
        }
      }),
    );
    const counts = await Promise.all(organizations.map((organization) => organization.count({}, "event")));
    expect(counts).toEqual([5, 10, 15, 20, 25, 30]);
    expect(await Promise.all(organizations.map((organization) => organization.count({})))).toEqual([1, 1, 1, 1, 1, 1]);
  });

  test("an evaluation does not disturb changes or questions", async () => {
    const organization = await openOrganization(questions);
    await organization.writeUsers(userDocument(ann, {}), userDocument(bob, {}));
    const writeInOrder = async () => {
      for (const number of [1, 2, 3, 4]) await organization.write({ events: [eventOf(idOf(`e${number}`), ann)] });
    };
    const writes = Promise.all([
      writeInOrder(),
      ...[11, 12, 13].map((sequence) =>
        questions.writeEvaluation(organization.id, sequence, evaluationOf(`s${sequence}`, { entered: ["ann", "bob"] })),
      ),
    ]);
    const answers = Promise.all(Array.from({ length: 20 }, () => organization.find({})));
    await writes;
    expect(new Set(await answers)).toEqual(new Set(["ann bob"]));
    expect(await organization.find({ term: { event: "Order" } }, "event")).toBe("e1 e2 e3 e4");
    for (const segment of ["s11", "s12", "s13"]) {
      expect(await organization.find({ term: { segment_ids: idOf(segment) } })).toBe("ann bob");
    }
  });
});

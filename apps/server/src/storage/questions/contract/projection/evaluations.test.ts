import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Questions } from "../../questions.js";
import { openEngine } from "../open-engine.js";
import { evaluationOf, idOf, nameOf, type Organization, openOrganization } from "../organization.test.kit.js";
import { accountDocument, changeOf, eventOf, stepOf, userDocument } from "../steps.test.kit.js";

let questions: Questions;

beforeAll(async () => {
  questions = await openEngine();
});

afterAll(() => questions.close());

const buyers = idOf("buyers");

async function open(): Promise<Organization> {
  const organization = await openOrganization(questions);
  await organization.writeUsers(...["ann", "bob", "cat"].map((name) => userDocument(idOf(name), {})));
  return organization;
}

async function members({ id }: Organization): Promise<string> {
  return (await questions.membersAfter(id, buyers, "", 100)).map(nameOf).join(" ");
}

/** How often each of the two events occurs. */
async function notes(organization: Organization): Promise<[entered: number, left: number]> {
  return [
    await organization.count({ term: { event: "Entered segment" } }, "event"),
    await organization.count({ term: { event: "Left segment" } }, "event"),
  ];
}

describe("an evaluation", () => {
  test("written before earlier changes counts at once, and only once", async () => {
    const organization = await open();
    const evaluation = evaluationOf("buyers", { entered: ["ann", "bob"] });
    await questions.writeEvaluation(organization.id, 4, evaluation);
    expect(await members(organization)).toBe("ann bob");
    expect(await organization.find({ term: { segment_ids: buyers } })).toBe("ann bob");
    expect(await notes(organization)).toEqual([2, 0]);

    await questions.writeChanges(
      organization.id,
      stepOf([
        changeOf(2, { events: [eventOf(idOf("e1"), idOf("ann"))] }),
        changeOf(3),
        changeOf(4, { evaluation }),
        changeOf(5, { events: [eventOf(idOf("e2"), idOf("ann"))] }),
      ]),
    );
    expect(await members(organization)).toBe("ann bob");
    expect(await notes(organization)).toEqual([2, 0]);
    expect(await questions.segmentSizes(organization.id, [buyers])).toEqual(new Map([[buyers, 2]]));
    expect((await questions.actionsOf(organization.id, idOf("ann"))).counts).toEqual({ Order: 2 });
  });

  test("may be written before earlier changes twice", async () => {
    const organization = await open();
    const evaluation = evaluationOf("buyers", { entered: ["ann"] });
    await questions.writeEvaluation(organization.id, 4, evaluation);
    await questions.writeEvaluation(organization.id, 4, evaluation);
    expect(await members(organization)).toBe("ann");
    expect(await notes(organization)).toEqual([1, 0]);
  });

  test("that was written in order may be written again", async () => {
    const organization = await open();
    const evaluation = evaluationOf("buyers", { entered: ["ann"] });
    const sequence = await organization.write({ evaluation });
    await organization.write({ evaluation: evaluationOf("buyers", { left: ["ann"] }) });
    await questions.writeEvaluation(organization.id, sequence, evaluation);
    expect(await members(organization)).toBe("");
    expect(await notes(organization)).toEqual([1, 1]);
  });

  test("that is delivered in order does not undo a later one that was written before", async () => {
    const organization = await open();
    const entered = evaluationOf("buyers", { entered: ["ann", "bob"] });
    const left = evaluationOf("buyers", { left: ["ann"] });
    await questions.writeEvaluation(organization.id, 3, entered);
    await questions.writeEvaluation(organization.id, 5, left);
    expect(await members(organization)).toBe("bob");
    await questions.writeChanges(organization.id, stepOf([changeOf(2), changeOf(3, { evaluation: entered })]));
    expect(await members(organization)).toBe("bob");
    await questions.writeChanges(organization.id, stepOf([changeOf(4), changeOf(5, { evaluation: left })]));
    expect(await members(organization)).toBe("bob");
    expect(await notes(organization)).toEqual([2, 1]);
  });

  test("may be written in order only", async () => {
    const organization = await open();
    await organization.write({ evaluation: evaluationOf("buyers", { entered: ["ann", "cat"] }) });
    await organization.write({ evaluation: evaluationOf("buyers", { entered: ["bob"], left: ["ann"] }) });
    expect(await members(organization)).toBe("bob cat");
    expect(await notes(organization)).toEqual([3, 1]);
    await organization.write({ evaluation: evaluationOf("buyers", { entered: ["ann"] }) });
    expect(await members(organization)).toBe("ann bob cat");
    expect(await notes(organization)).toEqual([4, 1]);
  });

  test("adds no event for subjects that do not exist any more", async () => {
    const organization = await open();
    await organization.write({ evaluation: evaluationOf("buyers", { entered: ["ann", "bob"] }) });
    await organization.write({ evaluation: evaluationOf("buyers", { left: ["ann", "bob"], gone: [idOf("bob")] }) });
    expect(await members(organization)).toBe("");
    expect(await notes(organization)).toEqual([2, 1]);
  });

  test("adds events of Muster with the segment", async () => {
    const organization = await open();
    await organization.write({ evaluation: evaluationOf("buyers", { entered: ["ann"] }) });
    const about = { bool: { must: [{ term: { source: "platform" } }, { term: { "properties.segment_id": buyers } }] } };
    const rows = await questions.page(organization.id, organization.select(about, "event"), { sort: [], limit: 10 });
    expect(rows.map(({ report }) => report)).toMatchObject([
      {
        event: "Entered segment",
        event_source: "platform",
        user_id: idOf("ann"),
        properties: { segment_id: buyers, segment_name: "buyers" },
      },
    ]);
    expect(await organization.find({ has_child: { query: about } })).toBe("ann");
  });

  test("of accounts adds events to the accounts and not to users", async () => {
    const organization = await open();
    await organization.writeAccounts(accountDocument(idOf("acme"), {}), accountDocument(idOf("globex"), {}));
    await organization.write({ evaluation: evaluationOf("buyers", { subjectType: "account", entered: ["acme"] }) });
    expect(await organization.find({ term: { segment_ids: buyers } }, "account")).toBe("acme");
    const entered = { has_child: { query: { term: { event: "Entered segment" } } } };
    expect(await organization.find(entered, "account")).toBe("acme");
    expect(await organization.find(entered)).toBe("");
  });

  test("may have several segments, and the same user in each", async () => {
    const organization = await open();
    const [first, second] = [
      evaluationOf("buyers", { entered: ["ann"] }),
      evaluationOf("readers", { entered: ["ann"] }),
    ];
    await organization.write({ evaluation: { ...first, moves: [...first.moves, ...second.moves] } });
    const found = await questions.membershipsOf(organization.id, [idOf("ann")]);
    expect(
      found
        .get(idOf("ann"))
        ?.map(({ segmentId }) => nameOf(segmentId))
        .sort(),
    ).toEqual(["buyers", "readers"]);
    expect(await notes(organization)).toEqual([2, 0]);
  });
});

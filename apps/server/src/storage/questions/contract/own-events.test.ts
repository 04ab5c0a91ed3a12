import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Questions } from "../questions.js";
import { openEngine } from "./open-engine.js";
import { evaluationOf, idOf, nameOf, type Organization, openOrganization } from "./organization.test.kit.js";
import { eventOf, userDocument } from "./steps.test.kit.js";

const NAMES = ["ann", "bob", "cat"];
const buyers = idOf("buyers");

let questions: Questions;
beforeAll(async () => {
  questions = await openEngine();
});
afterAll(() => questions.close());

describe("the events of an evaluation count only where a query names them:", () => {
  let organization: Organization;
  // Ann and Bob have entered a segment, and Bob has ordered. Cat has done nothing.
  beforeAll(async () => {
    organization = await openOrganization(questions);
    await organization.writeUsers(...NAMES.map((name) => userDocument(idOf(name), {})));
    await organization.write({
      events: [eventOf(idOf("e1"), idOf("bob"))],
      evaluation: evaluationOf("buyers", { entered: ["ann", "bob"] }),
    });
  });

  const any = { range: { created_at: { gte: "2000" } } };
  const entered = { term: { event: "Entered segment" } };
  const page = { term: { event: "Page" } };
  const both = (...must: object[]) => ({ bool: { must } });
  const either = (...should: object[]) => ({ bool: { should } });
  const neither = (...must_not: object[]) => ({ bool: { must_not } });

  test.each<[string, object, string]>([
    ["all events", {}, "bob"],
    ["a time", any, "bob"],
    ["a time with another condition that excludes", both(any, neither(page)), "bob"],
    ["an excluded name alone", neither(page), "bob"],
    ["an excluded name of Muster's own events", neither({ term: { event: "Left segment" } }), "bob"],
    ["an excluded property", both(any, neither({ term: { "properties.coupon": "x" } })), "bob"],
    ["a name that exists", both(any, { exists: { field: "event" } }), "bob"],
    ["every name", { wildcard: { event: "*" } }, "bob"],
    ["every name, as a regular expression", { regexp: { event: ".*" } }, "bob"],
    ["an excluded account", { bool: { must_not: { term: { account_id: "x" } } } }, "bob"],
    ["a name", entered, "ann bob"],
    ["a name within a time", both(any, entered), "ann bob"],
    ["one of several names", { terms: { event: ["Order", "Entered segment"] } }, "ann bob"],
    ["the beginning of a name", { prefix: { event: "Enter" } }, "ann bob"],
    ["a pattern of names", { wildcard: { event: "* segment" } }, "ann bob"],
    ["the source", { term: { source: "platform" } }, "ann bob"],
    ["the type", { term: { type: "platform" } }, "ann bob"],
    ["a property", { term: { "props.segment_id": buyers } }, "ann bob"],
    ["a property that exists", { exists: { field: "properties.segment_name" } }, "ann bob"],
    ["a name or another one", either(page, entered), "ann bob"],
    ["a name, or any event within a time", either(page, any), "bob"],
    ["its name, or any event within a time", either(entered, any), "ann bob"],
    [
      "its name outside a time, or any event",
      either(both(entered, { range: { created_at: { lt: "2000" } } }), any),
      "bob",
    ],
    ["a name, or an event that is no other", either(page, neither({ term: { event: "Left segment" } })), "bob"],
    ["a choice within a condition", both(any, either(entered, any)), "ann bob"],
    ["a name, denied twice", neither(neither(entered)), "ann bob"],
    ["any event, denied twice", neither(neither(any)), "bob"],
    ["a name or any event, denied twice", neither(neither(page, any)), "bob"],
    ["a user", either({ has_parent: { type: "user", query: {} } }), "bob"],
  ])("%s", async (_, query, names) => {
    const child = { has_child: { query } };
    const others = NAMES.filter((name) => !names.split(" ").includes(name)).join(" ");
    expect(await organization.find(child)).toBe(names);
    expect(await organization.find({ has_child: { query, min_children: 0, max_children: 0 } })).toBe(others);
    expect(await organization.find({ not: child })).toBe(others);

    const { attributeTypes, now, query: parsed } = organization.select(child, "user");
    const ids = NAMES.map(idOf);
    const asking = { target: "user", attributeTypes, now } as const;
    const answers = await questions.answer(organization.id, [{ id: "asked", query: parsed }], ids, asking);
    expect(
      ids
        .filter((id) => answers.get(id)?.has("asked"))
        .map(nameOf)
        .join(" "),
    ).toBe(names);
    const moves = await questions.changesOf(organization.id, [{ id: idOf("new"), query: parsed }], ids, asking);
    expect(
      moves
        .map(({ id }) => nameOf(id))
        .sort()
        .join(" "),
    ).toBe(names);
  });

  test("a search for events has all of them", async () => {
    expect(await organization.count(any, "event")).toBe(3);
    expect(await organization.count({}, "event")).toBe(3);
    expect(await organization.count(entered, "event")).toBe(2);
    expect(await organization.count(neither({ term: { event: "Order" } }), "event")).toBe(2);
  });
});

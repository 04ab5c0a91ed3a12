// @module-tag long
import { type AttributeTypes, parseAggregations, parseSort } from "@muster/query";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Selection } from "../../asking.js";
import type { Questions } from "../../questions.js";
import { openEngine } from "../open-engine.js";
import { idOf, nameOf, type Organization, openOrganization } from "../organization.test.kit.js";
import { accountDocument, eventOf, userDocument } from "../steps.test.kit.js";
import { AWKWARD_NAMES } from "./names.test.data.js";

/**
 * Ann, Acme and one event have a value for every name: the name itself. Bob, Globex and another event have a value only
 * for the name `plan`. So a name that is confused with another selects too many rows or none.
 */
let questions: Questions;
let organization: Organization;

const [ann, bob, acme, globex] = [idOf("ann"), idOf("bob"), idOf("acme"), idOf("globex")];
const NUMBERED = "traits_of each";

beforeAll(async () => {
  questions = await openEngine();
  const typesFor = (prefix: string) =>
    Object.fromEntries(AWKWARD_NAMES.map((name) => [prefix + name, "string" as const]));
  const valuesFor = (prefix: string) => Object.fromEntries(AWKWARD_NAMES.map((name) => [prefix + name, `is ${name}`]));
  organization = await openOrganization(questions, {
    user: { ...typesFor("traits_"), [NUMBERED]: "numeric" },
    account: typesFor(""),
  });
  await organization.write(
    {
      events: [
        eventOf(idOf("e1"), ann, { properties: valuesFor(""), context: valuesFor("") }),
        eventOf(idOf("e2"), bob, { properties: { plan: "other" }, context: { plan: "other" } }),
      ],
    },
    {
      users: {
        written: [
          userDocument(ann, { ...valuesFor("traits_"), [NUMBERED]: 1 }, { accountId: acme }),
          userDocument(bob, { traits_plan: "other" }, { accountId: globex }),
        ],
      },
      accounts: { written: [accountDocument(acme, valuesFor("")), accountDocument(globex, { plan: "other" })] },
    },
  );
});

afterAll(() => questions.close());

function own<Value>(key: string, value: Value): Record<string, Value> {
  return Object.fromEntries([[key, value]]);
}

describe("a name with special characters works", () => {
  test.for(AWKWARD_NAMES)("of attributes of users and accounts: %j", async (name) => {
    const fields = [`traits_${name}.raw`, `account.${name}.raw`];
    const must = fields.map((field) => ({ term: own(field, `is ${name}`) }));
    expect(await organization.find({ bool: { must } })).toBe("ann");
    const others = fields.map((field) => ({ exists: { field } }));
    expect(await organization.find({ bool: { must_not: others } })).toBe(name === "plan" ? "" : "bob");
    expect(await organization.find({ term: own(`${name}.raw`, `is ${name}`) }, "account")).toBe("acme");
  });

  test.for(AWKWARD_NAMES)("of properties and of context: %j", async (name) => {
    const fields = [`properties.${name}.raw`, `context.${name}.raw`];
    const must = fields.map((field) => ({ term: own(field, `is ${name}`) }));
    expect(await organization.find({ bool: { must } }, "event")).toBe("e1");
    const should = fields.map((field) => ({ exists: { field } }));
    expect(await organization.find({ bool: { should } }, "event")).toBe(name === "plan" ? "e1 e2" : "e1");
  });

  test.for(AWKWARD_NAMES)("in a sort and an aggregation: %j", async (name) => {
    const field = `traits_${name}.raw`;
    const aggregations = parseAggregations({ it: { terms: { field } } }, { target: "user" });
    const answers = await questions.aggregate(organization.id, organization.select({}), aggregations);
    const { buckets } = answers.it as { buckets: { key: string }[] };
    expect(buckets.map(({ key }) => key).sort()).toEqual(name === "plan" ? ["is plan", "other"] : [`is ${name}`]);

    const sort = parseSort([own(field, "asc"), own(`account.${name}.raw`, "asc")], { target: "user" });
    const rows = await questions.page(organization.id, organization.select({}), { sort, limit: 10 });
    expect(rows.map(({ id }) => nameOf(id))).toEqual(["ann", "bob"]);
    expect(rows[0]?.cursor).toEqual([`is ${name}`, `is ${name}`, ann]);
  });
});

test("a report is returned with unchanged names", async () => {
  const report = await organization.read(ann);
  const names = Object.keys(report ?? {}).filter((key) => key.startsWith("traits_") && key !== NUMBERED);
  expect(names.sort()).toEqual(AWKWARD_NAMES.map((name) => `traits_${name}`).sort());
  expect(Object.keys((await organization.read(acme, "account")) ?? {})).toEqual(
    expect.arrayContaining([...AWKWARD_NAMES]),
  );
});

test("attributes are counted by their names", async () => {
  const [users, accounts] = [
    (await questions.countAttributes(organization.id, "user")).counts,
    (await questions.countAttributes(organization.id, "account")).counts,
  ];
  for (const name of AWKWARD_NAMES) {
    const expected = name === "plan" ? 2 : 1;
    expect(users.get(`traits_${name}`), name).toBe(expected);
    expect(accounts.get(name), name).toBe(expected);
  }
});

test("a declared name that was never written has no values", async () => {
  const attributeTypes: AttributeTypes = { typeOf: () => "string" };
  const select = (query: unknown): Selection => ({ ...organization.select(query), attributeTypes });
  for (const name of ["PlaN", "unseen", "a.b.c", "İi", "doc ", "traits_", "ROWID"]) {
    const field = `traits_${name}.raw`;
    expect(await questions.count(organization.id, select({ exists: { field } })), name).toBe(0);
    expect(await questions.count(organization.id, select({ exists: { field: `account.${name}.raw` } })), name).toBe(0);
  }
});

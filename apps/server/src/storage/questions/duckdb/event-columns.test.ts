import { rm } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sized } from "../../../../../../testing/test-length.js";
import { makeFolder, openFolder } from "../contract/open-engine.js";
import { idOf, type Organization, openOrganization } from "../contract/organization.test.kit.js";
import { eventOf } from "../contract/steps.test.kit.js";
import type { EventColumn } from "../event-columns.js";
import type { Questions } from "../questions.js";
import { COLUMN_RULES } from "./layout/event-layout.js";

const AT_ONCE = { ...COLUMN_RULES, leastEvents: 0, uses: 1, apartMs: 0, pageRows: 1 };

let folder: string;
let questions: Questions;
let rules: { areRead: boolean };

beforeEach(async () => {
  folder = await makeFolder();
  await open();
});

afterEach(async () => {
  vi.useRealTimers();
  await questions.close();
  await rm(folder, { recursive: true, force: true });
});

async function open(changed: Partial<typeof AT_ONCE> = {}): Promise<void> {
  const given = { ...AT_ONCE, ...changed };
  questions = await openFolder(folder, given);
  rules = given;
}

async function reopen(organization: Organization, changed?: Partial<typeof AT_ONCE>): Promise<Organization> {
  await questions.close();
  await open(changed);
  return organization.in(questions);
}

/** Waits until all columns are as the test expects. */
async function columnsWhen(isRight: (columns: EventColumn[]) => boolean): Promise<Record<string, readonly string[]>> {
  for (;;) {
    const columns = await questions.eventColumns();
    if (isRight(columns)) return Object.fromEntries(columns.map(({ key, kinds }) => [key, kinds]));
    await setTimeout(POLL_MS);
  }
}

const POLL_MS = 2;

const complete = () =>
  columnsWhen((columns) => columns.length > 0 && columns.every(({ state }) => state === "complete"));

let eventCount = 0;

function eventWith(value: unknown, user = "ann") {
  eventCount += 1;
  const properties = value === undefined ? {} : { it: value };
  return eventOf(idOf(eventCount.toString(36).padStart(8, "0")), idOf(user), { properties: properties as never });
}

const IS_SET = { exists: { field: "properties.it" } };

/** What questions find out about the property, read from the text or from the columns. */
async function answers(organization: Organization, areRead: boolean): Promise<unknown> {
  rules.areRead = areRead;
  const { id } = organization;
  const selection = organization.select({}, "event");
  const field = { target: "event", key: "properties.it", exact: true } as const;
  const found = [];
  for (const query of [
    IS_SET,
    ...ASKED.map((value) => ({ term: { "properties.it": value } })),
    { range: { "properties.it": { gte: 1, lt: 1e300 } } },
    { range: { "properties.it": { gte: "2024-01-01", lt: "2025-01-01" } } },
    { range: { "properties.it": { gte: "a", lt: "z" } } },
    { match: { "properties.it": "pro" } },
    { prefix: { "properties.it": "p" } },
  ]) {
    found.push(await organization.find(query, "event"));
  }
  const sort = [{ field, path: "sort", descending: true, missingFirst: false }];
  const sorted = await questions.page(id, selection, { sort, limit: 1_000 });
  const aggregates = (["sum", "unique", "max", "last"] as const).map((aggregate) => ({
    aggregate,
    property: "it",
    query: selection.query,
    withinMs: undefined,
    type: aggregate === "last" ? ("string" as const) : ("numeric" as const),
  }));
  const { attributeTypes, now } = selection;
  const among = { subjectType: "user", ids: [idOf("ann"), idOf("bob"), idOf("cat")] } as const;
  const computed = await questions.aggregateEvents(id, aggregates, among, { attributeTypes, now });
  return { found, sorted: sorted.map(({ id: event, cursor }) => [event, cursor]), computed: [...computed].sort() };
}

const ASKED = ["pro", "5", 5, true, "true", 0.1, 1e21, "é\u0000x", "2024-05-01"];

const values = fc.oneof(
  fc.constantFrom<unknown>(
    ...ASKED,
    "PRO plan",
    "",
    false,
    -0,
    1e-7,
    5e-324,
    2 ** 53,
    123456789.123,
    "日本",
    "x\ud800",
  ),
  fc.constantFrom<unknown>(null, [], ["pro", 5], [true, null], { inner: 1 }, undefined),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string({ maxLength: 20 }),
);

const steps = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(values, { minLength: 1, maxLength: 20 }).map((given) => ({ kind: "write", given }) as const),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom({ kind: "merge" } as const, { kind: "rename" } as const, { kind: "reopen" } as const),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "erase" } as const) },
  { weight: 2, arbitrary: fc.constant({ kind: "ask" } as const) },
);

test("columns answer as the text does, whatever the values are and whatever happens while they are filled", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 2, maxLength: 12 }), async (given) => {
      let organization = await openOrganization(questions);
      await organization.write({ events: ASKED.map((value) => eventWith(value, "bob")) });
      for (const step of given) {
        if (step.kind === "write") {
          const users = ["ann", "bob", "cat"];
          const events = step.given.map((value, index) => eventWith(value, users[index % 3]));
          await organization.write({ events });
        } else if (step.kind === "merge") {
          const merges = [{ kind: "user", survivor: idOf("bob"), loser: idOf("ann"), hasEvents: true } as const];
          await organization.write({ merges });
        } else if (step.kind === "rename") await organization.write({ renamed: [{ from: "Order", into: "Bought" }] });
        else if (step.kind === "erase") await questions.erase(organization.id, [idOf("cat")]);
        else if (step.kind === "reopen") organization = await reopen(organization);
        else await organization.count(IS_SET, "event");
      }
      const fromText = await answers(organization, false);
      await complete();
      expect(await answers(organization, true)).toEqual(fromText);
      await questions.drop(organization.id);
    }),
    { numRuns: sized(5, 300) },
  );
});

test("a property gets a column for each kind of its values, and lists stay in the text", async () => {
  const organization = await openOrganization(questions);
  await organization.write({ events: ["pro", 5, ["a", "b"]].map((value) => eventWith(value)) });
  expect(await organization.count(IS_SET, "event")).toBe(3);
  expect(await complete()).toEqual({ "properties.it": ["text", "number"] });
  await organization.write({ events: [eventWith(true)] });
  expect(await organization.count({ term: { "properties.it": true } }, "event")).toBe(1);
  expect(await columnsWhen(([column]) => column?.state === "complete" && column.kinds.length === 3)).toEqual({
    "properties.it": ["text", "number", "boolean"],
  });
  expect(await organization.count({ term: { "properties.it": true } }, "event")).toBe(1);
  expect(await organization.count({ term: { "properties.it": "b" } }, "event")).toBe(1);
});

test("a file with few events, and a property that was asked for once, get no columns", async () => {
  let organization = await openOrganization(questions);
  await organization.write({ events: [eventWith(1), eventWith(2)] });
  organization = await reopen(organization, { leastEvents: 3, uses: 2 });
  for (let asked = 0; asked < 4; asked++) await organization.count(IS_SET, "event");
  expect(await columnsWhen((columns) => columns.every(({ state }) => state !== "wanted"))).toEqual({});
  await organization.write({ events: [eventWith(3)] });
  await organization.count(IS_SET, "event");
  expect(await questions.eventColumns()).toEqual([]);
  await organization.count(IS_SET, "event");
  expect(await complete()).toEqual({ "properties.it": ["number"] });
});

test("a property that no question uses for days loses its columns, and gets them again when it is used", async () => {
  let organization = await openOrganization(questions);
  await organization.write({ events: [eventWith(1)] });
  await organization.count(IS_SET, "event");
  await complete();
  vi.useFakeTimers({ toFake: ["Date"] });
  for (let days = 1; days <= 3; days++) {
    vi.setSystemTime(Date.now() + 25 * 3_600_000);
    organization = await reopen(organization, { unusedDays: 2 });
    await organization.count({}, "event");
    await columnsWhen((columns) => (days < 3 ? columns[0]?.unusedDays === days : columns.length === 0));
  }
  await organization.write({ events: [eventWith("two")] });
  expect(await organization.count(IS_SET, "event")).toBe(2);
  expect(await complete()).toEqual({ "properties.it": ["text", "number"] });
  organization = await reopen(organization);
  expect(await organization.count(IS_SET, "event")).toBe(2);
});

test("no more properties have columns than the rules allow", async () => {
  const organization = await reopen(await openOrganization(questions), { mostProperties: 2 });
  await organization.write({ events: [eventOf(idOf("many"), idOf("ann"), { properties: { a: 1, b: 2, c: 3 } })] });
  for (const name of ["a", "b", "c"]) {
    await organization.count({ exists: { field: `properties.${name}` } }, "event");
    await columnsWhen((columns) => columns.every(({ state }) => state === "complete"));
  }
  expect(Object.keys(await complete())).toEqual(["properties.a", "properties.b"]);
  expect(await organization.count({ term: { "properties.c": 3 } }, "event")).toBe(1);
});

test("the place of a property that was not used for days goes to one that is", async () => {
  let organization = await reopen(await openOrganization(questions), { mostProperties: 1 });
  await organization.write({ events: [eventOf(idOf("many"), idOf("ann"), { properties: { a: 1, b: 2 } })] });
  const use = (name: string) => organization.count({ term: { [`properties.${name}`]: name === "a" ? 1 : 2 } }, "event");
  expect(await use("a")).toBe(1);
  await complete();
  vi.useFakeTimers({ toFake: ["Date"] });
  for (let days = 1; days <= 2; days++) {
    vi.setSystemTime(Date.now() + 25 * 3_600_000);
    organization = await reopen(organization, { mostProperties: 1 });
    await organization.count({}, "event");
    await columnsWhen(([column]) => column?.unusedDays === days);
  }
  expect(await use("b")).toBe(1);
  await columnsWhen(([column]) => column?.key === "properties.b" && column.state === "complete");
  expect([await use("a"), await use("b")]).toEqual([1, 1]);
});

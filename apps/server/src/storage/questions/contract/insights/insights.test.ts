import type { FunnelRequest, RetentionRequest, TrendRequest } from "@muster/protocol/api/insights";
import {
  type InsightUsers,
  parseFunnel,
  parseRetention,
  parseTrend,
  type QueryError,
  startOfUnit,
  type UsersPage,
} from "@muster/query";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sized } from "../../../../../../../testing/test-length.js";
import type { Questions } from "../../questions.js";
import { NOW } from "../dataset.test.data.js";
import { openEngine } from "../open-engine.js";
import { idOf, type Organization, openOrganization } from "../organization.test.kit.js";
import { accountDocument, eventOf, userDocument } from "../steps.test.kit.js";
import { fits, HOUR_MS, modelFunnel, modelRetention, modelUsers, START, sorted } from "./model.test.kit.js";

let questions: Questions;
beforeAll(async () => {
  questions = await openEngine();
});
afterAll(() => questions.close());

const TYPES = { user: { traits_plan: "string", traits_langs: "array", traits_vip: "boolean" } } as const;
const TIME = { from: "2024-06-01", to: "2024-06-08", time_zone: "UTC", limit: 10 } as const;

type Given<Request> = Partial<Request>;

async function trend(organization: Organization, request: Given<TrendRequest>) {
  const context = { attributeTypes: organization.attributeTypes, now: NOW };
  const series = request.series?.map((one) => ({ ...one, measure: one.measure ?? ("count" as const) })) ?? [];
  const [one] = parseTrend({ interval: "day", ...TIME, ...request, series }, context);
  const rows = await questions.trend(organization.id, one!, context);
  return rows.map(({ start, slice, value }) => [new Date(start).toISOString().slice(0, 10), slice, value]);
}

async function funnel(organization: Organization, request: Given<FunnelRequest>) {
  const context = { attributeTypes: organization.attributeTypes, now: NOW };
  const parsed = parseFunnel({ within: "1d", ...TIME, ...request, steps: request.steps ?? [] }, context);
  return questions.funnel(organization.id, parsed, context);
}

async function retention(organization: Organization, request: Given<RetentionRequest>) {
  const context = { attributeTypes: organization.attributeTypes, now: NOW };
  return questions.retention(
    organization.id,
    parseRetention({ interval: "day", ...TIME, ...request }, context),
    context,
  );
}

function usersOf(organization: Organization, who: InsightUsers, page: UsersPage = { limit: 100 }) {
  const context = { attributeTypes: organization.attributeTypes, now: NOW };
  return questions.insightUsers(organization.id, who, page, context);
}

describe("with a few users", () => {
  let organization: Organization;

  beforeAll(async () => {
    organization = await openOrganization(questions, TYPES);
    await organization.writeAccounts(accountDocument(idOf("acme"), { domain: "acme.example" }));
    await organization.writeUsers(
      userDocument(
        idOf("ann"),
        { traits_plan: "pro", traits_langs: ["fr", "de"], traits_vip: true },
        { accountId: idOf("acme") },
      ),
      userDocument(idOf("bob"), { traits_plan: "free", traits_vip: false }),
      userDocument(idOf("cid"), {}),
    );
    const event = (id: string, user: string, name: string, at: string, properties = {}) =>
      eventOf(idOf(id), idOf(user), { event: name, created_at: `2024-06-${at}`, properties });
    await organization.write({
      events: [
        { ...event("a1", "ann", "Visit", "01T10:00:00.000Z", { page: "home" }), account_id: idOf("acme") },
        {
          ...event("a2", "ann", "Order", "01T11:00:00.000Z", { total: 20, tags: ["new", "sale"] }),
          account_id: idOf("acme"),
        },
        event("a3", "ann", "Order", "03T11:00:00.000Z", { total: 5.5 }),
        event("b1", "bob", "Visit", "01T12:00:00.000Z", { page: "home" }),
        event("b2", "bob", "Order", "02T13:00:00.000Z", { total: "much" }),
        event("c1", "cid", "Order", "02T00:00:00.000Z", {}),
        event("c2", "cid", "Visit", "02T22:30:00.000Z", { page: "price" }),
        event("c3", "cid", "Order", "08T00:00:00.000Z", { total: 100 }),
        eventOf(idOf("m1"), idOf("bob"), {
          event: "Entered segment",
          created_at: "2024-06-02T01:00:00.000Z",
          event_source: "platform",
        }),
      ],
    });
  });

  test.for<[string, Given<TrendRequest>, unknown[]]>([
    [
      "events of a name",
      { series: [{ event: "Order", measure: "count" }] },
      [
        ["2024-06-01", null, 1],
        ["2024-06-02", null, 2],
        ["2024-06-03", null, 1],
      ],
    ],
    [
      "all events but those of Muster itself",
      { series: [{ measure: "count" }], interval: "month" },
      [["2024-06-01", null, 7]],
    ],
    [
      "different users",
      { series: [{ measure: "users" }], interval: "week" },
      [
        ["2024-05-27", null, 3],
        ["2024-06-03", null, 1],
      ],
    ],
    [
      "a sum, of numbers alone",
      { series: [{ event: "Order", measure: "sum", property: "properties.total" }] },
      [
        ["2024-06-01", null, 20],
        ["2024-06-02", null, null],
        ["2024-06-03", null, 5.5],
      ],
    ],
    [
      "an average",
      { series: [{ event: "Order", measure: "avg", property: "properties.total" }], interval: "month" },
      [["2024-06-01", null, 12.75]],
    ],
    [
      "events that a query chooses",
      { series: [{ where: { term: { "properties.page": "price" } }, measure: "count" }] },
      [["2024-06-02", null, 1]],
    ],
    [
      "events that conditions of a builder choose",
      {
        series: [
          {
            event: "Visit",
            conditions: [{ property: { key: "page" }, operator: "equals", options: { value: "price" } }],
            measure: "count",
          },
        ],
      },
      [["2024-06-02", null, 1]],
    ],
    [
      "events of users that a query chooses",
      { series: [{ where: { has_parent: { type: "user", query: { term: { plan: "free" } } } }, measure: "count" }] },
      [
        ["2024-06-01", null, 1],
        ["2024-06-02", null, 1],
      ],
    ],
    [
      "days of a time zone",
      { series: [{ event: "Visit", measure: "count" }], time_zone: "Europe/Paris" },
      [
        ["2024-05-31", null, 2],
        ["2024-06-02", null, 1],
      ],
    ],
    [
      "by an attribute of the user",
      { series: [{ event: "Order", measure: "count" }], interval: "month", breakdown: "user.plan" },
      [
        ["2024-06-01", "free", 1],
        ["2024-06-01", "pro", 2],
      ],
    ],
    [
      "by a list of the user, once for each element",
      { series: [{ event: "Order", measure: "users" }], interval: "month", breakdown: "user.langs" },
      [
        ["2024-06-01", "de", 1],
        ["2024-06-01", "fr", 1],
      ],
    ],
    [
      "by a boolean",
      { series: [{ measure: "users" }], interval: "month", breakdown: "user.vip" },
      [
        ["2024-06-01", false, 1],
        ["2024-06-01", true, 1],
      ],
    ],
    [
      "by a field of the event's account",
      { series: [{ measure: "count" }], interval: "month", breakdown: "account.domain" },
      [["2024-06-01", "acme.example", 2]],
    ],
    [
      "by a property, the most frequent values alone",
      { series: [{ measure: "count" }], interval: "month", breakdown: "properties.page", limit: 1 },
      [["2024-06-01", "home", 2]],
    ],
    ["by a field that nobody has", { series: [{ measure: "count" }], breakdown: "user.nothing" }, []],
  ])("a trend shows %s", async ([, request, expected]) => {
    const rows = await trend(organization, request);
    expect(rows.toSorted()).toEqual(expected.toSorted());
  });

  const STEPS = [{ event: "Visit" }, { event: "Order" }];

  test.for<[string, Given<FunnelRequest>, unknown[]]>([
    ["the steps in their order", { steps: STEPS, within: "2d" }, [{ slice: null, reached: [3, 2] }]],
    ["only in time", { steps: STEPS, within: "12h" }, [{ slice: null, reached: [3, 1] }]],
    ["up to the very end of the time", { steps: STEPS, within: "25h" }, [{ slice: null, reached: [3, 2] }]],
    [
      "later steps after the end of the period",
      { steps: STEPS, within: "1w", to: "2024-06-03" },
      [{ slice: null, reached: [3, 3] }],
    ],
    [
      "the same event twice",
      { steps: [{ event: "Order" }, { event: "Order" }], within: "3d" },
      [{ slice: null, reached: [3, 1] }],
    ],
    [
      "a step that nobody takes",
      { steps: [{ event: "Visit" }, { event: "None" }, { event: "Order" }] },
      [{ slice: null, reached: [3, 0, 0] }],
    ],
    [
      "by the user's plan, without users that have none",
      { steps: STEPS, within: "2d", breakdown: "user.plan" },
      [
        { slice: "free", reached: [1, 1] },
        { slice: "pro", reached: [1, 1] },
      ],
    ],
    [
      "by a property of the first step",
      { steps: STEPS, within: "1w", breakdown: "properties.page" },
      [
        { slice: "home", reached: [2, 2] },
        { slice: "price", reached: [1, 1] },
      ],
    ],
    ["by the segments of users, of which there are none", { steps: STEPS, breakdown: "user.segment_ids" }, []],
  ])("a funnel counts %s", async ([, request, expected]) => {
    expect(await funnel(organization, request)).toEqual(expected);
  });

  test("the users behind a number are listed by its definition, page by page", async () => {
    const context = { now: NOW };
    const shown = async (who: InsightUsers, page?: UsersPage) =>
      (await usersOf(organization, who, page)).map((id) => ["ann", "bob", "cid"].find((name) => idOf(name) === id));
    const [all] = parseTrend({ ...TIME, series: [{ event: "Visit", measure: "count" }], interval: "day" }, context);
    const everybody = (await shown({ kind: "trend", trend: all!, slice: null })).toSorted();
    expect(everybody).toEqual(["ann", "bob", "cid"]);
    const [first] = await usersOf(organization, { kind: "trend", trend: all!, slice: null }, { limit: 1 });
    const rest = await usersOf(organization, { kind: "trend", trend: all!, slice: null }, { limit: 9, after: first });
    expect(rest).toHaveLength(2);
    expect(rest).not.toContain(first);

    const sliced = async (breakdown: string, slice: string | boolean) => {
      const series = [{ measure: "count" as const }];
      const [trend] = parseTrend({ ...TIME, series, interval: "day", breakdown }, context);
      return (await shown({ kind: "trend", trend: trend!, slice })).toSorted();
    };
    expect(await sliced("properties.page", "home")).toEqual(["ann", "bob"]);
    expect(await sliced("user.langs", "de")).toEqual(["ann"]);
    expect(await sliced("user.vip", false)).toEqual(["bob"]);

    const funnel = parseFunnel({ ...TIME, steps: STEPS, within: "12h", breakdown: "properties.page" }, context);
    const dropped = { kind: "funnel", funnel, step: 0, hasDropped: true } as const;
    expect(await shown({ ...dropped, slice: "home" })).toEqual(["bob"]);
    expect((await shown({ ...dropped, slice: null })).toSorted()).toEqual(["bob", "cid"]);
  });

  test("a funnel without any event is empty", async () => {
    const empty = await openOrganization(questions);
    expect(await funnel(empty, { steps: STEPS })).toEqual([{ slice: null, reached: [0, 0] }]);
    expect(await retention(empty, {})).toEqual([]);
  });

  test("retention counts those who came back after their first event", async () => {
    const rows = await retention(organization, { start: { event: "Visit" }, return: { event: "Order" } });
    const shown = rows.map(({ start, back, users }) => [day(start), back === undefined ? "all" : day(back), users]);
    expect(shown.toSorted()).toEqual([
      ["01", "01", 1],
      ["01", "02", 1],
      ["01", "03", 1],
      ["01", "all", 2],
      ["02", "all", 1],
    ]);
  });

  test.for<[string, () => Promise<unknown>, string]>([
    [
      "a property without numbers",
      () => trend(organization, { series: [{ measure: "sum", property: "event" }] }),
      "series.0.property",
    ],
    [
      "a measure without its property",
      () => trend(organization, { series: [{ measure: "sum" }] }),
      "series.0.property",
    ],
    [
      "a count with a property",
      () => trend(organization, { series: [{ measure: "count", property: "properties.a" }] }),
      "series.0.property",
    ],
    [
      "a query that is none",
      () => trend(organization, { series: [{ where: { nothing: 1 } as never, measure: "count" }] }),
      "series.0.where.nothing",
    ],
    [
      "a condition that is none",
      () => trend(organization, { series: [{ conditions: [{}] as never, measure: "count" }] }),
      "series.0.conditions.0",
    ],
    ["a time that is none", () => funnel(organization, { from: "soon", steps: STEPS }), "from"],
    ["a time that ends before it begins", () => funnel(organization, { from: "2025-01-01", steps: STEPS }), "to"],
    ["a time zone that is none", () => retention(organization, { time_zone: "Mars" }), "time_zone"],
    ["a span that is too long", () => funnel(organization, { within: "999d", steps: STEPS }), "within"],
  ])("%s is refused at its place", async ([, ask, path]) => {
    const error = await ask().catch((thrown: unknown) => thrown as QueryError);
    expect(error).toMatchObject({ name: "QueryError", path });
  });
});

const day = (ms: number) => new Date(ms).toISOString().slice(8, 10);

/** Events of a few users in ten days, many of them at the same moment. */
const histories = fc.array(
  fc.record({
    user: fc.constantFrom("ann", "bob", "cid", "dan"),
    event: fc.constantFrom("A", "B", "C"),
    hours: fc.integer({ min: -20, max: 230 }),
  }),
  { maxLength: 40 },
);

test("trends of users, funnels and retention agree with a plain model, whatever users do", async () => {
  const requests = {
    steps: fc.array(fc.constantFrom({ event: "A" }, { event: "B" }, { event: "C" }, {}), {
      minLength: 2,
      maxLength: 4,
    }),
    hours: fc.integer({ min: 1, max: 72 }),
    unit: fc.constantFrom("h", "d", "w") as fc.Arbitrary<"h" | "d" | "w">,
  };
  await fc.assert(
    fc.asyncProperty(histories, requests.steps, requests.hours, requests.unit, async (history, steps, hours, unit) => {
      const organization = await openOrganization(questions);
      const events = history.map(({ user, event, hours: at }, index) =>
        eventOf(idOf(`e${String(index).padStart(3, "0")}`), idOf(user), {
          event,
          created_at: new Date(START + at * HOUR_MS).toISOString(),
        }),
      );
      await organization.writeUsers(...["ann", "bob", "cid", "dan"].map((name) => userDocument(idOf(name), {})));
      await organization.write({ events });
      const period = { from: START, to: Date.parse("2024-06-08T00:00:00.000Z") };

      const model = modelFunnel(events, steps.map(fits), period, hours * HOUR_MS);
      const who = (fit: (reached: number) => boolean) =>
        [...model].flatMap(([id, count]) => (fit(count) ? [id] : [])).toSorted();
      const reached = steps.map((_, place) => who((count) => count > place).length);
      const asked = { steps, within: `${hours}h` };
      expect(await funnel(organization, asked)).toEqual([{ slice: null, reached }]);
      const of = (step: number, hasDropped: boolean) => ({ kind: "funnel", step, hasDropped, slice: null }) as const;
      const parsed = parseFunnel({ ...TIME, ...asked }, { now: NOW });
      expect(await usersOf(organization, { funnel: parsed, ...of(1, false) })).toEqual(who((count) => count > 1));
      expect(await usersOf(organization, { funnel: parsed, ...of(0, true) })).toEqual(who((count) => count === 1));

      const interval = { h: "hour", d: "day", w: "week" }[unit] as "hour";
      const [start, back] = [steps[0]!, steps[1]!];
      const [active] = parseTrend({ ...TIME, interval, series: [{ ...start, measure: "users" }] }, { now: NOW });
      const context = { attributeTypes: organization.attributeTypes, now: NOW };
      const found = await questions.trend(organization.id, active!, context);
      const unitOf = (ms: number) => startOfUnit(ms, unit, "UTC");
      const users = modelUsers(events, fits(start), period, unitOf);
      expect(new Map(found.map((row) => [row.start, row.value]))).toEqual(users);
      const rows = await retention(organization, { start, return: back, interval });
      const cells = modelRetention(events, fits(start), fits(back), period, unitOf);
      expect(sorted(rows)).toEqual(sorted(cells));
      const cell = cells.at(-1);
      if (!cell) return;
      const cohorts = parseRetention({ ...TIME, start, return: back, interval }, { now: NOW });
      const returned = await usersOf(organization, { ...cell, kind: "retention", retention: cohorts });
      expect(returned).toEqual(cell.ids.toSorted());
    }),
    { numRuns: sized(40, 300) },
  );
});

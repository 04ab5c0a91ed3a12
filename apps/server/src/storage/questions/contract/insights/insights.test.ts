import type { FunnelRequest, TrendRequest } from "@muster/protocol/api/insights";
import { type InsightUsers, parseFunnel, parseTrend, type QueryError, type UsersPage } from "@muster/query";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Questions } from "../../questions.js";
import { NOW } from "../dataset.test.data.js";
import { openEngine } from "../open-engine.js";
import { idOf, type Organization, openOrganization } from "../organization.test.kit.js";
import { accountDocument, eventOf, userDocument } from "../steps.test.kit.js";
import { type Given, insightsOf, TIME } from "./ask-insights.test.kit.js";

let questions: Questions;
beforeAll(async () => {
  questions = await openEngine();
});
afterAll(() => questions.close());

const TYPES = { user: { traits_plan: "string", traits_langs: "array", traits_vip: "boolean" } } as const;
const { trend, funnel, retention, usersOf } = insightsOf(() => questions);

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

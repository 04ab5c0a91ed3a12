import { type EventAggregate, parse, type UserAggregate } from "@muster/query";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sized } from "../../../../../../../testing/test-length.js";
import type { Questions } from "../../questions.js";
import { NOW } from "../dataset.test.data.js";
import { openEngine } from "../open-engine.js";
import { idOf, nameOf, type Organization, openOrganization } from "../organization.test.kit.js";
import { accountDocument, eventOf, userDocument } from "../steps.test.kit.js";

let questions: Questions;
beforeAll(async () => {
  questions = await openEngine();
});
afterAll(() => questions.close());

const HOUR_MS = 3_600_000;
const USERS = ["ann", "bob", "cid", "dan", "eva"];
const ACCOUNTS = ["acme", "globex"];

interface Done {
  user: string;
  event: string;
  hoursAgo: number;
  value: unknown;
}

const values = fc.oneof(
  fc.integer({ min: -5, max: 5 }),
  fc.constantFrom("a", "b", "3", "", "ünï", "2024-05-01T00:00:00.000Z", "2024-05-02", true, false, null),
  fc.constantFrom(0.5, 1e9, ["a", "b"], { deep: 1 }),
);
const histories = fc.array(
  fc.record({
    user: fc.constantFrom(...USERS),
    event: fc.constantFrom("Order", "Visit", "Reset"),
    hoursAgo: fc.integer({ min: -2, max: 30 }),
    value: values,
  }),
  { maxLength: 30 },
);

const query = (event: string, where: object = { match_all: {} }) =>
  parse({ bool: { must: [{ term: { event } }, where] } }, { target: "event" });
const of = (event: string, more: Partial<EventAggregate>): EventAggregate => ({
  aggregate: "count",
  query: query(event),
  property: undefined,
  withinMs: undefined,
  type: "numeric",
  ...more,
});

const AGGREGATES: EventAggregate[] = [
  of("Order", {}),
  of("Visit", { withinMs: 10 * HOUR_MS }),
  of("Order", { query: query("Order", { range: { "properties.value": { gt: 1 } } }) }),
  of("Order", { aggregate: "sum", property: "value" }),
  of("Order", { aggregate: "min", property: "value" }),
  of("Order", { aggregate: "max", property: "value" }),
  of("Order", { aggregate: "average", property: "value", withinMs: 20 * HOUR_MS }),
  of("Order", { aggregate: "unique", property: "value" }),
  of("Order", { aggregate: "first", property: "value", type: "string" }),
  of("Order", { aggregate: "last", property: "value", type: "string" }),
  of("Visit", { aggregate: "last", property: "value", type: "numeric" }),
  of("Visit", { aggregate: "first", property: "value", type: "boolean" }),
  of("Order", { aggregate: "max", property: "value", type: "date" }),
];

/** What an aggregate says of these events, one by one. */
function modelOf({ aggregate, property, withinMs, type, query: wanted }: EventAggregate, done: readonly Done[]) {
  const text = JSON.stringify(wanted);
  const event = text.includes('"Visit"') ? "Visit" : "Order";
  const counted = done
    .map((each, place) => ({ ...each, id: idOf(`e${String(place).padStart(3, "0")}`) }))
    .filter((each) => each.event === event)
    .filter(({ hoursAgo }) => withinMs === undefined || hoursAgo * HOUR_MS <= withinMs)
    .filter(({ value }) => !text.includes("range") || (typeof value === "number" && value > 1))
    .toSorted((a, b) => b.hoursAgo - a.hoursAgo || (a.id < b.id ? -1 : 1));
  if (property === undefined) return counted.length;
  const isDate = (value: unknown) => typeof value === "string" && value.startsWith("2024-");
  const fits = { numeric: "number", string: "string", boolean: "boolean", date: "string" }[type as "numeric"];
  if (aggregate === "unique") {
    const scalars = counted.map(({ value }) => value).filter((value) => value !== null && typeof value !== "object");
    return new Set(scalars.map((value) => JSON.stringify(value))).size;
  }
  const found = counted
    .map(({ value }) => value)
    .filter((value) => typeof value === fits && (type !== "date" || isDate(value)))
    .map((value) => (type === "date" ? Date.parse(String(value)) : value)) as number[];
  if (found.length === 0) return null;
  const sum = found.reduce((total, value) => total + value, 0);
  switch (aggregate) {
    case "sum":
      return sum;
    case "average":
      return sum / found.length;
    case "min":
      return Math.min(...found);
    case "max":
      return Math.max(...found);
    case "first":
      return found[0];
    default:
      return found.at(-1);
  }
}

async function write(
  organization: Organization,
  done: readonly Done[],
  accountOf: (user: string) => string | undefined,
) {
  await organization.writeAccounts(...ACCOUNTS.map((name) => accountDocument(idOf(name), {})));
  await organization.writeUsers(
    ...USERS.map((name) => {
      const account = accountOf(name);
      return userDocument(idOf(name), {}, { accountId: account === undefined ? undefined : idOf(account) });
    }),
  );
  const events = done.map(({ user, event, hoursAgo, value }, place) =>
    eventOf(idOf(`e${String(place).padStart(3, "0")}`), idOf(user), {
      event,
      created_at: new Date(NOW.getTime() - hoursAgo * HOUR_MS).toISOString(),
      properties: { value },
    }),
  );
  await organization.write({ events });
}

const context = ({ attributeTypes }: Organization) => ({ attributeTypes, now: NOW });
const rounded = (value: unknown) => (typeof value === "number" ? Number(value.toPrecision(12)) : value);

describe("figures over events", () => {
  test("agree with a plain model for users and for all users of an account, whatever users do", async () => {
    const links = fc.array(fc.constantFrom(undefined, ...ACCOUNTS), {
      minLength: USERS.length,
      maxLength: USERS.length,
    });
    await fc.assert(
      fc.asyncProperty(histories, links, async (done, linked) => {
        const organization = await openOrganization(questions);
        const accountOf = (user: string) => linked[USERS.indexOf(user)];
        await write(organization, done, accountOf);
        for (const subjectType of ["user", "account"] as const) {
          const names = subjectType === "user" ? USERS.slice(0, 4) : ACCOUNTS;
          const among = { subjectType, ids: names.map(idOf) };
          const found = await questions.aggregateEvents(organization.id, AGGREGATES, among, context(organization));
          for (const id of found.keys()) expect(names).toContain(nameOf(id));
          for (const name of names) {
            const own = done.map((each) => {
              const isOwn = subjectType === "user" ? each.user === name : accountOf(each.user) === name;
              return isOwn ? each : { ...each, event: "none" };
            });
            const model = AGGREGATES.map((aggregate) => modelOf(aggregate, own));
            const answer = found.get(idOf(name));
            // A subject without any of the events may be missing.
            const nothing = AGGREGATES.map((aggregate) => modelOf(aggregate, []));
            expect(
              (answer ?? nothing).map((value, place) => rounded(value ?? nothing[place])),
              name,
            ).toEqual(model.map((value, place) => rounded(value ?? nothing[place])));
          }
        }
      }),
      { numRuns: sized(12, 200) },
    );
  });

  test("of events of the same moment, the one with the lower id is the earlier", async () => {
    const organization = await openOrganization(questions);
    const at = (value: string): Done => ({ user: "ann", event: "Order", hoursAgo: 1, value });
    await write(organization, [at("one"), at("two"), at("three")], () => undefined);
    const aggregates = [
      of("Order", { aggregate: "first", property: "value", type: "string" }),
      of("Order", { aggregate: "last", property: "value", type: "string" }),
    ];
    const among = { subjectType: "user" as const, ids: [idOf("ann")] };
    const found = await questions.aggregateEvents(organization.id, aggregates, among, context(organization));
    expect(found.get(idOf("ann"))).toEqual(["one", "three"]);
  });
});

describe("figures over users", () => {
  const TYPES = { user: { traits_score: "numeric", traits_plan: "string", traits_joined: "date" } } as const;
  const has = (field: object) => parse(field, { target: "user" });
  const over = (more: Partial<UserAggregate>): UserAggregate => ({
    aggregate: "count",
    query: undefined,
    attribute: undefined,
    type: "numeric",
    ...more,
  });

  test("read attributes, segments, events and the account of users, and those of one organization only", async () => {
    const organization = await openOrganization(questions, TYPES);
    await organization.writeAccounts(accountDocument(idOf("acme"), {}), accountDocument(idOf("globex"), {}));
    const user = (name: string, fields: object, account: string) =>
      userDocument(idOf(name), fields as never, { accountId: idOf(account) });
    const write = (to: Organization) =>
      to.writeUsers(
        user("ann", { traits_score: 1, traits_plan: "pro", traits_joined: "2024-01-02T00:00:00.000Z" }, "acme"),
        user("bob", { traits_score: 5, traits_plan: "free" }, "acme"),
        user("cid", { traits_plan: "pro", traits_joined: "2024-01-01T00:00:00.000Z" }, "acme"),
        user("dan", { traits_score: 100 }, "globex"),
      );
    await write(organization);
    const other = await openOrganization(questions, TYPES);
    await other.writeAccounts(accountDocument(idOf("acme"), {}));
    await other.writeUsers(user("eva", { traits_score: 1_000 }, "acme"));
    await organization.write({ events: [eventOf(idOf("e1"), idOf("bob"), { event: "Visit" })] });
    const aggregates = [
      over({}),
      over({ query: has({ term: { plan: "pro" } }) }),
      over({ aggregate: "share", query: has({ term: { plan: "pro" } }) }),
      over({ aggregate: "sum", attribute: "traits_score" }),
      over({ aggregate: "average", attribute: "traits_score" }),
      over({ aggregate: "max", attribute: "traits_score", query: has({ term: { plan: "pro" } }) }),
      over({ aggregate: "min", attribute: "traits_joined", type: "date" }),
      over({ aggregate: "max", attribute: "traits_plan", type: "string" }),
      over({ aggregate: "unique", attribute: "traits_plan" }),
      over({ query: has({ has_child: { type: "event", query: { term: { event: "Visit" } } } }) }),
      over({ aggregate: "max", attribute: "traits_unheard" }),
    ];
    const ids = ["acme", "globex", "nobody"].map(idOf);
    const found = await questions.aggregateUsers(organization.id, aggregates, ids, context(organization));
    expect(found.get(idOf("acme"))).toEqual([
      3,
      2,
      expect.closeTo(2 / 3),
      6,
      3,
      1,
      Date.parse("2024-01-01T00:00:00.000Z"),
      "pro",
      2,
      1,
      null,
    ]);
    expect(found.get(idOf("globex"))?.slice(0, 5)).toEqual([1, 0, 0, 100, 100]);
    expect(found.get(idOf("nobody"))).toBeUndefined();
    const wrong = [over({ aggregate: "sum", attribute: "traits_plan" })];
    await expect(questions.aggregateUsers(organization.id, wrong, ids, context(organization))).rejects.toThrow(
      /sum needs numeric/,
    );
  });
});

test("the ids of those who match come in their order, page by page", async () => {
  const organization = await openOrganization(questions);
  await write(organization, [{ user: "cid", event: "Order", hoursAgo: 1, value: 1 }], () => undefined);
  const selection = organization.select({ match_all: {} });
  const first = await questions.idsAfter(organization.id, selection, { after: "", limit: 3 });
  const second = await questions.idsAfter(organization.id, selection, { after: first.at(-1) ?? "", limit: 3 });
  expect([first.map(nameOf), second.map(nameOf)]).toEqual([
    ["ann", "bob", "cid"],
    ["dan", "eva"],
  ]);
  const did = organization.select({ has_child: { type: "event", query: { term: { event: "Order" } } } });
  expect((await questions.idsAfter(organization.id, did, { after: "", limit: 3 })).map(nameOf)).toEqual(["cid"]);
});

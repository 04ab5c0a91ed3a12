// @module-tag long
import { createBrand, DAY_MS } from "@muster/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ADMIN_TOKEN } from "../../../../apps/server/src/testing/test-server.js";
import { Api } from "../api.js";
import { type CliServer, openCliServer } from "../testing/cli-server.js";
import { muster } from "../testing/muster.js";
import type { DemoAccount } from "./company/accounts.js";
import type { DemoEvent } from "./company/events.js";
import { type DemoOrganization, prepareDemo } from "./demo-organization.js";
import { type Filled, fillDemo } from "./fill.js";

const USERS = 500;
// It takes a second on a quiet machine.
const LONGEST_MS = 300_000;
const SILENT = { print() {}, printJson() {}, warn() {}, progress() {}, async drained() {}, width: undefined };

let served: CliServer;
let demo: DemoOrganization;
let filled: Filled;
let now: number;

beforeAll(async () => {
  served = await openCliServer();
  const { url } = served.server;
  const api = new Api({ url, token: ADMIN_TOKEN, brand: createBrand(), organization: undefined });
  demo = await prepareDemo(api, url, "demo", { seed: 7, users: USERS }, false);
  now = Date.parse(demo.notes.at);
  filled = await fillDemo(demo, SILENT);
}, LONGEST_MS);
afterAll(() => served?.close());

interface Found {
  data: Record<string, unknown>[];
  pagination: { total: number };
  aggregations: Record<string, { buckets: { key_as_string: string; doc_count: number }[] }>;
}

const search = (target: string, body: object) => demo.api.post<Found>(`/search/${target}`, { per_page: 0, ...body });
const count = async (target: string, query: object = {}) => (await search(target, { query })).pagination.total;
const OWN_EVENTS = { terms: { source: ["website", "shop"] } };

async function sizeOf(segment: string): Promise<number> {
  const all = await demo.api.get<{ name: string; stats: { users?: number; accounts?: number } }[]>("/segments");
  const found = all.find(({ name }) => name === segment);
  return found?.stats.users ?? found?.stats.accounts ?? -1;
}

/** All events of the company with their time. */
function madeEvents(): { event: string; created_at: string }[] {
  const ofStories = filled.company.stories.flatMap(({ entries }) =>
    entries.flatMap(({ type, body }) => (type === "track" ? [body as unknown as DemoEvent] : [])),
  );
  return [...filled.company.people.flatMap(({ events }) => events), ...ofStories];
}

function isBetween(date: unknown, from: number, to: number): boolean {
  return typeof date === "string" && Date.parse(date) >= from && Date.parse(date) < to;
}

test("all users, accounts and events are there, with the months of the company", async () => {
  expect(await count("user_reports")).toBe(USERS);
  expect(await count("account_reports")).toBe(filled.company.accounts.length);
  const aggs = { months: { date_histogram: { field: "created_at", interval: "month" } } };
  const { aggregations } = await search("events", { query: OWN_EVENTS, aggs });
  const found = aggregations.months!.buckets.map(({ key_as_string, doc_count }) => [
    key_as_string.slice(0, 7),
    doc_count,
  ]);
  const expected = new Map<string, number>();
  for (const { created_at } of madeEvents()) {
    expected.set(created_at.slice(0, 7), (expected.get(created_at.slice(0, 7)) ?? 0) + 1);
  }
  expect(new Map(found.filter(([, events]) => events !== 0) as [string, number][])).toEqual(expected);
  expect(expected.size).toBeGreaterThanOrEqual(12);
});

test("segments have the members that follow from the company", async () => {
  const { people, stories, accounts } = filled.company;
  const members = (matches: (user: Record<string, unknown>) => boolean) =>
    people.filter(({ user }) => matches(user)).length;
  const monthAgo = now - 30 * DAY_MS;
  const recentOrders = (events: { event: string; created_at: string }[]) =>
    events.filter(({ event, created_at }) => event === "Order placed" && isBetween(created_at, monthAgo, now + 1))
      .length;
  const storyEvents = stories.map(({ entries }) => entries.map(({ body }) => body as unknown as DemoEvent));
  const powerUsers = [...people.map(({ events }) => events), ...storyEvents].filter((each) => recentOrders(each) >= 3);
  const atRisk = (account: DemoAccount) => account.is_customer && account.health_score < 40;
  expect(powerUsers.length).toBeGreaterThan(0);
  const trials = members((user) => user.plan === "trial" && isBetween(user.trial_ends_at, now, now + 3 * DAY_MS));
  expect(trials).toBeGreaterThan(0);
  expect({
    trials: await sizeOf("Trial ending"),
    power: await sizeOf("Power users"),
    week: await sizeOf("New this week"),
    visitors: await sizeOf("Visitors without a name"),
    risk: await sizeOf("Accounts at risk"),
    large: await sizeOf("Large customers"),
  }).toEqual({
    trials,
    power: powerUsers.length,
    week: members((user) => isBetween(user.signed_up_at, now - 7 * DAY_MS, now)),
    visitors: members((user) => user.email === undefined),
    risk: accounts.filter(atRisk).length,
    large: accounts.filter(({ mrr }) => mrr >= 500).length,
  });
});

test("segments are in folders, attributes have labels, and all orders follow the plan", async () => {
  const segments = await demo.api.get<{ folder: string; description: string }[]>("/segments");
  expect(segments.filter(({ folder, description }) => folder === "" || description === "")).toEqual([]);
  expect(await demo.api.get("/settings/account_traits/mrr")).toMatchObject({ label: "Monthly revenue" });
  const names = await demo.api.get<{ name: string; planned: boolean; problems: number }[]>("/events/names");
  const planned = names.filter((one) => one.planned).map(({ name, problems }) => [name, problems]);
  expect(planned.toSorted()).toEqual([
    ["Order placed", 0],
    ["Review written", 0],
  ]);
});

test("attributes have values of every type, also in groups", async () => {
  const schema = await demo.api.get<{ key: string; type: string }[]>("/users/schema");
  const types = new Map(schema.map(({ key, type }) => [key, type]));
  expect(types.get("traits_plan")).toBe("string");
  expect(types.get("traits_orders")).toBe("number");
  expect(types.get("traits_newsletter")).toBe("boolean");
  expect(types.get("traits_trial_ends_at")).toBe("date");
  expect(types.get("traits_interests")).toBe("array");
  expect(types.get("traits_preferences")).toBe("json");
  expect(types.get("traits_crm/score")).toBe("number");
});

test("a laptop, a phone and an address have become one user, with the history of the plan", async () => {
  const [story] = filled.company.stories;
  const { data } = await search("user_reports", { query: { term: { external_id: story?.externalId } }, per_page: 5 });
  expect(data).toMatchObject([{ email: story?.email, traits_plan: "office" }]);
  const [{ id, anonymous_ids }] = data as [{ id: string; anonymous_ids: string[] }];
  expect(anonymous_ids.toSorted()).toEqual(story?.anonymousIds.toSorted());
  const ofUser = (event: string) => ({ bool: { filter: [{ term: { user_id: id } }, { term: { event } }] } });
  expect(await count("events", ofUser("User merged"))).toBe(2);
  const changes = await search("events", { query: ofUser("attributes_changed"), per_page: 100 });
  const plans = changes.data.flatMap(({ properties }) => {
    const { plan, traits_plan = plan } = (properties as { changes: Record<string, { to: string }> }).changes;
    return traits_plan?.to ?? [];
  });
  expect(plans.toSorted()).toEqual(["office", "starter"]);
});

test(
  "what was interrupted can be filled again, and nothing is there twice",
  async () => {
    const before = [await count("user_reports"), await count("account_reports"), await count("events", OWN_EVENTS)];
    await fillDemo(demo, SILENT);
    const after = [await count("user_reports"), await count("account_reports"), await count("events", OWN_EVENTS)];
    expect(after).toEqual(before);
    const names = (await demo.api.get<{ name: string }[]>("/segments")).map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  },
  LONGEST_MS,
);

describe("an organization with data of its own", () => {
  test(
    "is filled only with --yes, and loses only the demo by --remove",
    async () => {
      await served.json(["org", "create", "acme"]);
      await served.json(["import", "users", "-", "--org", "acme"], {
        input: '{"external_id": "ours", "email": "ada@example.com"}',
      });
      await served.json([
        "segment",
        "create",
        "Power users",
        "--org",
        "acme",
        "--query",
        '{"exists": {"field": "email"}}',
      ]);
      const refused = await served.cli(["demo", "--org", "acme", "--users", "50"]);
      expect(refused).toMatchObject({ code: 4, stdout: "", stderr: expect.stringMatching(/has 1 users .* --yes/) });

      const url = served.server.url;
      const api = new Api({ url, token: ADMIN_TOKEN, brand: createBrand(), organization: undefined });
      const other = await prepareDemo(api, url, "acme", { seed: 1, users: 50 }, true);
      await fillDemo(other, SILENT);
      const users = () => served.json(["search", "users", "--org", "acme", "--limit", "1"]);
      expect((await users()).total).toBe(51);
      expect(await served.cli(["demo", "--remove", "--org", "acme"])).toMatchObject({ code: 4 });
      expect((await served.cli(["demo", "--remove", "--org", "acme", "--yes"])).code).toBe(0);
      expect(await users()).toMatchObject({ total: 1, data: [{ external_id: "ours" }] });
      expect((await served.json(["search", "accounts", "--org", "acme"])).total).toBe(0);
      expect(await served.json(["segment", "list", "--org", "acme"])).toMatchObject([
        { name: "Power users", stats: { users: 1 } },
      ]);
      expect(await served.json(["connector", "list", "--org", "acme"])).toEqual([]);
    },
    LONGEST_MS,
  );
});

test("--live and --remove exclude each other", async () => {
  expect(await muster(["demo", "--live", "--remove"])).toMatchObject({ code: 2 });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openOrganization, type Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
let organizations = 0;
beforeAll(async () => {
  server = await openTestServer();
});
beforeEach(async () => {
  organizations += 1;
  sender = await openOrganization(server, `computed-${organizations}`);
});
afterAll(() => server.close());

const PATIENCE = { timeout: 20_000, interval: 20 };
const DAY_MS = 86_400_000;
const user = (id: string, domain?: string) => ({
  user: { external_id: id },
  ...(domain === undefined ? {} : { account: { domain } }),
});

/** Creates a computed attribute, and waits until everybody has its value. */
async function define(given: object): Promise<string> {
  const answer = await sender.call("POST", "/computed_attributes", { payload: given });
  expect([answer.statusCode, answer.body]).toEqual([201, expect.any(String)]);
  const { id } = answer.json<{ id: string }>();
  await filled(id);
  return id;
}

async function filled(id: string): Promise<void> {
  await expect
    .poll(async () => (await sender.call("GET", `/computed_attributes/${id}`)).json().status, PATIENCE)
    .toBe("ok");
}

const valuesOf = async (id: string, ...names: string[]) => {
  const report = await sender.user({ external_id: id });
  return names.map((name) => report[`traits_${name}`] ?? null);
};

async function accountValue(domain: string, name: string): Promise<unknown> {
  const answer = await sender.call("POST", "/search/account_reports", { payload: { query: { term: { domain } } } });
  const [report] = answer.json<{ data: Record<string, unknown>[] }>().data;
  return report?.[name] ?? null;
}

describe("over the events of a user", () => {
  const order = (id: string, total: unknown, at?: Date) =>
    sender.track(user(id), "Order", { properties: { total } }, at);

  test("a new definition is computed for everybody, and then follows every record", async () => {
    await sender.settle([
      order("ann", 10, new Date(Date.now() - 1_000)),
      order("ann", 30),
      order("bob", 5),
      sender.traits(user("cid"), { plan: "pro" }),
    ]);
    await define({ target: "user", name: "orders", compute: { count: { event: "Order" } } });
    await define({ target: "user", name: "spent", compute: { sum: { event: "Order", property: "total" } } });
    const last = { last: { event: "Order", property: "total" } };
    await define({ target: "user", name: "latest", compute: last, type: "numeric" });
    expect(await valuesOf("ann", "orders", "spent", "latest")).toEqual([2, 40, 30]);
    expect(await valuesOf("bob", "orders", "spent", "latest")).toEqual([1, 5, 5]);
    expect(await valuesOf("cid", "orders", "spent", "latest")).toEqual([0, 0, null]);

    const before = new Date(Date.now() - DAY_MS);
    await sender.settle([order("ann", 1, before), order("cid", 7), sender.traits(user("dan"), { plan: "free" })]);
    await expect.poll(() => valuesOf("dan", "orders", "spent", "latest"), PATIENCE).toEqual([0, 0, null]);
    await expect.poll(() => valuesOf("ann", "orders", "spent", "latest"), PATIENCE).toEqual([3, 41, 30]);
    await expect.poll(() => valuesOf("cid", "orders", "spent", "latest"), PATIENCE).toEqual([1, 7, 7]);
    const found = await sender.call("POST", "/search/user_reports", {
      payload: { query: { range: { traits_spent: { gt: 6 } } } },
    });
    expect(found.json<{ pagination?: { total: number }; data: unknown[] }>().data).toHaveLength(2);
  });

  test("a merged user has the events of both", async () => {
    await define({ target: "user", name: "orders", compute: { count: { event: "Order" } } });
    await sender.settle([order("ann", 1), sender.track({ user: { anonymous_id: "a1" } }, "Order")]);
    await sender.settle([sender.entry("alias", user("ann"), { anonymous_id: "a1" })]);
    await expect.poll(() => valuesOf("ann", "orders"), PATIENCE).toEqual([2]);
  });

  test("the name belongs to the computation: records that write it are refused with a reason", async () => {
    const id = await define({ target: "user", name: "orders", compute: { count: { event: "Order" } } });
    await sender.settle([sender.traits(user("ann"), { orders: 99, plan: "pro" })]);
    await expect.poll(() => valuesOf("ann", "orders", "plan"), PATIENCE).toEqual([0, "pro"]);
    const rejected = await sender.call("GET", "/ingestion/rejected");
    expect(rejected.body).toContain("computed attribute, which only Muster writes");

    const removed = await sender.call("DELETE", `/computed_attributes/${id}?values=keep`);
    expect([removed.statusCode, removed.json()]).toEqual([200, { id, deleted: true, job_id: null }]);
    await sender.settle([sender.traits(user("ann"), { orders: 99 }), order("ann", 1)]);
    expect(await valuesOf("ann", "orders")).toEqual([99]);
  });

  test("an edited definition is computed for everybody again", async () => {
    await sender.settle([order("ann", 10), order("ann", 30)]);
    const id = await define({
      target: "user",
      name: "figure",
      compute: { sum: { event: "Order", property: "total" } },
    });
    expect(await valuesOf("ann", "figure")).toEqual([40]);
    const max = { max: { event: "Order", property: "total", where: { range: { "properties.total": { lt: 20 } } } } };
    const compute = { count: max.max };
    const wrong = await sender.call("PUT", `/computed_attributes/${id}`, { payload: { compute: { count: { x: 1 } } } });
    expect(wrong.statusCode).toBe(400);
    const edited = await sender.call("PUT", `/computed_attributes/${id}`, {
      payload: { compute: { average: compute.count } },
    });
    expect([edited.statusCode, edited.json().status]).toEqual([200, "computing"]);
    await filled(id);
    expect(await valuesOf("ann", "figure")).toEqual([10]);
  });
});

describe("over the users of an account", () => {
  const pros = { term: { plan: "pro" } };

  test("follows links, unlinks, merges and erasures", async () => {
    await sender.settle([
      sender.traits(user("ann", "acme.com"), { plan: "pro", score: 3 }),
      sender.traits(user("bob", "acme.com"), { plan: "free", score: 8 }),
      sender.track(user("bob", "acme.com"), "Order", { properties: { total: 5 } }),
      sender.traits(user("cid", "globex.com"), { plan: "pro", score: 1 }),
    ]);
    const over = (name: string, over_users: object) => define({ target: "account", name, compute: { over_users } });
    await over("users", { count: {} });
    await over("pros", { count: { where: pros } });
    await over("share", { share: { where: pros } });
    await over("best", { max: { attribute: "score" } });
    await over("revenue", { sum: { event: "Order", property: "total" } });
    const names = ["users", "pros", "share", "best", "revenue"];
    const of = async (domain: string) => Promise.all(names.map((name) => accountValue(domain, name)));
    expect(await of("acme.com")).toEqual([2, 1, 0.5, 8, 5]);
    expect(await of("globex.com")).toEqual([1, 1, 1, 1, 0]);

    await sender.settle([sender.traits(user("bob", "globex.com"), {})]);
    await expect.poll(() => of("acme.com"), PATIENCE).toEqual([1, 1, 1, 3, 0]);
    await expect.poll(() => of("globex.com"), PATIENCE).toEqual([2, 1, 0.5, 8, 5]);

    await sender.settle([sender.traits(user("ann"), { plan: "free", score: 4 })]);
    await expect.poll(() => of("acme.com"), PATIENCE).toEqual([1, 0, 0, 4, 0]);

    const bob = await sender.user({ external_id: "bob" });
    const erased = await sender.call("DELETE", `/${bob.id}`);
    expect(erased.statusCode).toBe(200);
    await expect.poll(() => of("globex.com"), PATIENCE).toEqual([1, 1, 1, 1, 0]);
  });

  test("follows the segments that it names", async () => {
    const created = await sender.call("POST", "/users_segments", {
      payload: { name: "Pros", query: pros, predicate: {} },
    });
    const segment = created.json<{ id: string }>().id;
    await define({
      target: "account",
      name: "members",
      compute: { over_users: { count: { where: { term: { segment_ids: segment } } } } },
    });
    await sender.settle([sender.traits(user("ann", "acme.com"), { plan: "pro" })]);
    await expect.poll(() => accountValue("acme.com", "members"), PATIENCE).toBe(1);
    await sender.settle([sender.traits(user("ann"), { plan: "free" })]);
    await expect.poll(() => accountValue("acme.com", "members"), PATIENCE).toBe(0);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Sender } from "../../../testing/sender.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
const PATIENCE = { timeout: 20_000, interval: 20 };
const acme = { domain: "acme.com" };

beforeAll(async () => {
  server = await openTestServer({ MAX_COMPUTED_ATTRIBUTES: "8" });
  sender = new Sender(server);
  const order = (id: string, total: number, hoursAgo: number) =>
    sender.track(
      { user: { external_id: id }, account: acme },
      "Order",
      { properties: { cart: { total }, items: 2, coupon: "spring", paid_at: "2024-03-01T10:00:00Z", tags: ["a"] } },
      new Date(Date.now() - hoursAgo * 3_600_000),
    );
  await sender.settle([
    sender.traits({ user: { external_id: "ann" }, account: acme }, { plan: "pro", seats: 12, name: "Ann" }),
    sender.traits({ user: { external_id: "bob" }, account: acme }, { plan: "free", seats: 3, name: "Bob" }),
    order("ann", 10, 3),
    order("ann", 20, 2),
    order("ann", 5, 100),
    order("bob", 7, 1),
  ]);
});
afterAll(() => server.close());

const create = (payload: object) => sender.call("POST", "/computed_attributes", { payload });

async function define(payload: object): Promise<string> {
  const answer = await create(payload);
  expect([answer.statusCode, answer.body]).toEqual([201, expect.any(String)]);
  const { id } = answer.json<{ id: string }>();
  await expect
    .poll(async () => (await sender.call("GET", `/computed_attributes/${id}`)).json().status, PATIENCE)
    .toBe("ok");
  return id;
}

const explain = async (id: string, name: string) =>
  (await sender.call("GET", `/${id}/computed_attributes/${encodeURIComponent(name)}`)).json();

describe("a definition is refused, with the place of the mistake, when", () => {
  const count = (more: object) => ({ target: "user", name: "x", compute: { count: { event: "Order", ...more } } });
  test.each([
    ["it says nothing", { target: "user", name: "x", compute: {} }, 400, "compute"],
    [
      "it says two things",
      { target: "user", name: "x", compute: { count: { event: "A" }, formula: "1" } },
      400,
      "compute",
    ],
    ["a key is unknown", count({ wher: {} }), 400, "wher"],
    ["the query has an unknown clause", count({ where: { trem: { plan: "x" } } }), 400, "compute.count.where.trem"],
    ["the query follows the time", count({ where: { range: { created_at: { gte: "now-1d" } } } }), 400, "within"],
    [
      "it counts what computing adds",
      { target: "user", name: "x", compute: { count: { event: "attributes_changed" } } },
      400,
      "compute.count.event",
    ],
    ["the window is no window", count({ within: "30 days" }), 400, "within"],
    ["the name is a standard field", { ...count({}), name: "email" }, 400, "standard field"],
    ["the name is that of an attribute", { ...count({}), name: "plan" }, 409, "others write"],
    ["an account is asked for its events", { ...count({}), target: "account" }, 400, "over_users"],
    [
      "users are asked for users",
      { target: "user", name: "x", compute: { over_users: { count: {} } } },
      400,
      "accounts",
    ],
    [
      "texts are to be added",
      { target: "account", name: "x", compute: { over_users: { sum: { attribute: "plan" } } } },
      400,
      "needs numbers",
    ],
    ["a formula cannot be read", { target: "user", name: "x", compute: { formula: "plan ==" } }, 400, "formula"],
    ["a formula reads itself", { target: "user", name: "x", compute: { formula: "x + 1.0" } }, 400, "x → x"],
  ])("%s", async (_, payload, status, message) => {
    const answer = await create(payload);
    expect([answer.statusCode, answer.body.toLowerCase()]).toEqual([
      status,
      expect.stringContaining(message.toLowerCase()),
    ]);
  });
});

test("a preview shows values and stores nothing", async () => {
  const preview = async (payload: object) =>
    (await sender.call("POST", "/computed_attributes/preview", { payload })).json();
  const spent = await preview({
    target: "user",
    compute: { sum: { event: "Order", property: "cart.total", within: "1d" } },
  });
  expect(spent).toMatchObject({ type: "numeric", count: 2 });
  const values = (given: { sample: { name: string; value: unknown }[] }) =>
    Object.fromEntries(given.sample.map(({ name, value }) => [name, value]));
  expect(values(spent)).toEqual({ Ann: 30, Bob: 7 });
  const big = await preview({ target: "user", compute: { formula: "plan == 'pro' && seats > 10.0" } });
  expect([big.type, values(big)]).toEqual(["boolean", { Ann: true, Bob: false }]);
  const pros = await preview({
    target: "account",
    compute: { over_users: { share: { where: { term: { plan: "pro" } } } } },
  });
  expect(values(pros)).toEqual({ "acme.com": 0.5 });
  expect((await sender.call("GET", "/computed_attributes")).json()).toEqual([]);
});

describe("the type of a value of events", () => {
  const preview = (property: string, type?: string) =>
    sender.call("POST", "/computed_attributes/preview", {
      payload: { target: "user", compute: { last: { event: "Order", property } }, ...(type && { type }) },
    });

  test.each([
    ["items", "numeric", 2],
    ["coupon", "string", "spring"],
    ["paid_at", "date", "2024-03-01T10:00:00.000Z"],
  ])("of %s is that of the property: %s", async (property, type, value) => {
    const answer = (await preview(property)).json();
    expect(answer).toMatchObject({ type, sample: [{ value }, { value }] });
  });

  test("has to be said when nothing is known of the property, as of one within another", async () => {
    for (const property of ["cart.total", "other"]) {
      const answer = await preview(property);
      expect([answer.statusCode, answer.body]).toEqual([400, expect.stringContaining("is not known: say")]);
    }
    expect((await preview("cart.total", "numeric")).json()).toMatchObject({ type: "numeric" });
  });

  test("is refused when values of the property have no order", async () => {
    const answer = await preview("tags");
    expect([answer.statusCode, answer.body]).toEqual([400, expect.stringContaining("type array cannot be computed")]);
  });
});

test("each value tells how it came to be", async () => {
  await define({
    target: "user",
    name: "shop/spent",
    compute: { sum: { event: "Order", property: "cart.total", within: "2d" } },
  });
  await define({ target: "user", name: "is_big", compute: { formula: "seats > 10.0" } });
  await define({ target: "account", name: "best", compute: { over_users: { max: { attribute: "shop/spent" } } } });
  const ann = await sender.user({ external_id: "ann" });
  const spent = await explain(ann.id, "shop/spent");
  expect(spent).toMatchObject({
    definition: { name: "shop/spent", status: "ok" },
    value: 30,
    computed: 30,
    events: { count: 2, from: expect.any(String) },
    inputs: null,
    users: null,
  });
  expect(spent.events.first.map(({ value }: { value: number }) => value)).toEqual([10, 20]);
  expect(spent.events.last.map(({ value }: { value: number }) => value)).toEqual([20, 10]);
  expect(await explain(ann.id, "is_big")).toMatchObject({
    value: true,
    computed: true,
    events: null,
    inputs: [{ name: "seats", value: 12 }],
  });
  const accountId = (ann.account as { id: string }).id;
  await expect.poll(async () => (await explain(accountId, "best")).value, PATIENCE).toBe(30);
  expect(await explain(accountId, "best")).toMatchObject({
    computed: 30,
    users: {
      total: 2,
      count: 2,
      largest: [
        { id: ann.id, name: "Ann", value: 30 },
        { name: "Bob", value: 7 },
      ],
    },
  });
  const written = await sender.call("GET", `/${ann.id}/attributes`);
  const stateOf = (name: string) =>
    written.json<{ attributes: { name: string; set_by: unknown }[] }>().attributes.find((state) => state.name === name);
  expect(stateOf("shop/spent")?.set_by).toMatchObject({ connector_id: null, computed_id: spent.definition.id });
  expect((await sender.call("GET", `/${ann.id}/computed_attributes/unheard`)).statusCode).toBe(404);
});

test("a formula follows its attributes in the same step, and can follow another formula", async () => {
  const big = await define({ target: "user", name: "big", compute: { formula: "seats * 2.0" } });
  const bigger = await define({ target: "user", name: "bigger", compute: { formula: "big + 1.0" } });
  const ann = { user: { external_id: "ann" } };
  await sender.settle([sender.traits(ann, { seats: 20 })]);
  expect(await sender.user(ann.user)).toMatchObject({ traits_big: 40, traits_bigger: 41 });
  const circle = await sender.call("PUT", `/computed_attributes/${big}`, {
    payload: { compute: { formula: "bigger" } },
  });
  expect([circle.statusCode, circle.body]).toEqual([400, expect.stringContaining("read one another")]);
  const read = await sender.call("DELETE", `/computed_attributes/${big}`);
  expect([read.statusCode, read.body]).toEqual([409, expect.stringContaining('\\"bigger\\"')]);
  expect((await sender.call("DELETE", `/computed_attributes/${bigger}?values=delete`)).statusCode).toBe(200);
  await expect.poll(async () => (await sender.user(ann.user)).traits_bigger, PATIENCE).toBeUndefined();
});

test("values that a formula cannot compute are counted, and unset attributes are not", async () => {
  const counted = async () => {
    const { body } = await server.app.inject("/metrics");
    return /^muster_formula_problems_total\{reason="no_value"\} (\d+)$/m.exec(body)?.[1];
  };
  expect(await counted()).toBeUndefined();
  await define({ target: "user", name: "ratio", compute: { formula: "100 / (seats - 3)" } });
  // Bob has three seats. Somebody without any has no ratio, and that is no problem.
  expect(await counted()).toBe("1");
});

test("an organization has a limited number of them", async () => {
  const answers = [];
  for (let place = 0; place < 8; place++) {
    answers.push(
      (await create({ target: "user", name: `limited_${place}`, compute: { count: { event: "Order" } } })).statusCode,
    );
  }
  expect(answers).toContain(409);
  const list = await sender.call("GET", "/computed_attributes?per_page=100");
  expect(list.json()).toHaveLength(8);
});

import type { Segment as SegmentDetails } from "@muster/protocol/api/segments";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Sender } from "../../../testing/sender.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
let sender: Sender;

const person = (name: string) => ({ user: { email: `${name}@example.com` } });
const WAIT = { timeout: 10_000, interval: 50 };
const PRO = { term: { plan: "pro" } };

beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
  await sender.settle([
    sender.traits({ ...person("ann"), account: { domain: "acme.example" } }, { plan: "pro", mrr: 10 }),
    sender.traits({ account: { domain: "acme.example" }, subject: "account" }, { size: 50 }),
  ]);
});

afterAll(() => server.close());

async function create(payload: object): Promise<SegmentDetails> {
  const answer = await sender.call("POST", "/users_segments", { payload: { predicate: {}, ...payload } });
  expect([answer.statusCode, answer.body]).toEqual([201, expect.any(String)]);
  return answer.json();
}

describe("a query whose value cannot fit the attribute", () => {
  const WRONG = { range: { mrr: { gt: "a lot" } } };
  const wrong = { name: "Ill-typed", query: WRONG, predicate: {} };

  test("is refused when the segment is saved, with the words of a search", async () => {
    const searched = await sender.call("POST", "/search/user_reports", { payload: { query: WRONG } });
    const saved = await sender.call("POST", "/users_segments", { payload: wrong });
    expect([saved.statusCode, saved.json().error]).toEqual([400, searched.json().error]);
    expect(saved.json().error).toMatchObject({ code: "invalid_query", details: [{ path: "query.range.gt" }] });
    const property = { key: "mrr", type: "number", entity: "user" };
    const predicate = { type: "all", predicates: [{ property, operator: "equals", options: { value: "a lot" } }] };
    const built = await sender.call("POST", "/users_segments", { payload: { ...wrong, query: {}, predicate } });
    expect([built.statusCode, built.json().error.code]).toEqual([400, "invalid_query"]);
  });

  test("hinders no change of its name when it was saved before the attribute had its type", async () => {
    const { id } = await create({ name: "Before its type", query: { term: { seats: "many" } } });
    await sender.settle([sender.traits(person("bob"), { seats: 4 })]);
    await vi.waitFor(async () => expect(await sender.object(id)).toMatchObject({ status: "broken" }), WAIT);
    const renamed = await sender.call("PUT", `/${id}`, { payload: { name: "After its type" } });
    expect(renamed.json()).toMatchObject({ name: "After its type", status: "broken" });
    const changed = await sender.call("PUT", `/${id}`, { payload: { query: { term: { seats: "few" } } } });
    expect(changed.statusCode).toBe(400);
  });
});

describe("an attribute that nobody has", () => {
  const warning = (given: object) => expect.objectContaining(given);

  test.for<[string, object, object]>([
    ["one wrong letter", { term: { plam: "pro" } }, { attribute: "plam", suggestion: "plan", path: "query.term" }],
    ["two swapped letters", { term: { paln: "pro" } }, { suggestion: "plan" }],
    ["the prefix of reports", { term: { traits_plann: "pro" } }, { suggestion: "traits_plan" }],
    ["another case, and a standard field", { exists: { field: "First-Name" } }, { suggestion: "first_name" }],
    ["an attribute of the account", { range: { size: { gt: 5 } } }, { suggestion: "account.size" }],
    [
      "one of the account, with a wrong letter",
      { term: { "account.sise": 5 } },
      { attribute: "sise", suggestion: "size" },
    ],
    ["nothing like it", { term: { zodiac: "x" } }, { suggestion: null, message: expect.not.stringContaining("mean") }],
  ])("is told in a warning: %s", async ([, query, expected]) => {
    const preview = await sender.call("POST", "/segments/preview", { payload: { query } });
    expect(preview.json().warnings).toEqual([warning(expected)]);
    const converted = await sender.call("POST", "/segments/convert", { payload: { query } });
    expect(converted.json().warnings).toEqual(preview.json().warnings);
  });

  test("warns when the segment is created, read and changed, until somebody has the attribute", async () => {
    const segment = await create({ name: "Misspelt", query: { bool: { must_not: [{ term: { plam: "pro" } }, PRO] } } });
    const message = 'No user has an attribute "plam" so far. Did you mean plan?';
    expect(segment.warnings).toEqual([warning({ path: "query.bool.must_not.0.term", message })]);
    expect(await sender.object(segment.id)).toMatchObject({ warnings: [{ message }] });
    const changed = await sender.call("PUT", `/${segment.id}`, { payload: { query: PRO } });
    expect(changed.json().warnings).toEqual([]);
  });
});

describe("a name", () => {
  const post = (name: string, path = "/users_segments") =>
    sender.call("POST", path, { payload: { name, query: {}, predicate: {} } });

  test("belongs to one segment of the organization, whatever its case", async () => {
    const { id } = await create({ name: "Taken", query: {} });
    for (const answer of [await post("Taken"), await post(" tAKEN "), await post("Taken", "/accounts_segments")]) {
      expect([answer.statusCode, answer.json().error]).toEqual([
        409,
        {
          code: "conflict",
          message: `There is already a segment "Taken" (${id}). Choose another name.`,
          details: [{ path: "body.name", message: `is the name of another segment (${id})` }],
        },
      ]);
    }
    const other = await create({ name: "Free", query: {} });
    const renamed = await sender.call("PUT", `/${other.id}`, { payload: { name: "taken" } });
    expect([renamed.statusCode, renamed.json().error.code]).toEqual([409, "conflict"]);
    expect((await sender.call("PUT", `/${id}`, { payload: { name: "TAKEN" } })).json()).toMatchObject({
      name: "TAKEN",
    });
    await sender.call("DELETE", `/${id}`);
    expect((await post("Taken")).statusCode).toBe(201);
  });

  test("is given to one of many requests at the same time", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => post("Contested")));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, ...Array(7).fill(409)]);
    expect(answers.filter(({ statusCode }) => statusCode === 409).map((answer) => answer.json().error.code)).toEqual(
      Array(7).fill("conflict"),
    );
  });
});

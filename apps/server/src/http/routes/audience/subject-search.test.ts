import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openOrganization, type Sender } from "../../../testing/sender.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
let sender: Sender;

beforeAll(async () => {
  server = await openTestServer();
  sender = await openOrganization(server, "acme");
  const user = (external_id: string, traits: Record<string, unknown>, more: object = {}) =>
    sender.traits({ user: { external_id, ...more } }, traits);
  await sender.settle([
    user("u1", { name: "Ann Smith", plan: "pro" }, { email: "ann@example.com", anonymous_id: "visitor-7" }),
    user("u2", { name: "Anna Meyer", plan: "free" }, { email: "anna@example.com" }),
    user("u3", { first_name: "Bob", last_name: "Smithers", plan: "pro" }, { email: "Bob@Other.example" }),
    user("42", { name: "Zoe", plan: "free" }),
    user("u5", { name: "Room 42", plan: "pro" }),
    sender.traits({ account: { domain: "acme.example", external_id: "c1" } }, { name: "Acme Toys" }),
  ]);
});
afterAll(() => server.close());

interface Answer {
  data: { id: string; external_id: string; email?: string }[];
  total: number;
  search_after?: unknown;
  query: object;
}

async function search(body: object): Promise<Answer> {
  const answer = await sender.call("POST", "/search/subjects", { payload: body });
  expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
  return answer.json<Answer>();
}

async function found(body: object): Promise<string[]> {
  return (await search({ sort: { external_id: "asc" }, ...body })).data.map(({ external_id }) => external_id);
}

describe("what is typed into the search box finds", () => {
  test.each([
    ["an e-mail address, in any case", "ANN@example.com", ["u1"]],
    ["the beginning of an e-mail address", "ann@ex", ["u1"]],
    ["an external id, before those with the word in a name", "42", ["42", "u5"]],
    ["an anonymous id", "visitor-7", ["u1"]],
    ["the beginnings of words of a name, in any order", "smi an", ["u1"]],
    ["the beginning of one word", "ann", ["u1", "u2"]],
    ["words of several fields", "bob smith", ["u3"]],
    ["nobody, when no one has such a word", "xyzzy", []],
  ])("%s", async (_what, text, expected) => {
    expect(await found({ text })).toEqual(expected);
  });

  test("an id of ours", async () => {
    const { id } = await sender.user({ email: "ann@example.com" });
    expect(await found({ text: id })).toEqual(["u1"]);
  });

  test("everybody, when the box is empty", async () => {
    expect((await search({})).total).toBe(5);
  });

  test("accounts, by domain and by name", async () => {
    expect(await found({ target: "account", text: "https://www.acme.example/about" })).toEqual(["c1"]);
    expect(await found({ target: "account", text: "toy" })).toEqual(["c1"]);
  });

  test.each(['"', "a:b", "(*", "\\", "%", "a\u0001b", "-", "ä ö"])("no error for %j", async (text) => {
    expect((await search({ text })).total).toBeGreaterThanOrEqual(0);
  });
});

test("a filter narrows the search, and the answer has the same selection as a query", async () => {
  const predicate = {
    type: "all",
    predicates: [{ property: { key: "plan", type: "string" }, operator: "equals", options: { value: "pro" } }],
  };
  expect(await found({ text: "42", predicate })).toEqual(["u5"]);
  expect(await found({ text: "smith", predicate })).toEqual(["u1", "u3"]);
  const { query, total } = await search({ text: "42" });
  expect(total).toBe(2);
  const reports = await sender.call("POST", "/search/user_reports", { payload: { query } });
  expect(reports.json<{ pagination: { total: number } }>().pagination.total).toBe(2);
});

test("pages continue where the page before ended, without the exact matches again", async () => {
  const sort = { external_id: "asc" };
  const first = await search({ per_page: 2, sort });
  const second = await search({ per_page: 2, sort, search_after: first.search_after });
  const third = await search({ per_page: 2, sort, search_after: second.search_after });
  const ids = [first, second, third].flatMap(({ data }) => data.map(({ external_id }) => external_id));
  expect(ids).toEqual(["42", "u1", "u2", "u3", "u5"]);
  expect(third.search_after).toBeUndefined();
  const exact = await search({ text: "42", per_page: 1, sort });
  expect(exact.data.map(({ external_id }) => external_id)).toEqual(["42", "u5"]);
  const rest = await search({ text: "42", per_page: 1, sort, search_after: exact.search_after });
  expect([rest.data, rest.total]).toEqual([[], 2]);
});

test("people of another organization are not found, not even by an identifier", async () => {
  const other = await openOrganization(server, "other");
  const answer = await other.call("POST", "/search/subjects", { payload: { text: "ann@example.com" } });
  expect(answer.json<Answer>()).toMatchObject({ data: [], total: 0 });
});

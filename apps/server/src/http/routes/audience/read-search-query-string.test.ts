import { afterAll, beforeAll, expect, test } from "vitest";
import { Sender } from "../../../testing/sender.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
let sender: Sender;

beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
  await sender.settle([
    sender.traits({ user: { external_id: "ann" } }, { plan: "pro", seats: 3, vip: true, constructor: "Ferrari" }),
    sender.traits({ user: { external_id: "bob" } }, { plan: "free", seats: 12, vip: false }),
    sender.traits({ user: { external_id: "cyd" } }, { plan: "pro", seats: 7, vip: false }),
  ]);
});
afterAll(() => server.close());

async function found(queryString: string): Promise<unknown[]> {
  const answer = await sender.call("GET", `/search/user_reports?${queryString}`);
  expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
  return answer.json<{ data: { external_id: string }[] }>().data.map(({ external_id }) => external_id);
}

test.for<[string, string[]]>([
  ["query[term][external_id]=ann", ["ann"]],
  ["query%5Bterm%5D%5Bplan.raw%5D=pro&sort%5Bseats%5D=asc", ["ann", "cyd"]],
  ["query[terms][plan][]=free&query[terms][plan][]=team", ["bob"]],
  ["query[range][seats][gte]=7&sort[seats]=desc", ["bob", "cyd"]],
  ["query[bool][must][0][term][plan]=pro&query[bool][must][1][term][vip]=true", ["ann"]],
  ["filter[not][term][plan]=pro", ["bob"]],
  ['query={"term":{"external_id":"bob"}}&sort[seats]=asc', ["bob"]],
  ["sort[0][seats]=desc&per_page=1", ["bob"]],
])("a search by %s finds %j: clients write objects in brackets", async ([queryString, expected]) => {
  expect(await found(queryString)).toEqual(expected);
});

test.for([
  ["constructor", ["ann"]],
  ["hasOwnProperty", []],
  ["toString", []],
] as const)("attributes may have the name %s, which JavaScript itself uses", async ([name, expected]) => {
  expect(await found(`query[term][${name}]=Ferrari`)).toEqual(expected);
});

test("fields may be a list in brackets", async () => {
  const answer = await sender.call("GET", "/search/user_reports?include[]=external_id&sort[seats]=asc&per_page=1");
  expect(answer.json().data).toEqual([{ id: expect.any(String), external_id: "ann" }]);
});

test.for([
  ["brackets that make no query", "query[near][plan]=pro"],
  ["brackets that are nested too deep", `query${"[not]".repeat(60)}[term][plan]=pro`],
  ["text that is no JSON", "query={"],
  ["the name __proto__", "query[__proto__][match_none]=1&query[term][external_id]=ann"],
  ["the name __proto__ of an attribute", "query[term][%5F_proto__]=pro"],
  ["NUL in a value", "query[term][plan]=p%00ro"],
  ["NUL in a name", "query[term][pl%00an]=pro"],
  [
    "more parameters than anybody writes",
    Array.from({ length: 1_500 }, (_, index) => `query[terms][plan][]=${index}`).join("&"),
  ],
])("%s: the search is refused, and not answered with everybody", async ([, queryString]) => {
  const answer = await sender.call("GET", `/search/user_reports?${queryString}`);
  expect([answer.statusCode, answer.json().error.code]).toEqual([
    400,
    expect.stringMatching(/^(invalid_|bad_request)/),
  ]);
});

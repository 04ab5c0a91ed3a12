import type { SegmentMove, SegmentVersion } from "@muster/protocol/api/segment-history";
import type { Segment as SegmentDetails } from "@muster/protocol/api/segments";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Sender } from "../../../testing/sender.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
let sender: Sender;

const person = (name: string) => ({ user: { email: `${name}@example.com` } });
const WAIT = { timeout: 10_000, interval: 50 };
const PRO = { term: { plan: "pro" } };
const RED = { term: { team: "red" } };
const is = (key: string, value: string) => ({ property: { key }, operator: "equals", options: { value } });

beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
  await sender.settle([
    sender.traits(person("ann"), { plan: "pro", team: "red", name: "Ann" }),
    sender.traits(person("bob"), { plan: "pro", team: "blue" }),
    sender.traits(person("cat"), { plan: "free", team: "red" }),
    sender.traits(person("dan"), { plan: "free", team: "blue" }),
  ]);
});
afterAll(() => server.close());

/** Creates a segment and waits for its members. */
async function create(payload: { name: string; [key: string]: unknown }, path = "/users_segments") {
  const answer = await sender.call("POST", path, { payload: { query: {}, predicate: {}, ...payload } });
  expect([answer.statusCode, answer.body]).toEqual([201, expect.any(String)]);
  const { id } = answer.json<SegmentDetails>();
  await vi.waitFor(async () => expect(await sender.object(id)).toMatchObject({ evaluated: true }), WAIT);
  return id;
}

async function post<Answer>(path: string, payload: object, status = 200): Promise<Answer> {
  const answer = await sender.call("POST", path, { payload });
  expect([answer.statusCode, answer.body]).toEqual([status, expect.any(String)]);
  return answer.json();
}

describe("the counts of conditions", () => {
  const clauses = async (draft: object) =>
    (await post<{ total: number; clauses: { count: number }[] }>("/segments/clauses", draft)).clauses.map(
      ({ count }) => count,
    );

  test("say how many are left after each of them", async () => {
    const predicates = [is("plan", "pro"), is("team", "red"), is("name", "Bob")];
    expect(await post("/segments/clauses", { predicate: { type: "all", predicates } })).toEqual({
      total: 4,
      clauses: [
        { path: "predicate.predicates.0", count: 2 },
        { path: "predicate.predicates.1", count: 1 },
        { path: "predicate.predicates.2", count: 0 },
      ],
    });
  });

  test("follow the rule of the group", async () => {
    const predicates = [is("plan", "pro"), is("team", "red")];
    expect(await clauses({ predicate: { type: "any", predicates } })).toEqual([2, 3]);
    expect(await clauses({ predicate: { type: "none", predicates } })).toEqual([2, 1]);
    expect(await clauses({ predicate: is("plan", "pro") })).toEqual([2]);
  });

  test("of a query are those of its predicate, and none when it has none", async () => {
    expect(await clauses({ query: { bool: { must: [PRO], must_not: [RED] } } })).toEqual([2, 1]);
    expect(await clauses({ query: { regexp: { plan: "p.*" } } })).toEqual([]);
    expect(await clauses({})).toEqual([]);
  });

  test("are at most twenty, and of an unknown segment 404", async () => {
    const predicates = Array.from({ length: 30 }, () => is("plan", "pro"));
    expect(await clauses({ predicate: { type: "all", predicates } })).toHaveLength(20);
    await post("/segments/clauses", { segment_id: "000000000000200000000000" }, 404);
  });
});

describe("the overlap of segments", () => {
  test("has an exact count for each region", async () => {
    const [pro, red, all] = [
      await create({ name: "Overlap pro", query: PRO }),
      await create({ name: "Overlap red", query: RED }),
      await create({ name: "Overlap all" }),
    ];
    expect(await post("/segments/overlap", { segment_ids: [pro, red] })).toEqual({
      total: 4,
      segments: [
        { id: pro, name: "Overlap pro", type: "users_segment", count: 2 },
        { id: red, name: "Overlap red", type: "users_segment", count: 2 },
      ],
      regions: [
        { segment_ids: [pro], count: 1 },
        { segment_ids: [red], count: 1 },
        { segment_ids: [pro, red], count: 1 },
      ],
    });
    const { regions } = await post<{ regions: { segment_ids: string[]; count: number }[] }>("/segments/overlap", {
      segment_ids: [pro, red, all],
    });
    expect(regions.map(({ segment_ids, count }) => [segment_ids.length, count])).toEqual([
      [1, 0],
      [1, 0],
      [1, 1],
      [2, 0],
      [2, 1],
      [2, 1],
      [3, 1],
    ]);
  });

  test("is refused for one segment, for segments of different types, and for unknown ones", async () => {
    const users = await create({ name: "Of users" });
    const accounts = await create({ name: "Of accounts" }, "/accounts_segments");
    await post("/segments/overlap", { segment_ids: [users] }, 400);
    await post("/segments/overlap", { segment_ids: [users, users] }, 400);
    await post("/segments/overlap", { segment_ids: [users, accounts] }, 400);
    await post("/segments/overlap", { segment_ids: [users, "000000000000200000000000"] }, 404);
  });
});

test("the description, tags and folder of a segment are kept, changed and filtered by", async () => {
  const id = await create({ name: "Noted", description: " For sales. ", tags: ["Sales", "sales", "EU"], folder: "A" });
  await create({ name: "Not noted" });
  const before = await sender.object(id);
  expect(before).toMatchObject({ description: "For sales.", tags: ["sales", "EU"], folder: "A" });
  const named = async (query: string) =>
    (await sender.call("GET", `/segments?${query}`)).json<SegmentDetails[]>().map(({ name }) => name);
  expect(await named("tag=eu")).toEqual(["Noted"]);
  expect(await named("folder=A")).toEqual(["Noted"]);
  expect(await named("folder=A&tag=other")).toEqual([]);
  expect(await named("folder=")).toContain("Not noted");

  const changed = await sender.call("PUT", `/${id}`, { payload: { tags: [], folder: "B" } });
  expect(changed.json()).toMatchObject({ description: "For sales.", tags: [], folder: "B", evaluated: true });
  for (const payload of [{ tags: "EU" }, { tags: [""] }, { folder: 1 }, { description: "x".repeat(2_001) }]) {
    const refused = await sender.call("PUT", `/${id}`, { payload });
    const [key] = Object.keys(payload);
    expect([refused.statusCode, refused.json().error.details[0].path]).toEqual([400, `body.${key}`]);
  }
  // Notes are no part of the definition.
  expect((await sender.call("GET", `/${id}/versions`)).json()).toHaveLength(1);
});

describe("the versions of a segment", () => {
  const versions = async (id: string, query = "") =>
    (await sender.call("GET", `/${id}/versions${query}`)).json<SegmentVersion[]>();

  test("say who saved what and when, with the difference in words, and can be restored", async () => {
    const id = await create({ name: "First name", query: { bool: { must: [PRO, RED] } } });
    await sender.call("PUT", `/${id}`, { payload: { name: "Second name" } });
    await sender.call("PUT", `/${id}`, { payload: { query: { bool: { must: [RED], must_not: [PRO] } } } });
    // The same again is no version.
    await sender.call("PUT", `/${id}`, { payload: { name: "Second name" } });
    const [third, second, first, ...others] = await versions(id);
    expect(others).toEqual([]);
    const who = expect.stringMatching(/^connector /);
    expect(third).toMatchObject({
      number: 3,
      sentence: expect.any(String),
      changes: { renamed_from: null, added: ['plan is not "pro"'], removed: ['plan is "pro"'] },
      who,
    });
    expect(second).toMatchObject({ changes: { renamed_from: "First name", added: [], removed: [] } });
    expect(first).toMatchObject({ number: 1, name: "First name", changes: { renamed_from: null }, who });
    expect(await versions(id, "?page=2&per_page=1")).toEqual([second]);

    const restored = await sender.call("POST", `/${id}/versions/1/restore`, { headers: server.operatorHeaders });
    expect([restored.statusCode, restored.json()]).toMatchObject([
      200,
      { name: "Second name", query: { bool: { must: [PRO, RED] } } },
    ]);
    expect((await versions(id))[0]).toMatchObject({ number: 4, restored: 1, name: "Second name" });
    expect((await sender.call("POST", `/${id}/versions/9/restore`)).statusCode).toBe(404);
  });

  test("use the labels of attributes in their words, and so does the sentence of a draft", async () => {
    await sender.settle([sender.traits(person("lea"), { seats: 3 })]);
    const headers = server.operatorHeaders;
    const labelled = await sender.call("PUT", "/settings/user_traits/seats", {
      payload: { label: "Seats paid" },
      headers,
    });
    expect(labelled.statusCode).toBe(200);
    const query = { term: { seats: 3 } };
    const id = await create({ name: "Labelled", query: PRO });
    await sender.call("PUT", `/${id}`, { payload: { query } });
    expect((await versions(id))[0]?.changes).toMatchObject({ added: ["Seats paid is 3"], removed: ['plan is "pro"'] });
    const converted = await sender.call("POST", "/segments/convert", { payload: { query } });
    expect(converted.json()).toMatchObject({ sentence: "Seats paid is 3" });
  });

  test("belong to one organization, and go with the segment", async () => {
    const id = await create({ name: "Gone soon", query: PRO });
    const { rows } = await server.database.query<{ count: number }>(
      "select count(*) as count from segment_versions where segment_id = $1",
      [id],
    );
    expect(rows[0]?.count).toBe(1);
    await sender.call("DELETE", `/${id}`);
    expect((await sender.call("GET", `/${id}/versions`)).statusCode).toBe(404);
    expect((await server.database.query("select from segment_versions where segment_id = $1", [id])).rowCount).toBe(0);
  });
});

test("the moves of a segment say who entered and left it and when, in pages", async () => {
  const id = await create({ name: "Moving", query: { bool: { must: [PRO, { exists: { field: "mover" } }] } } });
  await sender.settle([sender.traits(person("ann"), { mover: 1 })]);
  await sender.settle([sender.traits(person("bob"), { mover: 1 })]);
  await sender.settle([sender.traits(person("ann"), { plan: "free" })]);
  const read = async (query = "") => {
    const answer = await sender.call("GET", `/${id}/moves${query}`);
    expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
    return answer.json<{ data: SegmentMove[]; next: string | null }>();
  };
  const move = (action: string, name: string) => ({ action, at: expect.any(String), subject: { name } });
  await vi.waitFor(async () => expect((await read()).data).toHaveLength(3), WAIT);
  const { data, next } = await read();
  expect(next).toBeNull();
  expect(data).toMatchObject([move("left", "Ann"), move("entered", "bob@example.com"), move("entered", "Ann")]);
  expect((await read("?action=left")).data).toEqual([data[0]]);
  const page = await read("?per_page=2");
  expect(page.data).toEqual(data.slice(0, 2));
  const rest = await read(`?per_page=2&cursor=${page.next}`);
  expect(rest).toEqual({ data: data.slice(2), next: null });
  expect((await sender.call("GET", `/${id}/moves?cursor=nonsense`)).statusCode).toBe(400);
  expect((await sender.call("GET", "/000000000000200000000000/moves")).statusCode).toBe(404);
});

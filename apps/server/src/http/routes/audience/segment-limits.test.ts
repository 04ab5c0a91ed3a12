import { afterAll, beforeAll, expect, test } from "vitest";
import { Sender } from "../../../testing/sender.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer({ MAX_SEGMENTS: "4" });
  sender = new Sender(server);
  await sender.settle([sender.traits({ user: { external_id: "ann" } }, { plan: "pro" })]);
});
afterAll(() => server.close());

const post = (payload: object) =>
  sender.call("POST", "/users_segments", { payload: { query: {}, predicate: {}, ...payload } });

/** One of many texts of a length. The query that is made from it has the texts a second time. */
function oneOf(length: number) {
  const value = Array.from({ length: 10_000 }, (_, index) => String(index).padStart(length, "x"));
  const property = { key: "plan", type: "string", entity: "user" };
  return { type: "all", predicates: [{ property, operator: "equals", options: { value } }] };
}

test("a definition is refused when its bytes are too many, and ten thousand texts are not", async () => {
  const accepted = await post({ name: "Many", predicate: oneOf(40) });
  expect([accepted.statusCode, accepted.json()]).toMatchObject([201, { name: "Many" }]);
  const { id } = accepted.json<{ id: string }>();
  const tooMany = { predicate: oneOf(60) };
  const refused = [await post({ name: "More", ...tooMany }), await sender.call("PUT", `/${id}`, { payload: tooMany })];
  for (const answer of refused) {
    expect([answer.statusCode, answer.body]).toEqual([400, expect.stringContaining("1048576 bytes")]);
  }
});

test("an organization has so many segments and no more, also when several are created at once", async () => {
  const answers = await Promise.all(
    ["A", "B", "C", "D"].map((name) => post({ name, query: { term: { plan: name } } })),
  );
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, 201, 201, 409]);
  const refused = answers.find(({ statusCode }) => statusCode === 409);
  expect(refused?.body).toContain("at most 4 segments (MAX_SEGMENTS)");
  const [first] = answers.filter(({ statusCode }) => statusCode === 201);
  const { id } = first!.json<{ id: string }>();
  expect((await sender.call("PUT", `/${id}`, { payload: { query: { term: { plan: "longer" } } } })).statusCode).toBe(
    200,
  );
  await sender.call("DELETE", `/${id}`);
  expect((await post({ name: "E", query: { term: { plan: "E" } } })).statusCode).toBe(201);
});

test("the definitions of an organization have so many bytes together, and may become smaller where they have more", async () => {
  const { id: organizationId } = server.first.organization;
  const [large, small] = (await sender.call("GET", "/users_segments")).json<{ id: string }[]>();
  const put = async (id: string, payload: object) => (await sender.call("PUT", `/${id}`, { payload })).statusCode;
  // As it could be before there was a limit.
  await server.database.query(
    `update segments
     set query = jsonb_build_object('ids', jsonb_build_object('values', array_fill(repeat('x', 30000), array[1200])))
     where organization_id = $1 and id = $2`,
    [organizationId, large!.id],
  );
  expect(await put(small!.id, { query: { term: { plan: "longer than before" } } })).toBe(409);
  expect(await put(small!.id, { name: "Small" })).toBe(200);
  expect(await put(large!.id, { query: { term: { plan: "pro" } }, predicate: {} })).toBe(200);
  expect(await put(small!.id, { query: { term: { plan: "longer than before" } } })).toBe(200);
});

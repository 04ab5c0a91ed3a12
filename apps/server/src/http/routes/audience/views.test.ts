import { afterAll, beforeAll, expect, test } from "vitest";
import { openOrganization, type Sender } from "../../../testing/sender.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
});
afterAll(() => server.close());

interface View {
  id: number;
  name: string;
}

const FILTER = {
  type: "all",
  predicates: [{ property: { key: "plan", type: "string" }, operator: "equals", options: { value: "pro" } }],
};

async function ask(
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  payload?: object,
  headers = server.operatorHeaders,
) {
  const answer = await server.app.inject({ method, url: `/api/v1${path}`, headers, ...(payload ? { payload } : {}) });
  return { status: answer.statusCode, body: answer.json<View & { error: { code: string } }>() };
}

test("a view is saved, listed by name, changed in part and removed", async () => {
  const made = await ask("POST", "/views", {
    name: "Pro customers",
    target: "user",
    predicate: FILTER,
    search: "ann",
    columns: [{ key: "email", width: 240 }, { key: "traits_plan" }],
    sort: { email: "asc" },
  });
  expect(made).toMatchObject({ status: 201, body: { name: "Pro customers", predicate: FILTER, search: "ann" } });
  await ask("POST", "/views", { name: "all", target: "user" });
  await ask("POST", "/views", { name: "Companies", target: "account" });
  const list = (await ask("GET", "/views?target=user")).body as unknown as View[];
  expect(list.map(({ name }) => name)).toEqual(["all", "Pro customers"]);

  const changed = await ask("PUT", `/views/${made.body.id}`, { name: "Pro", sort: {} });
  expect(changed).toMatchObject({ status: 200, body: { name: "Pro", sort: {}, search: "ann", predicate: FILTER } });
  expect(await ask("DELETE", `/views/${made.body.id}`)).toMatchObject({ status: 200, body: { deleted: true } });
  expect(await ask("DELETE", `/views/${made.body.id}`)).toMatchObject({ status: 404 });
  expect(await ask("PUT", `/views/${made.body.id}`, { name: "x" })).toMatchObject({ status: 404 });
  expect(await ask("PUT", `/views/${"9".repeat(30)}`, { name: "x" })).toMatchObject({ status: 400 });
});

test("a filter or an order that a list cannot have is refused", async () => {
  const broken = { type: "all", predicates: [{ property: { key: "plan" }, operator: "sounds_like" }] };
  expect((await ask("POST", "/views", { name: "x", target: "user", predicate: broken })).status).toBe(400);
  expect((await ask("POST", "/views", { name: "x", target: "user", sort: { email: "up" } })).status).toBe(400);
  expect((await ask("POST", "/views", { name: "", target: "user" })).status).toBe(400);
});

test("another organization neither sees nor changes a view", async () => {
  const { body } = await ask("POST", "/views", { name: "Ours", target: "account" });
  const other: Sender = await openOrganization(server, "elsewhere");
  expect((await ask("GET", "/views", undefined, other.headers)).body).toEqual([]);
  expect((await ask("PUT", `/views/${body.id}`, { name: "x" }, other.headers)).status).toBe(404);
  expect((await ask("DELETE", `/views/${body.id}`, undefined, other.headers)).status).toBe(404);
});

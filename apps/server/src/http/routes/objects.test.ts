import { createId, signToken } from "@muster/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
});
afterAll(() => server.close());

const read = (path: string, headers: Record<string, string>) => server.app.inject({ url: `/api/v1${path}`, headers });

test("an object is read by its id, which contains its type", async () => {
  const { organization, connector } = server.first;
  expect((await read(`/${connector.id}`, server.connectorHeaders)).json()).toMatchObject({ type: "ship", name: "API" });
  expect((await read(`/${organization.id}`, server.connectorHeaders)).json()).toEqual({
    id: organization.id,
    namespace: "default",
    name: "Default",
    url: server.addresses.organizationUrl("default"),
    enabled: true,
    join_by_hints: false,
    created_at: organization.createdAt.toISOString(),
  });
});

test("POST on an object means the same as PUT, and answers the whole object", async () => {
  const headers = server.connectorHeaders;
  const call = (method: "POST" | "PUT", path: string, payload: object) =>
    server.app.inject({ method, url: `/api/v1${path}`, headers, payload });
  const segment = { name: "Everybody", query: {}, predicate: {} };
  const created = await Promise.all([
    call("POST", "/users_segments", segment),
    call("POST", "/app/entities", { name: "Mug" }),
    call("POST", "/app/comments", { text: "Hello" }),
  ]);
  expect(created.map(({ statusCode }) => statusCode)).toEqual([201, 201, 201]);
  const [users, mug, comment] = created.map((answer) => answer.json<{ id: string }>());
  const edits: [object | undefined, object][] = [
    [users, { name: "All" }],
    [mug, { name: "Cup" }],
    [comment, { text: "Bye" }],
    [(await read("/app", headers)).json(), { settings: { color: "red" } }],
  ];
  for (const [before, edit] of edits) {
    const { id } = before as { id: string };
    for (const method of ["POST", "PUT"] as const) {
      const answer = await call(method, `/${id}`, edit);
      expect([answer.statusCode, answer.json()]).toEqual([200, { ...before, ...edit, updated_at: expect.any(String) }]);
    }
  }
});

test("`app` means the calling connector and `org` its organization", async () => {
  expect((await read("/app", server.connectorHeaders)).json().id).toBe(server.first.connector.id);
  expect((await read("/org", server.connectorHeaders)).json().id).toBe(server.first.organization.id);
  expect((await read("/org", server.operatorHeaders)).json().id).toBe(server.first.organization.id);
});

test("`app` is refused for the operator, who is not a connector", async () => {
  const answer = await read("/app", server.operatorHeaders);
  expect(answer.statusCode).toBe(400);
  expect(answer.json().error.code).toBe("bad_request");
});

test("a user with a token may not read connectors, organizations or comments", async () => {
  const { id, secret } = server.first.connector;
  const claims = {
    iss: id,
    iat: Math.floor(Date.now() / 1_000),
    "io.svc.subjectType": "user",
    "io.svc.asUser": { email: "ann@example.com" },
  };
  const headers = { "Svc-Access-Token": signToken(claims, secret) };
  for (const path of ["/app", "/org", `/${id}`, `/${createId("comment")}`]) {
    const answer = await read(path, headers);
    expect([path, answer.statusCode]).toEqual([path, 403]);
  }
});

describe("an id is not found", () => {
  test.each([
    ["when no object has it", () => createId("connector")],
    ["when its type does not exist", () => "0123456789abff0123456789"],
    ["when it is not an id", () => "nonsense"],
    ["when it is written in capitals", () => server.first.connector.id.toUpperCase()],
  ])("%s", async (_when, id) => {
    const answer = await read(`/${id()}`, server.connectorHeaders);
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toMatchObject({ status: 404, error: { code: "not_found" } });
  });
});

test.each([
  ["event", ["PUT", "POST", "DELETE"], "GET"],
  ["job", ["PUT", "POST"], "GET, DELETE"],
  ["account", ["PUT", "POST"], "GET, DELETE"],
] as const)("an object of type %s answers %j with 405 and the methods it has", async (type, methods, allow) => {
  for (const method of methods) {
    const url = `/api/v1/${createId(type)}`;
    const answer = await server.app.inject({ method, url, headers: server.connectorHeaders });
    expect(answer.statusCode).toBe(405);
    expect(answer.headers.allow).toBe(allow);
    expect(answer.json().error.code).toBe("method_not_allowed");
  }
});

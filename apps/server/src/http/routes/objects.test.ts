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
    enabled: true,
    created_at: organization.createdAt.toISOString(),
  });
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

test("a method that the type of an object does not have answers 405 with the methods it has", async () => {
  for (const method of ["PUT", "POST", "DELETE"] as const) {
    const url = `/api/v1/${createId("event")}`;
    const answer = await server.app.inject({ method, url, headers: server.connectorHeaders });
    expect(answer.statusCode).toBe(405);
    expect(answer.headers.allow).toBe("GET");
    expect(answer.json().error.code).toBe("method_not_allowed");
  }
});

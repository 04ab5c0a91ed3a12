import { createBrand } from "@muster/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";
import { noteTraces } from "../../testing/traces.js";

const { headers: names } = createBrand("Svc");
const ANN = { user: { email: "ann@example.com" } };

let server: TestServer;
let sender: Sender;
/** What each alias means to a connector that acts for Ann. */
let ids: Record<"me" | "app" | "org", string>;
/** Two ways to act for Ann with the connector's access. */
let actingForAnn: Record<string, string>[];

beforeAll(async () => {
  server = await openTestServer();
  await server.listen();
  sender = new Sender(server);
  await sender.settle([sender.traits(ANN, { plan: "pro" })]);
  const { id } = await sender.user(ANN.user);
  ids = { me: id, app: server.first.connector.id, org: server.first.organization.id };
  actingForAnn = [
    { [names.accessToken]: sender.token({ ...ANN, claims: { scopes: ["admin"] } }) },
    { ...server.connectorHeaders, [names.userId]: id },
  ];
});
afterAll(() => server.close());

async function call(method: "GET" | "POST", path: string, headers: Record<string, string>, body?: object) {
  const answer = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: { ...headers, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  // Every answer of these routes is JSON.
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

describe.each(["me", "app", "org"] as const)("`%s` in place of an id", (alias) => {
  test("comments are written and read", async () => {
    for (const headers of actingForAnn) {
      const written = await call("POST", `/${alias}/comments`, headers, { text: `On ${alias}` });
      expect(written).toMatchObject({ status: 201, body: { object_id: ids[alias], user: { id: ids.me } } });
      const byAlias = await call("GET", `/${alias}/comments`, headers);
      const byId = await call("GET", `/${ids[alias]}/comments`, headers);
      expect(byAlias.status).toBe(200);
      expect(byAlias.body).toContainEqual(written.body);
      expect(byAlias.body).toEqual(byId.body);
    }
  });

  test("delivery traces are read", async () => {
    await noteTraces(server, [ids[alias]], alias);
    for (const headers of actingForAnn) {
      expect(await call("GET", `/${alias}/traces`, headers)).toMatchObject({ status: 200, body: [{ reason: alias }] });
    }
  });

  test("the object is read", async () => {
    for (const headers of actingForAnn) {
      expect(await call("GET", `/${alias}`, headers)).toMatchObject({ status: 200, body: { id: ids[alias] } });
    }
  });

  test("is refused to end users, where they may not use the id", async () => {
    const endUser = { [names.accessToken]: sender.token(ANN) };
    expect((await call("GET", `/${alias}/comments`, endUser)).status).toBe(403);
    expect((await call("POST", `/${alias}/comments`, endUser, { text: "x" })).status).toBe(403);
    expect((await call("GET", `/${alias}/traces`, endUser)).status).toBe(403);
    expect((await call("GET", `/${alias}/comments`, {})).status).toBe(401);
  });
});

test("`me` is not found when the caller acts for nobody, or for somebody unknown", async () => {
  const stranger = sender.token({ user: { email: "nobody@example.com" }, claims: { scopes: ["admin"] } });
  for (const headers of [server.operatorHeaders, server.connectorHeaders, { [names.accessToken]: stranger }]) {
    expect((await call("GET", "/me/comments", headers)).status).toBe(404);
    expect((await call("POST", "/me/comments", headers, { text: "x" })).status).toBe(404);
    expect((await call("GET", "/me/traces", headers)).status).toBe(404);
  }
});

test("`app` is refused for the operator, who is not a connector", async () => {
  for (const path of ["/app/comments", "/app/traces"]) {
    expect(await call("GET", path, server.operatorHeaders)).toMatchObject({ status: 400 });
  }
});

test("`me` works for the segments of a user and for their explanation", async () => {
  const segment = await call("POST", "/users_segments", server.connectorHeaders, {
    name: "Pro",
    query: { term: { plan: "pro" } },
    predicate: {},
  });
  for (const headers of actingForAnn) {
    const path = `segments/${segment.body.id}/explain`;
    const byAlias = await call("GET", `/me/${path}`, headers);
    expect(byAlias.status).toBe(200);
    expect(byAlias).toEqual(await call("GET", `/${ids.me}/${path}`, headers));
    expect((await call("GET", "/me/segments", headers)).status).toBe(200);
    expect((await call("GET", "/me/user_report", headers)).body.id).toBe(ids.me);
  }
});

test("an entity belongs to all apps when it is created with `org` or with the id of the organization", async () => {
  for (const [owner, uid] of [["org", "1"] as const, [ids.org, "2"] as const]) {
    const created = await call("POST", `/${owner}/entities`, server.connectorHeaders, { uid });
    expect([owner, created.status, created.body.app_id]).toEqual([owner, 201, undefined]);
  }
  const created = await call("POST", "/app/entities", server.connectorHeaders, { uid: "3" });
  expect(created.body.app_id).toBe(ids.app);
});

test.each(["status", "status/history", "schedules", "delivery", "logs", "pages"])(
  "`app` is the calling connector in /app/%s",
  async (path) => {
    const byAlias = await call("GET", `/app/${path}`, server.connectorHeaders);
    expect(byAlias.status).toBe(200);
    expect(byAlias).toEqual(await call("GET", `/${ids.app}/${path}`, server.connectorHeaders));
  },
);

import { createId, signToken } from "@muster/protocol";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROLES } from "../../runtime/settings/roles.js";
import { listOperations, type TestOperation } from "../../testing/operations.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";
import { type AppOptions, buildApp } from "../app.js";
import { SessionCookie } from "./session-cookie.js";

let server: TestServer;
let operations: TestOperation[];
beforeAll(async () => {
  server = await openTestServer();
  operations = await listOperations(server.app);
});
afterAll(() => server.close());

function subjectToken(changes: Record<string, unknown> = {}): string {
  const { id, secret } = server.first.connector;
  const claims = {
    iss: id,
    iat: Math.floor(Date.now() / 1_000),
    "io.svc.subjectType": "user",
    "io.svc.asUser": { email: "ann@example.com" },
  };
  return signToken({ ...claims, ...changes }, secret);
}

/** Statuses of every operation with this access, by the operation's name. */
async function callAll(access: TestOperation["access"], headers: Record<string, string>) {
  const chosen = operations.filter((operation) => operation.access === access);
  const answers = chosen.map(async ({ method, path }) => {
    const url = path.replace(/\{[^}]+\}/g, createId("comment"));
    const { statusCode } = await server.app.inject({ method, url, headers });
    return [`${method} ${path}`, statusCode] as const;
  });
  return { names: chosen.map(({ method, path }) => `${method} ${path}`), statuses: await Promise.all(answers) };
}

async function expectAll(access: TestOperation["access"], headers: Record<string, string>, status: number) {
  const { names, statuses } = await callAll(access, headers);
  expect(names.length).toBeGreaterThan(0);
  expect(statuses).toEqual(names.map((name) => [name, status]));
}

describe("a route", () => {
  const options = (routes: AppOptions["routes"]): AppOptions => ({
    // No request is made, so authentication is never used.
    authentication: {} as AppOptions["authentication"],
    sessionCookie: new SessionCookie("http://localhost"),
    visitorCookies: {} as AppOptions["visitorCookies"],
    logger: pino({ level: "silent" }),
    bodyLimitBytes: 1_024,
    requestTimeoutMs: 1_000,
    trustProxy: false,
    roles: ROLES,
    routes,
  });

  test("without an access cannot be registered", async () => {
    const built = buildApp(
      options(async (app) => {
        app.get("/secrets", () => "everything");
      }),
    );
    await expect(built).rejects.toThrow("The route GET /secrets does not declare who may use it");
  });

  test("with an unknown access cannot be registered, also not inside a plugin", async () => {
    const built = buildApp(
      options(async (app) => {
        await app.register(async (plugin) => {
          plugin.get("/secrets", { config: { access: "everybody" as "open" } }, () => "everything");
        });
      }),
    );
    await expect(built).rejects.toThrow("The route GET /secrets does not declare who may use it");
  });
});

test("without credentials every route that needs them answers 401", async () => {
  for (const access of ["member", "subject", "connector", "operator"] as const) await expectAll(access, {}, 401);
});

test("with a wrong secret every route that needs credentials answers 401", async () => {
  const headers = { ...server.connectorHeaders, "Svc-Access-Token": "wrong" };
  for (const access of ["subject", "connector", "operator"] as const) await expectAll(access, headers, 401);
});

test("with a user or account token every route for connectors or the operator answers 403", async () => {
  const account = { "io.svc.subjectType": "account", "io.svc.asAccount": { domain: "example.com" } };
  for (const token of [subjectToken(), subjectToken(account), subjectToken({ scopes: ["read"] })]) {
    for (const access of ["connector", "operator"] as const) {
      await expectAll(access, { "Svc-Access-Token": token }, 403);
    }
  }
});

test("with a connector's secret every route for the operator answers 403", async () => {
  await expectAll("operator", server.connectorHeaders, 403);
});

test("a token with the scope admin may use the routes for connectors, but not those for the operator", async () => {
  const headers = { "Svc-Access-Token": subjectToken({ scopes: ["admin"] }) };
  const { names, statuses } = await callAll("connector", headers);
  expect(names.length).toBeGreaterThan(0);
  expect(statuses.filter(([, status]) => status === 401 || status === 403)).toEqual([]);
  await expectAll("operator", headers, 403);
});

test("a refusal of credentials names the expected scheme", async () => {
  const answer = await server.app.inject("/api/v1/connectors");
  expect(answer.headers["www-authenticate"]).toBe("Muster");
  expect(answer.json()).toMatchObject({ status: 401, error: { code: "unauthorized" } });
});

test("an open route ignores credentials", async () => {
  const answer = await server.app.inject({ url: "/healthz", headers: { authorization: "Bearer wrong" } });
  expect(answer.statusCode).toBe(200);
});

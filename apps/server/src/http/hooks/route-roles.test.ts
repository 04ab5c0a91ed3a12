import { expect, test } from "vitest";
import { ROUTE_RULES } from "../../testing/route-rules.js";
import { Sender } from "../../testing/sender.js";
import { createTestDatabase } from "../../testing/test-database.js";
import { withTestServer } from "../../testing/test-server.js";
import { rolesOf } from "./route-roles.js";

test("every route is served by the processes of its role", () => {
  const routes = Object.keys(ROUTE_RULES).map((rule) => rule.split(" ") as [string, string]);
  const served = (role: string) =>
    routes.filter(([method, route]) => rolesOf(method, route)?.[0] === role).map((rule) => rule.join(" "));
  const isOfCalls = (rule: string) => rule.split(" ")[1]?.startsWith("/v1/");
  expect(served("gateway").filter((rule) => !isOfCalls(rule))).toEqual(["POST /firehose", "POST /"]);
  expect(served("gateway").filter(isOfCalls)).toEqual(Object.keys(ROUTE_RULES).filter(isOfCalls));
  expect(served("dashboard").sort()).toEqual([
    "GET /",
    "GET /assets/:file",
    "GET /guide",
    "GET /guide/*",
    "GET /guide/search",
    "GET /icon.svg",
    "GET /invitations/*",
    "GET /o/*",
    "GET /sign-in",
    "GET /sign-in/*",
  ]);
  expect(routes.filter(([method, route]) => !rolesOf(method, route)).map(([, route]) => route)).toEqual([
    "/healthz",
    "/readyz",
    "/proof",
    "/metrics",
    "/status",
  ]);
});

test("a gateway opens no question engine, accepts batches, and says of other addresses which role they need", async () => {
  const url = await createTestDatabase();
  await withTestServer({ DATABASE_URL: url, SECRET_KEY: "shared" }, async (first) => {
    // A second process has no first credentials of its own: it has those of the database.
    await first.database.query("select 1");
    await withTestServer({ DATABASE_URL: url, SECRET_KEY: "shared", ROLES: "gateway" }, async (gateway) => {
      const sender = new Sender(gateway);
      const { position } = await sender.send([sender.traits({ user: { external_id: "1" } }, { plan: "pro" })]);
      const refused = await sender.call("GET", "/org");
      expect([refused.statusCode, refused.json().error.message]).toEqual([
        503,
        "This process does not serve this address: it has the roles gateway, and the address needs api or dashboard.",
      ]);
      expect((await gateway.app.inject("/readyz")).statusCode).toBe(200);
      expect((await gateway.app.inject("/nothing-here")).statusCode).toBe(404);
      await expect(gateway.questions.organizations()).rejects.toMatchObject({ code: "unavailable" });
      const headers = { "Svc-Wait-For": position };
      expect((await new Sender(first).call("GET", "/org", { headers })).statusCode).toBe(200);
    });
  });
});

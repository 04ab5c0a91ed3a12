import { createId, type VerifiedClaims } from "@muster/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Sender } from "../../testing/sender.js";
import { openTestAudience, type TestAudience } from "../../testing/test-audience.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
let audience: TestAudience;
let organizationId: string;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
  audience = openTestAudience(server);
  organizationId = server.first.organization.id;
  await sender.settle([
    sender.traits({ user: { external_id: "ann" }, account: { domain: "acme.example" } }, { plan: "pro" }),
  ]);
});
afterAll(() => server.close());

function claims(changes: Partial<VerifiedClaims>): VerifiedClaims {
  const issuer = server.first.connector.id;
  return { issuer, issuedAt: 0, subjectType: "user", create: true, active: false, scopes: [], ...changes };
}

test("the former id of a merged user finds the user it was merged into", async () => {
  await sender.settle([
    sender.traits({ user: { anonymous_id: "cookie" } }, { visits: 1 }),
    sender.traits({ user: { external_id: "bob" } }, {}),
  ]);
  const former = await sender.user({ anonymous_id: "cookie" });
  await sender.settle([sender.traits({ user: { external_id: "bob", anonymous_id: "cookie" } }, {})]);
  const survivor = await sender.user({ external_id: "bob" });
  expect(former.id).not.toBe(survivor.id);
  expect((await audience.subjects.find("user", organizationId, former.id))?.id).toBe(survivor.id);
  expect(await audience.subjects.findUser(organizationId, claims({ subjectId: former.id }))).toMatchObject({
    id: survivor.id,
  });
});

test("a token about an account has no user, also when it names one", async () => {
  const asUser = { external_id: "ann" };
  const { id } = await sender.user(asUser);
  expect(await audience.subjects.findUser(organizationId, claims({ asUser }))).toMatchObject({ id });
  expect(await audience.subjects.findUser(organizationId, claims({ asUser, subjectType: "account" }))).toBeUndefined();
});

test("a user whose sign-in connector was deleted has no identity of that connector", async () => {
  const ann = await sender.user({ external_id: "ann" });
  const connector = await server.app.inject({
    method: "POST",
    url: "/api/v1/connectors",
    headers: server.operatorHeaders,
    payload: { name: "Shop" },
  });
  const { id } = connector.json<{ id: string }>();
  const user = await audience.signIns.signIn(organizationId, claims({ issuer: id, subjectId: ann.id }), {
    url: "/login",
    byEndUser: false,
  });
  const reader = { isEndUser: false };
  const identity = async () => (await audience.subjects.userRecord(organizationId, user, reader)).main_identity;
  expect(await identity()).toBe("Shop");
  await server.app.inject({ method: "DELETE", url: `/api/v1/${id}`, headers: server.operatorHeaders });
  expect(await identity()).toBe("external");
});

test("signing in writes an active entry without attributes", async () => {
  audience.written.length = 0;
  await audience.signIns.signIn(organizationId, claims({ asUser: { external_id: "ann" } }), {
    url: null,
    byEndUser: true,
  });
  const entry = { type: "traits", active: true, byEndUser: true, user: { external_id: "ann" }, body: {} };
  expect(audience.written).toMatchObject([{ ...entry, connectorId: server.first.connector.id }]);
});

test("erasing writes an entry that is not active, under the present id of the subject", async () => {
  audience.written.length = 0;
  const ann = await sender.user({ external_id: "ann" });
  expect(await audience.subjects.erase(organizationId, "user", ann.id, "")).toEqual({ id: ann.id, position: "l1" });
  expect(audience.written).toMatchObject([
    { type: "incinerate", active: false, create: false, subject: "user", user: { id: ann.id }, connectorId: "" },
  ]);
});

test("erasing an unknown subject, or one of the other type, writes nothing", async () => {
  audience.written.length = 0;
  const ann = await sender.user({ external_id: "ann" });
  expect(await audience.subjects.erase(organizationId, "user", createId("user"), "")).toBeUndefined();
  expect(await audience.subjects.erase(organizationId, "account", ann.id, "")).toBeUndefined();
  expect(audience.written).toEqual([]);
});

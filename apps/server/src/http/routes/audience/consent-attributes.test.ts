import type { WriteKey } from "@muster/protocol/api/write-keys";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claimAttribute, createComputed } from "../../../storage/postgres/computed/computed-attributes.js";
import { PATIENCE } from "../../../testing/bulk.js";
import { Sender } from "../../../testing/sender.js";
import { signInAs } from "../../../testing/signed-in.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
const CONSENT = "consents/marketing";
const KEY = "traits_consents/marketing";

beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
  const made = await server.app.inject({
    method: "PUT",
    url: "/api/v1/purposes/marketing",
    headers: server.operatorHeaders,
    payload: {},
  });
  expect(made.statusCode).toBe(200);
});
afterAll(() => server.close());

const say = (name: string, traits: Record<string, unknown>) =>
  sender.settle([sender.traits({ user: { external_id: name } }, traits)]);
const consentOf = async (name: string) => (await sender.user({ external_id: name }))[KEY];

test.each([CONSENT, KEY, "consents/unheard_of"])("a consent cannot be computed: %s", async (name) => {
  await say("ann", { [CONSENT]: false });
  const payload = { target: "user", name, compute: { formula: "true" }, type: "boolean", replace: true };
  const answer = await sender.call("POST", "/computed_attributes", { payload });
  expect([answer.statusCode, answer.body]).toEqual([400, expect.stringContaining("only people themselves can say")]);
  await say("ann", { plan: "pro" });
  expect(await consentOf("ann")).toBe(false);
});

test("a consent that an older version computed is broken: nothing is written, and everybody can withdraw", async () => {
  await say("bob", { [CONSENT]: false });
  await say("cleo", { [CONSENT]: true });
  const organizationId = await sender.organizationId();
  const definition = { name: CONSENT, type: "boolean" as const, description: "" };
  const { id } = await server.database.transaction(async (tx) => {
    const compute = { formula: "true" };
    const stored = { subjectType: "user" as const, ...definition, compute, movesWithTime: false };
    const created = await createComputed(tx, organizationId, stored);
    await claimAttribute(tx, organizationId, "user", { ...definition, by: created.id });
    return created;
  });
  expect((await sender.call("GET", `/computed_attributes/${id}`)).json()).toMatchObject({
    status: "broken",
    error: expect.stringContaining("only people themselves can say"),
  });
  const edit = { payload: { compute: { formula: "1 == 1" } } };
  expect((await sender.call("PUT", `/computed_attributes/${id}`, edit)).statusCode).toBe(400);

  await say("bob", { plan: "pro" });
  await say("cleo", { [CONSENT]: false });
  await say("dan", { [CONSENT]: true });
  const page = await server.app.inject({
    method: "POST",
    url: `/api/v1/${server.first.connector.id}/write_keys`,
    headers: server.operatorHeaders,
    payload: { kind: "page", name: "Shop", domains: ["shop.example"] },
  });
  const authorization = `Basic ${btoa(`${page.json<WriteKey>().key}:`)}`;
  const withdrawn = await server.app.inject({
    method: "POST",
    url: "/v1/identify",
    headers: { authorization, origin: "https://shop.example" },
    payload: { anonymousId: "eve", traits: { [CONSENT]: false } },
  });
  expect(withdrawn.statusCode).toBe(200);
  await say("after", {});
  const answers = await Promise.all(["bob", "cleo", "dan"].map(consentOf));
  expect(answers).toEqual([false, false, true]);
  expect((await sender.user({ anonymous_id: "eve" }))[KEY]).toBe(false);
  expect(await sender.rejected()).toEqual([]);

  // A connector ends it, and keeps what people have said.
  const deleted = await sender.call("DELETE", `/computed_attributes/${id}`);
  expect([deleted.statusCode, deleted.body]).toEqual([403, expect.stringContaining("only an owner")]);
  expect((await sender.call("DELETE", `/computed_attributes/${id}?values=keep`)).statusCode).toBe(200);
  expect(await consentOf("cleo")).toBe(false);
});

test("nobody below an owner deletes or converts what people have agreed to", async () => {
  await say("fay", { [CONSENT]: false, note: "x" });
  const callers = { connector: sender.headers, editor: (await signInAs(server, "editor")).headers };
  const post = (path: string, headers: Record<string, string>, payload: object) =>
    server.app.inject({ method: "POST", url: `/api/v1/attributes/${path}`, headers, payload });
  for (const headers of Object.values(callers)) {
    for (const name of [CONSENT, KEY]) {
      const removal = await post("delete", headers, { object: "users", name });
      const conversion = await post("convert", headers, { object: "users", name, type: "string" });
      for (const { statusCode, body } of [removal, conversion]) {
        expect([statusCode, body]).toEqual([403, expect.stringContaining("only an owner")]);
      }
    }
    expect((await post("convert", headers, { object: "users", name: "note", type: "array" })).statusCode).toBe(201);
  }
  expect(await consentOf("fay")).toBe(false);

  const owner = (await signInAs(server, "owner")).headers;
  const removed = await post("delete", owner, { object: "users", name: CONSENT });
  expect([removed.statusCode, removed.body]).toEqual([201, expect.any(String)]);
  await expect.poll(() => consentOf("fay"), PATIENCE).toBe(undefined);
});

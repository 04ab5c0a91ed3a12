import { createBrand } from "@muster/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Sender, type Who } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

const { headers: names } = createBrand("Svc");

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
});
afterAll(() => server.close());

/** Makes a call with the token of an end user and waits until the record is applied. */
async function callAs(who: Who, method: "POST" | "PUT" | "DELETE", path: string, payload?: object) {
  const answer = await sender.callAs(who, method, path, payload ? { payload } : {});
  const position = answer.headers[names.position.toLowerCase()];
  if (typeof position === "string") await sender.waitFor(position);
  return answer;
}

let people = 0;

/** A known user with one identifier of each kind and an attribute, and the identifiers. */
async function knownUser(name: string) {
  const person = `${name}${++people}`;
  const user = { external_id: person, email: `${person}@example.com`, anonymous_id: `${person}-browser` };
  await sender.settle([sender.traits({ user }, { note: `secret of ${person}` })]);
  return user;
}

/** What must not change about a user through the calls of others. */
async function stateOf(claims: { external_id: string }) {
  const { indexed_at: _, ...report } = await sender.user(claims);
  return report;
}

const lastRejected = async () => (await sender.rejected()).at(-1);

describe("an end user cannot take over another user", () => {
  test.each(["external_id", "email"] as const)("with an alias of their %s", async (kind) => {
    const victim = await knownUser("victim");
    const attacker = await knownUser("attacker");
    const before = await stateOf(victim);
    for (const method of ["POST", "DELETE"] as const) {
      const answer = await callAs({ user: { external_id: attacker.external_id } }, method, "/me/alias", {
        [kind]: victim[kind],
      });
      expect([answer.statusCode, answer.json().error.code]).toEqual([403, "forbidden"]);
    }
    const report = await sender.callAs({ user: { external_id: attacker.external_id } }, "GET", "/me/user_report");
    expect(report.json()).toMatchObject({ external_id: attacker.external_id, email: attacker.email });
    expect(report.body).not.toContain(victim.external_id);
    expect(await stateOf(victim)).toEqual(before);
  });

  test.each(["external_id", "email"] as const)("with an alias of %s beside an anonymous id", async (kind) => {
    const attacker = await knownUser("attacker");
    const body = { anonymous_id: "free", [kind]: "nobody@example.com" };
    const answer = await callAs({ user: { external_id: attacker.external_id } }, "POST", "/me/alias", body);
    expect(answer.statusCode).toBe(403);
    expect(await sender.isKnown({ anonymous_id: "free" })).toBe(false);
  });

  test.each([
    ["a user with an external id", { external_id: "ext" }],
    ["a user with only an email", { email: "only@example.com" }],
  ])("with an alias of their anonymous id: %s", async (_who, identifiers) => {
    const anonymous_id = `browser of ${JSON.stringify(identifiers)}`;
    await sender.settle([sender.traits({ user: { ...identifiers, anonymous_id } }, { note: "secret" })]);
    const attacker = { user: { external_id: `attacker of ${anonymous_id}` } };
    const answer = await callAs(attacker, "POST", "/me/alias", { anonymous_id });
    expect(answer.statusCode).toBe(200);
    expect(await lastRejected()).toMatchObject({
      code: "identity_conflict",
      message: `The anonymous_id "${anonymous_id}" belongs to another user.`,
    });
    expect((await sender.callAs(attacker, "GET", "/me/user_report")).json()).toMatchObject({ anonymous_ids: [] });
    expect(await sender.user({ anonymous_id })).toMatchObject({ ...identifiers, traits_note: "secret" });
  });

  test("with a token that claims a new email and the anonymous id of a known user", async () => {
    await sender.settle([
      sender.traits({ user: { external_id: "held", anonymous_id: "held-browser" } }, { note: "x" }),
    ]);
    const attacker = { user: { email: "fresh@example.com", anonymous_id: "held-browser" } };
    expect((await sender.callAs(attacker, "GET", "/me")).body).toBe("false");
    await callAs(attacker, "PUT", "/me/traits", { mine: "yes" });
    expect(await sender.user({ external_id: "held" })).toMatchObject({ email: null, anonymous_ids: ["held-browser"] });
    expect(await sender.user({ external_id: "held" })).not.toHaveProperty("traits_mine");
    expect(await sender.user({ email: "fresh@example.com" })).toMatchObject({ traits_mine: "yes", anonymous_ids: [] });
  });

  test("by removing an anonymous id of theirs", async () => {
    const victim = await knownUser("victim");
    const before = await stateOf(victim);
    const attacker = { user: { external_id: "remover" } };
    await callAs(attacker, "DELETE", "/me/alias", { anonymous_id: victim.anonymous_id });
    await callAs(attacker, "DELETE", `/me/alias?anonymous_id=${victim.anonymous_id}`);
    expect(await stateOf(victim)).toEqual(before);
  });

  test("but adds a browser of its own, with all that was recorded of it", async () => {
    await callAs({ user: { anonymous_id: "own-browser" } }, "PUT", "/me/traits", { seen: "before" });
    await callAs({ user: { external_id: "owner" } }, "POST", "/me/alias", { anonymous_id: "own-browser" });
    expect(await sender.user({ external_id: "owner" })).toMatchObject({
      anonymous_ids: ["own-browser"],
      traits_seen: "before",
    });
  });
});

test.each([null, 5, [], {}])("an alias with the email %j beside an anonymous id is refused at once", async (email) => {
  const before = (await sender.rejected()).length;
  for (const method of ["POST", "DELETE"] as const) {
    const body = { anonymous_id: "beside-no-text", email };
    const answer = await callAs({ user: { external_id: "no-text" } }, method, "/me/alias", body);
    expect([answer.statusCode, answer.json().error]).toMatchObject([400, { code: "invalid_parameter" }]);
  }
  expect(await sender.rejected()).toHaveLength(before);
});

test("an end user's call does not take the Idempotency-Key of a call that a connector makes for the same user", async () => {
  const user = { external_id: "pre-empted" };
  const headers = { "idempotency-key": "order-1" };
  await sender.callAs({ user }, "PUT", "/me/traits", { headers, payload: { plan: "mine" } });
  const connector = { user, claims: { scopes: ["admin"] } };
  const answer = await sender.callAs(connector, "PUT", "/me/traits", { headers, payload: { plan: "paid" } });
  await sender.waitFor(String(answer.headers[names.position.toLowerCase()]));
  expect(await sender.user(user)).toMatchObject({ traits_plan: "paid" });
});

test("an anonymous id that is too long to be stored is refused at once", async () => {
  const answer = await callAs({ user: { external_id: "long" } }, "POST", "/me/alias", {
    anonymous_id: "é".repeat(2_000),
  });
  expect([answer.statusCode, answer.json().error.code]).toEqual([400, "invalid_parameter"]);
});

describe("identifiers in the attributes of an end user", () => {
  test("are attributes only: email and domain; an external id is refused with the reason", async () => {
    const user = { external_id: "claimer" };
    const body = { email: "claimed@example.com", domain: "claimed.example", external_id: "claimed", plan: "pro" };
    await callAs({ user }, "PUT", "/me/traits", body);
    expect(await sender.user(user)).toMatchObject({
      external_id: "claimer",
      email: "claimed@example.com",
      domain: "claimed.example",
      traits_plan: "pro",
    });
    for (const claims of [{ email: body.email }, { domain: body.domain }, { external_id: "claimed" }]) {
      expect([claims, await sender.isKnown(claims)]).toEqual([claims, false]);
    }
    expect(await lastRejected()).toMatchObject({
      code: "invalid_attribute",
      message: expect.stringContaining("end user"),
      entry: { body: { external_id: "claimed" } },
    });
  });

  test("are attributes only for accounts too", async () => {
    const account = { external_id: "claiming-account" };
    await callAs({ account }, "PUT", "/me/traits", { domain: "claimed-account.example", name: "Acme" });
    await sender.settle([
      sender.traits({ user: { external_id: "of-other" }, account: { domain: "claimed-account.example" } }, {}),
    ]);
    expect(await sender.user({ external_id: "of-other" })).not.toMatchObject({ account: { name: "Acme" } });
  });

  test.each(["set", "setIfNull"])("an external id of others is refused with the operation %s", async (operation) => {
    const user = { anonymous_id: `wants-an-external-id-${operation}` };
    await callAs({ user }, "PUT", "/me/traits", { external_id: { value: "wanted", operation }, traits_beside: true });
    expect(await sender.user(user)).toMatchObject({ external_id: null, traits_beside: true });
    expect(await lastRejected()).toMatchObject({
      code: "invalid_attribute",
      message: expect.stringContaining("an end user cannot set an external id"),
      entry: { user },
    });
  });

  test("its own external id changes nothing and is not refused", async () => {
    const before = (await sender.rejected()).length;
    await callAs({ user: { external_id: "same" } }, "PUT", "/me/traits", { external_id: "same" });
    expect(await sender.user({ external_id: "same" })).toMatchObject({ external_id: "same" });
    expect(await sender.rejected()).toHaveLength(before);
  });

  test("a connector still claims them for a user", async () => {
    const user = { external_id: "by-connector" };
    await sender.settle([sender.traits({ user }, { email: "by-connector@example.com" })]);
    expect(await sender.user({ email: "by-connector@example.com" })).toMatchObject(user);
    const admin = { user, claims: { scopes: ["admin"] } };
    await callAs(admin, "POST", "/me/alias", { email: "second@example.com" });
    expect(await sender.user({ email: "second@example.com" })).toMatchObject(user);
  });
});

describe("an anonymous browser", () => {
  test("keeps the email that it gives, which identifies nobody", async () => {
    const browser = { user: { anonymous_id: "newsletter" } };
    await callAs(browser, "PUT", "/me/traits", { email: "reader@example.com" });
    expect(await sender.isKnown({ email: "reader@example.com" })).toBe(false);
    expect(await sender.user(browser.user)).toMatchObject({
      email: "reader@example.com",
      unproved_attributes: ["email"],
    });
  });

  test("cannot claim an email that somebody has", async () => {
    const victim = await knownUser("victim");
    const before = await stateOf(victim);
    await callAs({ user: { anonymous_id: "grabber" } }, "PUT", "/me/traits", { email: victim.email });
    expect(await stateOf(victim)).toEqual(before);
    expect(await sender.user({ anonymous_id: "grabber" })).toMatchObject({ external_id: null });
  });

  test.each<[string, (email: string) => object]>([
    ["an object with a value", (email) => ({ email: { value: email } })],
    ["an operation", (email) => ({ email: { value: email, operation: "set" } })],
    ["one named attribute", (email) => ({ name: "email", value: email, operation: "set" })],
    ["the other spelling beside a free email", (email) => ({ traits_email: email, email: `free-${email}` })],
    ["a free email beside the other spelling", (email) => ({ email, traits_email: `free2-${email}` })],
    ["the other spelling beside an email that is no text", (email) => ({ email: 5, traits_email: email })],
    ["the other spelling with a value", (email) => ({ traits_email: { value: email.toUpperCase() } })],
  ])("cannot claim an email that somebody has as %s", async (form, bodyWith) => {
    const victim = await knownUser("victim");
    const before = await stateOf(victim);
    await callAs({ user: { anonymous_id: `grabs with ${form}` } }, "PUT", "/me/traits", bodyWith(victim.email));
    expect(await sender.user({ email: victim.email })).toMatchObject({ id: before.id });
    expect(await stateOf(victim)).toEqual(before);
  });

  test("reads false from /me and nothing elsewhere, whether its user is known or not", async () => {
    const { external_id, anonymous_id } = await knownUser("person");
    const { id } = await sender.user({ external_id });
    await callAs({ user: { anonymous_id: "nobody-yet" } }, "PUT", "/me/traits", { seen: true });
    for (const user of [{ anonymous_id }, { anonymous_id: "nobody-yet" }, { anonymous_id, domain: "a.example" }]) {
      const me = await sender.callAs({ user }, "GET", "/me");
      expect([me.statusCode, me.body]).toEqual([200, "false"]);
      for (const path of ["/me/user_report", "/me/segments", `/${id}`, `/${id}/segments`, `/${id}/user_report`]) {
        const answer = await sender.callAs({ user }, "GET", path);
        expect([path, answer.statusCode]).toEqual([path, expect.toBeOneOf([403, 404])]);
        expect(answer.body).not.toContain("secret of");
      }
    }
  });

  test("cannot sign in", async () => {
    const { external_id, anonymous_id } = await knownUser("person");
    const access_token = sender.token({ user: { anonymous_id } });
    const answer = await server.app.inject({ method: "POST", url: "/api/v1/users/login", payload: { access_token } });
    expect([answer.statusCode, answer.json().error.code]).toEqual([403, "forbidden"]);
    const { id } = await sender.user({ external_id });
    expect(await sender.object(id)).toMatchObject({ confirmed: false, last_seen_at: null });
  });

  test("that belongs to a known user writes attributes and events, and changes no identifier", async () => {
    const { external_id, email, anonymous_id } = await knownUser("person");
    const browser = { user: { anonymous_id, domain: "claimed-by-browser.example" } };
    await callAs({ user: { anonymous_id: "beside" } }, "PUT", "/me/traits", { beside: true });
    await callAs(browser, "PUT", "/me/traits", { email: "other@example.com", theme: "dark" });
    await callAs(browser, "POST", "/t", { event: "Viewed" });
    await callAs(browser, "POST", "/me/alias", { anonymous_id: "beside" });
    expect(await lastRejected()).toMatchObject({ code: "identity_conflict" });
    await callAs(browser, "DELETE", "/me/alias", { anonymous_id });
    expect(await lastRejected()).toMatchObject({ code: "identity_conflict" });
    const report = await sender.user({ external_id });
    expect(report).toMatchObject({ traits_theme: "dark", anonymous_ids: [anonymous_id] });
    expect(await sender.events({ user: report.id })).toMatchObject([{ event: "Viewed" }]);
    expect(await sender.user({ email })).toMatchObject({ id: report.id });
    for (const claims of [{ email: "other@example.com" }, { domain: "claimed-by-browser.example" }]) {
      expect([claims, await sender.isKnown(claims)]).toEqual([claims, false]);
    }
    expect((await sender.user({ anonymous_id: "beside" })).id).not.toBe(report.id);
  });
});

describe("two external ids", () => {
  test.each(["user", "account"] as const)("of %ss never merge, also when a connector asks", async (subjectType) => {
    const [one, two] = ["one", "two"].map((name) => ({ external_id: `${subjectType}-${name}` }));
    if (!one || !two) throw new Error("There are two.");
    const who = (claims: { id?: string; external_id?: string }): Who => ({ [subjectType]: claims });
    await sender.settle([sender.traits(who(one), { name: "One" }), sender.traits(who(two), { name: "Two" })]);
    await sender.settle([sender.entry("alias", who(one), two)]);
    expect(await lastRejected()).toMatchObject({ code: "identity_conflict" });
    const link = (external_id: string) => ({ user: { external_id: "linked" }, account: { external_id } });
    const nameOf = async ({ external_id }: { external_id: string }) => {
      if (subjectType === "user") return (await sender.user({ external_id })).name;
      await sender.settle([sender.traits(link(external_id), {})]);
      return ((await sender.user({ external_id: "linked" })).account as { name: string }).name;
    };
    expect([await nameOf(one), await nameOf(two)]).toEqual(["One", "Two"]);
  });

  test("never merge by an id and an external id of another user, and the reason is listed", async () => {
    await sender.settle(["by-id-1", "by-id-2"].map((external_id) => sender.traits({ user: { external_id } }, {})));
    const { id } = await sender.user({ external_id: "by-id-1" });
    await sender.settle([sender.traits({ user: { id, external_id: "by-id-2" } }, { plan: "pro" })]);
    expect(await sender.user({ external_id: "by-id-1" })).toMatchObject({ id, traits_plan: "pro" });
    expect((await sender.user({ external_id: "by-id-2" })).id).not.toBe(id);
    expect(await lastRejected()).toMatchObject({ code: "identity_conflict" });
  });
});

describe("the token of an end user", () => {
  const user = { external_id: "token-holder" };

  test("is no credential of the gateway, nor of imports, with or without the id of its connector", async () => {
    const token = sender.token({ user });
    const now = new Date().toISOString();
    const batch = { batch: [sender.traits({ user: { external_id: "injected" } }, {})], timestamp: now, sentAt: now };
    const appId = { [names.appId]: server.first.connector.id };
    for (const headers of [{}, appId]) {
      for (const [url, payload] of [
        ["/firehose", batch],
        ["/api/v1/import/users", { url: "https://example.com/users.json", format: "json" }],
      ] as const) {
        const given = { ...headers, [names.accessToken]: token };
        const answer = await server.app.inject({ method: "POST", url, headers: given, payload });
        expect([url, answer.statusCode]).toEqual([url, 403]);
      }
    }
    const inQuery = `?id=${server.first.connector.id}&secret=${token}`;
    const asSecret = await server.app.inject({ method: "POST", url: `/firehose${inQuery}`, payload: batch });
    expect(asSecret.statusCode).toBe(403);
    const asBearer = { authorization: `Bearer ${token}` };
    expect((await server.app.inject({ url: "/api/v1/connectors", headers: asBearer })).statusCode).toBe(401);
    expect(await sender.isKnown({ external_id: "injected" })).toBe(false);
  });

  test("cannot act for another user with the user id header", async () => {
    const victim = await knownUser("victim");
    const { id } = await sender.user({ external_id: victim.external_id });
    const before = await stateOf(victim);
    const headers = { [names.userId]: id };
    const written = await sender.callAs({ user }, "PUT", "/me/traits", { headers, payload: { note: "changed" } });
    await sender.waitFor(written.json().position);
    expect((await sender.callAs({ user }, "GET", "/me", { headers })).json().id).not.toBe(id);
    expect(await stateOf(victim)).toEqual(before);
  });

  test("shows the segments of its user by name, without their queries and sizes", async () => {
    const query = { terms: { external_id: ["token-holder", "somebody-else"] } };
    const payload = { name: "Chosen", query, predicate: {} };
    expect((await sender.call("POST", "/users_segments", { payload })).statusCode).toBe(201);
    await sender.settle([sender.traits({ user }, { in: "a segment" })]);
    const read = async () => (await sender.callAs({ user }, "GET", "/me/segments")).json();
    await expect.poll(read).toMatchObject([{ name: "Chosen", type: "users_segment", entered_at: expect.any(String) }]);
    const [segment] = await read();
    for (const key of ["query", "predicate", "stats"]) expect(segment).not.toHaveProperty(key);
  });

  test("does not show why a segment of its user is broken, because the reason quotes the query", async () => {
    const payload = { name: "Broken", query: { term: { external_id: "token-holder" } }, predicate: {} };
    const { id } = (await sender.call("POST", "/users_segments", { payload })).json<{ id: string }>();
    await sender.settle([sender.traits({ user }, { in: "a broken segment" })]);
    await server.database.query("update segments set problem = 'somebody@else.example' where id = $1", [id]);
    for (const path of ["/me/segments", "/me/user_report"]) {
      const read = async () => (await sender.callAs({ user }, "GET", path)).body;
      await expect.poll(read).toContain('"Broken"');
      expect(await read()).not.toContain("somebody@else.example");
    }
    await sender.call("DELETE", `/${id}`);
  });
});
